import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A schema of an OpenAPI description, as far as requests of models use them. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
}
/** The schemas of a description by their names. */
export type Schemas = Readonly<Record<string, Schema>>;

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
};

interface Place {
  readonly schemas: Schemas;
  readonly at: string;
}
const inside = ({ schemas, at }: Place, step: string): Place => ({ schemas, at: `${at}${step}` });

/** What is wrong with `value`; empty = nothing. Covers the keywords that the vendors' descriptions use. */
export const faults = (value: unknown, schema: Schema, place: Place): string[] => {
  const { schemas, at } = place;
  if (schema.$ref !== undefined) return faults(value, schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, place);
  const found: string[] = [];
  const is = typeOf(value);
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (types !== undefined && !types.includes(is) && !(is === "integer" && types.includes("number"))) {
    found.push(`${at}: ${is} instead of ${types.join("|")}`);
  }
  if (schema.const !== undefined && value !== schema.const) found.push(`${at}: not ${JSON.stringify(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.includes(value))
    found.push(`${at}: ${String(value)} is not in the enum`);
  for (const choices of [schema.anyOf, schema.oneOf]) {
    if (choices === undefined) continue;
    const tried = choices.map((choice) => faults(value, choice, place));
    if (!tried.some((one) => one.length === 0)) found.push(...(tried.toSorted((a, b) => a.length - b.length)[0] ?? []));
  }
  for (const part of schema.allOf ?? []) found.push(...faults(value, part, place));
  if (typeof value === "string") {
    if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) found.push(`${at}: pattern`);
    if (value.length < (schema.minLength ?? 0)) found.push(`${at}: too short`);
    if (value.length > (schema.maxLength ?? Infinity)) found.push(`${at}: too long`);
  }
  if (typeof value === "number" && value < (schema.minimum ?? -Infinity)) found.push(`${at}: too small`);
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [index, item] of value.entries()) found.push(...faults(item, schema.items, inside(place, `[${index}]`)));
  }
  if (is === "object") found.push(...objectFaults(value as Record<string, unknown>, schema, place));
  return found;
};

const objectFaults = (value: Record<string, unknown>, schema: Schema, place: Place): string[] => {
  const { at } = place;
  const found = (schema.required ?? []).filter((name) => !(name in value)).map((name) => `${at}.${name}: missing`);
  for (const [name, member] of Object.entries(value)) {
    const known = schema.properties?.[name];
    if (known !== undefined) found.push(...faults(member, known, inside(place, `.${name}`)));
    else if (schema.additionalProperties === false) found.push(`${at}.${name}: unknown`);
  }
  return found;
};

const ROOT = join(import.meta.dirname, "../../../../shared/contracts/llm");

/** The schemas of a vendor's description that lies beside the repository; undefined where it does not. */
export const publishedSchemas = (file: string): Schemas | undefined => {
  const path = join(ROOT, file);
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, "utf8")) as { components: { schemas: Schemas } }).components.schemas;
};

/** What is wrong with `value` as the type of that name. */
export const faultsAs = (value: unknown, type: string, schemas: Schemas): string[] =>
  faults(value, schemas[type] ?? {}, { schemas, at: "$" });
