import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assistant, call, image, reasoning, result, text, user } from "../../../testing/conversation-parts.ts";
import { keyCredential } from "../../credential.ts";
import type { Message } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import type { WireTarget } from "../wire.ts";
import { createGeminiWire } from "./gemini.ts";
import { opaquePart, signedData } from "./opaque.ts";

/** Holds what is encoded against the vendor's own description of a request, a protobuf descriptor read as its JSON form. */
const FILE = join(import.meta.dirname, "../../../../../shared/contracts/llm/gemini-v1beta-protos.json");
const present = existsSync(FILE);

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

type Messages = Readonly<Record<string, Declared>>;
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

const wire = createGeminiWire({ redact: (text) => text });
const base: WireTarget = {
  provider: "p",
  model: "gemini-3-pro",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  credential: keyCredential("k"),
  quirks: {},
  stream: true,
};
const SIGNATURE = "c2lnbmF0dXJl";
const sealed = (of: "text" | "thought" | "call", value: string) => {
  const data = signedData(of, value, SIGNATURE);
  if (data === undefined) throw new Error("not well-formed");
  return opaquePart(base, data);
};
const code = { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: SIGNATURE };
const messages: readonly Message[] = [
  assistant([text("first")]),
  { ...user("look", image, { ...image, mediaType: "image/tiff" }), contextLine: "ctx" },
  assistant([
    reasoning("hm"),
    sealed("thought", "hm"),
    opaquePart(base, { part: "verbatim", value: code }),
    call("fc:1|a", '{"x":1', "bad.name"),
    text("so it is"),
    sealed("text", " it is"),
    call("fc:1|a", "", ""),
    sealed("call", ""),
    sealed("text", ""),
  ]),
  result("fc:1|a", [text("")], "error"),
  result("fc:1|a", [text("see"), image]),
  result("gone", []),
  assistant([call("b")], { provider: "q" }),
  user(),
];
const request: LlmRequest = {
  system: "sys",
  messages,
  tools: [{ name: "t", description: "d", parameters: { type: "object", properties: { a: { type: "string" } } } }],
  temperature: 0.5,
  maxOutputTokens: 4_000,
  reasoningEffort: "high",
};

const cases: readonly (readonly [string, WireTarget["quirks"], Partial<LlmRequest>])[] = [
  ["a model that does not think", {}, {}],
  ["a budget", { googleThinking: { by: "budget", least: 1, most: 24_576, canBeOff: true } }, {}],
  [
    "a level",
    { googleThinking: { by: "level", levels: ["low", "high"] }, signedCalls: true, imagesInResults: true },
    {},
  ],
  ["bare", {}, { system: "", tools: [] }],
];

test.skipIf(!present).each(cases)(
  `a request with everything follows the vendor's description: %s${present ? "" : " (skipped: ../shared is not here)"}`,
  (...[, quirks, changes]) => {
    const { nested } = JSON.parse(readFileSync(FILE, "utf8")) as { nested: Messages };
    const check = (body: unknown): string[] =>
      faults(body, { messages: withNested(nested), type: "GenerateContentRequest", at: "$" });
    const { body: sent } = wire.encode({ ...request, ...changes }, { ...base, quirks }, () => "QUJD");
    const body = JSON.parse(sent) as Record<string, unknown>;
    expect(check(body)).toEqual([]);
    // The check itself bites.
    expect(check({ ...body, extra: 1 })).toEqual(["$.extra: unknown"]);
    expect(check({ ...body, contents: undefined })).not.toEqual([]);
    expect(check({ ...body, contents: [{ parts: [{ text: 1 }] }] })).not.toEqual([]);
    expect(check({ ...body, contents: [{ parts: [{ text: "x", inlineData: {} }] }] })).not.toEqual([]);
    expect(check({ ...body, contents: [{ parts: [{ functionResponse: { name: "t" } }] }] })).not.toEqual([]);
    expect(check({ ...body, contents: [{ parts: [{ text: "", thoughtSignature: "no base64!" }] }] })).not.toEqual([]);
  },
);

/** A type is named from where it is used: those inside others are found by their last name. */
function withNested(declared: Messages): Messages {
  const inner = Object.values(declared).flatMap(({ nested = {} }) => Object.entries(nested));
  return { ...Object.fromEntries(inner), ...declared };
}
