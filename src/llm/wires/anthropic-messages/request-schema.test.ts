import { expect, test } from "vitest";
import { faultsAs, publishedSchemas } from "../../../testing/published/open-api-faults.ts";
import type { AssistantPart, Message } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import type { WireTarget } from "../wire.ts";
import { createAnthropicMessagesWire } from "./anthropic-messages.ts";
import { digestOf, opaquePart } from "./opaque.ts";
import { keyCredential } from "../../credential.ts";

/** Holds what is encoded against the vendor's own description of a request. */
const schemas = publishedSchemas("anthropic-openapi.json");
const present = schemas !== undefined;

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
    const check = (body: unknown): string[] => faultsAs(body, "CreateMessageParams", schemas ?? {});
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
