import { bytesOf, COUNTED, halvesOf, sseEvent, wordsOf, type Said, type WireBodies } from "./wire-body.ts";

type Json = Readonly<Record<string, unknown>>;

interface Event {
  readonly value: Json;
  readonly says: boolean;
}

const frame = (type: string, fields: Json): Event => ({ value: { type: `response.${type}`, ...fields }, says: false });
const delta = (type: string, fields: Json): Event => ({ ...frame(`${type}.delta`, fields), says: true });

const reasoningItem = ({ reasoning, signature }: Said): Json => ({
  type: "reasoning",
  id: "rs_1",
  summary: reasoning === undefined ? [] : [{ type: "summary_text", text: reasoning }],
  ...(signature === undefined ? {} : { encrypted_content: signature }),
});

const messageItem = ({ text, refusal }: Said): Json => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [
    ...(text === undefined ? [] : [{ type: "output_text", text, annotations: [] }]),
    ...(refusal === undefined ? [] : [{ type: "refusal", refusal }]),
  ],
});

const itemsOf = (said: Said): readonly { readonly item: Json; readonly pieces: (at: Json) => readonly Event[] }[] => [
  ...(said.reasoning === undefined && said.signature === undefined
    ? []
    : [
        {
          item: reasoningItem(said),
          pieces: (at: Json) => [
            ...wordsOf(said.reasoning ?? "").map((text) =>
              delta("reasoning_summary_text", { ...at, summary_index: 0, delta: text }),
            ),
            frame("reasoning_summary_text.done", { ...at, summary_index: 0, text: said.reasoning ?? "" }),
          ],
        },
      ]),
  ...(said.text === undefined && said.refusal === undefined
    ? []
    : [
        {
          item: messageItem(said),
          pieces: (at: Json) => [
            ...wordsOf(said.text ?? "").map((text) => delta("output_text", { ...at, content_index: 0, delta: text })),
            ...(said.refusal === undefined
              ? []
              : [delta("refusal", { ...at, content_index: said.text === undefined ? 0 : 1, delta: said.refusal })]),
          ],
        },
      ]),
  ...(said.calls ?? []).map((call) => ({
    item: { type: "function_call", id: `fc_${call.id}`, call_id: call.id, name: call.name, arguments: call.arguments },
    pieces: (at: Json) => [
      ...halvesOf(call.arguments).map((text) => delta("function_call_arguments", { ...at, delta: text })),
      frame("function_call_arguments.done", { ...at, arguments: call.arguments }),
    ],
  })),
];

/** The item as it begins: nothing of it is said yet. */
const begun = (item: Json): Json => ({
  ...item,
  status: "in_progress",
  ...("content" in item ? { content: [] } : {}),
  ...("summary" in item ? { summary: [], encrypted_content: undefined } : {}),
  ...("arguments" in item ? { arguments: "" } : {}),
});

const usage = {
  input_tokens: COUNTED.input,
  output_tokens: COUNTED.output,
  total_tokens: COUNTED.input + COUNTED.output,
};

const wholeOf = (said: Said): Json => {
  const reason = said.finish === "length" ? "max_output_tokens" : "content_filter";
  const isCut = said.finish === "length" || (said.finish === "refusal" && said.refusal === undefined);
  return {
    id: "resp_1",
    object: "response",
    status: isCut ? "incomplete" : "completed",
    ...(isCut ? { incomplete_details: { reason } } : {}),
    output: itemsOf(said).map(({ item }) => item),
    usage,
  };
};

const eventsOf = (said: Said): readonly Event[] => {
  const whole = wholeOf(said);
  return [
    frame("created", { response: { id: "resp_1", status: "in_progress", output: [] } }),
    ...itemsOf(said).flatMap(({ item, pieces }, output_index) => [
      frame("output_item.added", { output_index, item: begun(item) }),
      ...pieces({ output_index, item_id: item["id"] }),
      frame("output_item.done", { output_index, item }),
    ]),
    frame(String(whole["status"]), { response: whole }),
  ];
};

const CODES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "invalid_api_key",
  402: "billing_hard_limit_reached",
  404: "model_not_found",
  429: "rate_limit_exceeded",
  503: "server_is_overloaded",
};

const codeOf = (status: number): string => CODES[status] ?? "server_error";

/** OpenAI's Responses format with encrypted reasoning. */
export const responsesBodies: WireBodies = {
  wire: "codex_responses",
  target: {
    quirks: { encryptedReasoning: true, reasoningField: "reasoning" },
  },
  path: "/v1",
  streamType: "text/event-stream; charset=utf-8",
  stream: (said, change) =>
    eventsOf(said).map(({ value, says }) => ({
      bytes: sseEvent(value, { name: String(value["type"]), ...(change === undefined ? {} : { change }) }),
      says,
    })),
  plain: (said) => JSON.stringify(wholeOf(said)),
  keepAlives: [
    bytesOf(": keepalive\n\n"),
    sseEvent({ type: "keepalive", sequence_number: 3 }),
    sseEvent({ type: "response.in_progress", response: { id: "resp_1", status: "in_progress" } }),
  ],
  bareEnd: sseEvent(
    { type: "response.completed", response: { id: "resp_1", status: "completed", output: [], usage } },
    { name: "response.completed" },
  ),
  errorEvent: ({ status, message }) =>
    sseEvent(
      {
        type: "response.failed",
        response: { id: "resp_1", status: "failed", error: { code: codeOf(status), message } },
      },
      { name: "response.failed" },
    ),
  failure: ({ status, message }) => ({
    body: JSON.stringify({ error: { message, type: codeOf(status), param: null, code: codeOf(status) } }),
    headers: { "x-request-id": "req_1" },
  }),
};
