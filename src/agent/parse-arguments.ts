import * as z from "zod";
import type { Tool } from "./tool.ts";

/** A call's arguments as the tool takes them, or what is wrong with them, for the model. */
export type ParsedArguments =
  | { readonly kind: "ok"; readonly args: unknown }
  | { readonly kind: "invalid"; readonly problem: string };

/**
 * Checks a call's arguments. Models send "5" for 5, "true" for true, null for what they leave out, a list as a JSON string,
 * one item for a list, and parameters that do not exist: where only one reading is possible, that one is taken. Values that
 * fit as they are stay as they are.
 */
export const parseArguments = (tool: Pick<Tool, "parameters">, value: unknown): ParsedArguments => {
  const strict = tool.parameters.safeParse(value);
  if (strict.success) return { kind: "ok", args: strict.data };
  const schema = SCHEMA.safeParse(z.toJSONSchema(tool.parameters, { io: "input", unrepresentable: "any" }));
  const coerced = schema.success ? tool.parameters.safeParse(coerce(value, schema.data)) : strict;
  if (coerced.success) return { kind: "ok", args: coerced.data };
  return { kind: "invalid", problem: z.prettifyError(coerced.error) };
};

interface Schema {
  readonly type?: string | readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: Schema | undefined;
  readonly enum?: readonly unknown[] | undefined;
}

const SCHEMA: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    properties: z.record(z.string(), SCHEMA).optional(),
    required: z.array(z.string()).optional(),
    items: SCHEMA.optional(),
    enum: z.array(z.unknown()).optional(),
  }),
);

const coerce = (value: unknown, schema: Schema): unknown => {
  switch (schema.type) {
    case "object":
      return coerceObject(value, schema);
    case "array":
      return coerceArray(value, schema);
    case "integer":
    case "number":
      return coerceNumber(value);
    case "boolean":
      return coerceBoolean(value);
    case "string":
      return coerceString(value, schema);
    case undefined:
    default:
      return value;
  }
};

const coerceObject = (value: unknown, schema: Schema): unknown => {
  const object = parsedIfString(value);
  if (typeof object !== "object" || object === null || Array.isArray(object)) return value;
  const required = new Set(schema.required);
  const properties = new Map(Object.entries(schema.properties ?? {}));
  return Object.fromEntries(
    Object.entries(object)
      // Null stands for "not given", but only where nothing has to be given.
      .filter(([name, item]) => item !== null || required.has(name))
      .map(([name, item]) => [name, coerce(item, properties.get(name) ?? {})]),
  );
};

const coerceArray = (value: unknown, { items = {} }: Schema): unknown => {
  const list = parsedIfString(value);
  if (Array.isArray(list)) return list.map((item) => coerce(item, items));
  const isOneItem = value !== null && value !== "" && typeof value === typeOfItems(items);
  return isOneItem ? [coerce(value, items)] : value;
};

const typeOfItems = ({ type }: Schema): string | undefined =>
  type === "object" || type === "string" ? type : undefined;

/** A list or object that was sent as its JSON text. */
const parsedIfString = (value: unknown): unknown => {
  if (typeof value !== "string" || !/^\s*[[{]/u.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value; // the schema's own complaint is the better answer
  }
};

const coerceNumber = (value: unknown): unknown =>
  typeof value === "string" && /^\s*[+-]?\d+(?:\.\d+)?\s*$/u.test(value) ? Number(value) : value;

const coerceBoolean = (value: unknown): unknown => {
  if (typeof value !== "string") return value;
  const word = value.trim().toLowerCase();
  if (word === "true" || word === "false") return word === "true";
  return value;
};

const coerceString = (value: unknown, schema: Schema): unknown => {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || schema.enum === undefined || schema.enum.includes(value)) return value;
  const word = value.trim().toLowerCase();
  return schema.enum.find((option) => typeof option === "string" && option.toLowerCase() === word) ?? value;
};
