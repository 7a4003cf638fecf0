import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AssistantPart, Message } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import type { WireTarget } from "../wire.ts";
import { createAnthropicMessagesWire } from "./anthropic-messages.ts";
import { digestOf, opaquePart } from "./opaque.ts";
import { keyCredential } from "../../credential.ts";

/** Holds what is encoded against the vendor's own description of a request. */
const FILE = join(import.meta.dirname, "../../../../../shared/contracts/llm/anthropic-openapi.json");
const present = existsSync(FILE);

interface Schema {
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
type Schemas = Readonly<Record<string, Schema>>;

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

/** What is wrong with `value`; empty = nothing. Covers the keywords that the description uses. */
const faults = (value: unknown, schema: Schema, place: Place): string[] => {
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

const wire = createAnthropicMessagesWire({ redact: (text) => text });
const base: WireTarget = {
  provider: "anthropic",
  model: "claude-opus-4-5",
  baseUrl: "https://api.anthropic.com",
  credential: keyCredential("k"),
  quirks: {},
  stream: true,
};
const image = { type: "image", hash: "h", mediaType: "image/png", byteLength: 3 } as const;
const assistant = (parts: readonly AssistantPart[]): Message => ({
  role: "assistant",
  parts,
  provider: "anthropic",
  model: base.model,
  finish: "tool_calls",
});
const messages: readonly Message[] = [
  assistant([{ type: "text", text: "first" }]),
  { role: "user", parts: [{ type: "text", text: "look" }, image], origin: { surface: "cli" }, contextLine: "ctx" },
  assistant([
    { type: "reasoning", text: "hm" },
    opaquePart(base, { block: "thinking", signature: "s1", textSha256: digestOf("hm") }),
    opaquePart(base, { block: "verbatim", value: { type: "redacted_thinking", data: "EN" } }),
    { type: "tool_call", id: "fc:1|a", name: "bad.name", arguments: '{"x":1' },
    { type: "text", text: "  " },
    { type: "tool_call", id: "fc:1|a", name: "", arguments: "" },
  ]),
  {
    role: "tool",
    parts: [
      { type: "tool_result", callId: "fc:1|a", name: "t", outcome: "error", content: [{ type: "text", text: "" }] },
    ],
  },
  { role: "tool", parts: [{ type: "tool_result", callId: "fc:1|a", name: "t", outcome: "ok", content: [image] }] },
  { role: "tool", parts: [{ type: "tool_result", callId: "gone", name: "t", outcome: "ok", content: [] }] },
  { role: "user", parts: [], origin: { surface: "cli" } },
];
const request: LlmRequest = {
  system: "sys",
  messages,
  tools: [{ name: "t", description: "d", parameters: { type: "object", properties: { a: { type: "string" } } } }],
  temperature: 1,
};

const cases: readonly (readonly [string, Partial<WireTarget>, Partial<LlmRequest>])[] = [
  ["marks in the messages", {}, {}],
  ["the API moves the mark", { quirks: { promptCache: "automatic" } }, {}],
  ["a budget", { quirks: { thinking: "budget" } }, { reasoningEffort: "high" }],
  ["an effort", { quirks: { thinking: "effort" } }, { reasoningEffort: "xhigh" }],
  ["an effort of later models", { quirks: { thinking: "effort_xhigh" } }, { reasoningEffort: "xhigh" }],
  ["no thinking", { quirks: { thinking: "effort_xhigh" } }, { reasoningEffort: "none" }],
  ["bare", { stream: false }, { system: "", tools: [] }],
];

test.skipIf(!present).each(cases)(
  `a request with everything follows the vendor's description: %s${present ? "" : " (skipped: ../shared is not here)"}`,
  (...[, target, changes]) => {
    const { schemas } = (JSON.parse(readFileSync(FILE, "utf8")) as { components: { schemas: Schemas } }).components;
    const check = (body: unknown): string[] => faults(body, schemas.CreateMessageParams ?? {}, { schemas, at: "$" });
    const body = JSON.parse(
      wire.encode({ ...request, ...changes }, { ...base, ...target }, () => "QUJD").body,
    ) as Record<string, unknown>;
    expect(check(body)).toEqual([]);
    // The check itself bites.
    expect(check({ ...body, max_tokens: undefined, extra: 1 })).not.toEqual([]);
    expect(check({ ...body, messages: [{ role: "system", content: [] }] })).not.toEqual([]);
    expect(check({ ...body, messages: [{ role: "user", content: [{ type: "text" }] }] })).not.toEqual([]);
  },
);
