import { bytesOf, COUNTED, halvesOf, sseEvent, wordsOf, type Said, type WireBodies } from "./wire-body.ts";

type Json = Readonly<Record<string, unknown>>;

interface Block {
  readonly whole: Json;
  readonly start: Json;
  readonly deltas: readonly Json[];
}

const FINISH = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens", refusal: "refusal" } as const;

const blocksOf = ({ reasoning, signature, text, refusal, calls = [] }: Said): readonly Block[] => [
  ...(reasoning === undefined
    ? []
    : [
        {
          whole: { type: "thinking", thinking: reasoning, signature: signature ?? "" },
          start: { type: "thinking", thinking: "", signature: "" },
          deltas: [
            ...wordsOf(reasoning).map((thinking) => ({ type: "thinking_delta", thinking })),
            ...(signature === undefined ? [] : [{ type: "signature_delta", signature }]),
          ],
        },
      ]),
  ...[text, refusal].flatMap((words) =>
    words === undefined
      ? []
      : [
          {
            whole: { type: "text", text: words },
            start: { type: "text", text: "" },
            deltas: wordsOf(words).map((piece) => ({ type: "text_delta", text: piece })),
          },
        ],
  ),
  ...calls.map(({ id, name, arguments: args }) => ({
    whole: { type: "tool_use", id, name, input: JSON.parse(args) as unknown },
    start: { type: "tool_use", id, name, input: {} },
    deltas: halvesOf(args).map((partial_json) => ({ type: "input_json_delta", partial_json })),
  })),
];

const headOf = (content: readonly Json[], output_tokens: number): Json => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m-1",
  content,
  stop_reason: null,
  usage: { input_tokens: COUNTED.input, output_tokens },
});

const eventsOf = (said: Said): readonly Json[] => [
  { type: "message_start", message: headOf([], 1) },
  { type: "ping" },
  ...blocksOf(said).flatMap(({ start, deltas }, index) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]),
  {
    type: "message_delta",
    delta: { stop_reason: FINISH[said.finish], stop_sequence: null },
    usage: { output_tokens: COUNTED.output },
  },
  { type: "message_stop" },
];

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  529: "overloaded_error",
};

const errorOf = ({ status, message }: { readonly status: number; readonly message: string }): Json => ({
  type: "error",
  error: { type: TYPES[status] ?? "api_error", message },
  request_id: "req_1",
});

const named = (value: Json, change?: (json: Uint8Array) => Uint8Array): Uint8Array =>
  sseEvent(value, { name: String(value["type"]), ...(change === undefined ? {} : { change }) });

/** Anthropic's messages with signed thinking. */
export const anthropicMessagesBodies: WireBodies = {
  wire: "anthropic_messages",
  target: { quirks: { promptCache: "automatic" } },
  path: "",
  streamType: "text/event-stream; charset=utf-8",
  stream: (said, change) =>
    eventsOf(said).map((value) => ({
      bytes: named(value, change),
      says: value["type"] === "content_block_delta",
    })),
  plain: (said) =>
    JSON.stringify({
      ...headOf(
        blocksOf(said).map(({ whole }) => whole),
        COUNTED.output,
      ),
      stop_reason: FINISH[said.finish],
    }),
  keepAlives: [bytesOf(": ping\n\n"), named({ type: "ping" })],
  bareEnd: Buffer.concat([
    named({ type: "message_start", message: headOf([], 0) }),
    named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 0 } }),
    named({ type: "message_stop" }),
  ]),
  errorEvent: (failure) => named(errorOf(failure)),
  failure: (failure) => ({ body: JSON.stringify(errorOf(failure)), headers: { "request-id": "req_1" } }),
};
