import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Field {
  readonly type: string;
  readonly rule?: "repeated";
  readonly keyType?: string;
  readonly options?: Readonly<Record<string, unknown>>;
}
interface Declared {
  readonly fields?: Readonly<Record<string, Field>>;
  readonly oneofs?: Readonly<Record<string, { readonly oneof: readonly string[] }>>;
  readonly values?: Readonly<Record<string, number>>;
  readonly nested?: Readonly<Record<string, Declared>>;
}

/** Members that are younger than the descriptor; the vendor's own client has them (`ThinkingConfig` of @google/genai). */
const YOUNGER: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  ThinkingConfig: { thinkingLevel: ["MINIMAL", "LOW", "MEDIUM", "HIGH"] },
};
/** The model stands in the address. */
const ELSEWHERE: ReadonlySet<string> = new Set(["GenerateContentRequest.model"]);

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  bool: (value) => typeof value === "boolean",
  int32: (value) => Number.isInteger(value),
  int64: (value) => Number.isInteger(value),
  float: (value) => typeof value === "number",
  double: (value) => typeof value === "number",
  bytes: (value) => typeof value === "string" && value.length % 4 === 0 && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value),
  "google.protobuf.Struct": (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "google.protobuf.Value": () => true,
};

/** The types of a protobuf descriptor by their names. */
export type Messages = Readonly<Record<string, Declared>>;
interface Place {
  readonly messages: Messages;
  readonly type: string;
  readonly at: string;
}

/** What is wrong with `value` as a message of the type; empty = nothing. */
const faults = (value: unknown, place: Place): string[] => {
  const { messages, type, at } = place;
  const scalar = SCALARS[type];
  if (scalar !== undefined) return scalar(value) ? [] : [`${at}: no ${type}`];
  const declared = messages[type];
  if (declared === undefined) return [`${at}: the type ${type} is unknown`];
  if (declared.values !== undefined)
    return Object.hasOwn(declared.values, String(value)) ? [] : [`${at}: not in ${type}`];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at}: no object`];
  return messageFaults(value as Record<string, unknown>, declared, place);
};

const messageFaults = (value: Record<string, unknown>, declared: Declared, { messages, type, at }: Place): string[] => {
  const fields = declared.fields ?? {};
  const found = Object.entries(fields)
    .filter(([name, { options }]) => options?.["(google.api.field_behavior)"] === "REQUIRED" && !(name in value))
    .filter(([name]) => !ELSEWHERE.has(`${type}.${name}`))
    .map(([name]) => `${at}.${name}: missing`);
  for (const { oneof } of Object.values(declared.oneofs ?? {})) {
    const both = oneof.filter((name) => name in value);
    if (both.length > 1) found.push(`${at}: ${both.join(" and ")}`);
  }
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const younger = YOUNGER[type]?.[name];
    if (younger?.includes(member) === true) continue;
    if (field === undefined) found.push(`${at}.${name}: unknown`);
    else found.push(...fieldFaults(member, field, { messages, type: field.type, at: `${at}.${name}` }));
  }
  return found;
};

const fieldFaults = (value: unknown, { rule }: Field, place: Place): string[] => {
  if (rule !== "repeated") return faults(value, place);
  if (!Array.isArray(value)) return [`${place.at}: no list`];
  return value.flatMap((item, index) => faults(item, { ...place, at: `${place.at}[${index}]` }));
};

/** A type is named from where it is used: those inside others are found by their last name. */
function withNested(declared: Messages): Messages {
  const inner = Object.values(declared).flatMap(({ nested = {} }) => Object.entries(nested));
  return { ...Object.fromEntries(inner), ...declared };
}

const FILE = join(import.meta.dirname, "../../../../shared/contracts/llm/gemini-v1beta-protos.json");

/** The types of Google's description that lies beside the repository; undefined where it does not. */
export const publishedMessages = (): Messages | undefined =>
  existsSync(FILE) ? withNested((JSON.parse(readFileSync(FILE, "utf8")) as { nested: Messages }).nested) : undefined;

/** What is wrong with `value` as the JSON form of the type of that name; empty = nothing. */
export const faultsAs = (value: unknown, type: string, messages: Messages): string[] =>
  faults(value, { messages, type, at: "$" });
