import { bytesOf, COUNTED, halvesOf, sseEvent, wordsOf, type Said, type WireBodies } from "./wire-body.ts";

type Json = Readonly<Record<string, unknown>>;

const FINISH = { stop: "stop", tool_calls: "tool_calls", length: "length", refusal: "content_filter" } as const;

const head = { id: "gen-1", created: 0, model: "m-1" };
const usage = {
  prompt_tokens: COUNTED.input,
  completion_tokens: COUNTED.output,
  total_tokens: COUNTED.input + COUNTED.output,
};

const chunk = (choices: readonly Json[], more: Json = {}): Json => ({
  ...head,
  object: "chat.completion.chunk",
  choices,
  ...more,
});

const delta = (fields: Json): Json => chunk([{ index: 0, delta: fields, finish_reason: null }]);

const detail = (fields: Json): Json => ({ type: "reasoning.text", index: 0, format: "anthropic-claude-v1", ...fields });

/** Events that add to the answer, and those that frame it. */
const eventsOf = (said: Said): readonly { readonly value: Json; readonly says: boolean }[] => [
  { value: delta({ role: "assistant", content: "" }), says: false },
  ...wordsOf(said.reasoning ?? "").map((text) => ({
    value: delta({ reasoning: text, reasoning_details: [detail({ text })] }),
    says: true,
  })),
  ...(said.signature === undefined
    ? []
    : [{ value: delta({ reasoning_details: [detail({ signature: said.signature })] }), says: true }]),
  ...wordsOf(said.text ?? "").map((content) => ({ value: delta({ content }), says: true })),
  ...(said.refusal === undefined ? [] : [{ value: delta({ refusal: said.refusal }), says: true }]),
  ...(said.calls ?? []).flatMap((call, index) => [
    {
      value: delta({
        tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }],
      }),
      says: false,
    },
    ...halvesOf(call.arguments).map((piece) => ({
      value: delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      says: true,
    })),
  ]),
  { value: chunk([{ index: 0, delta: {}, finish_reason: FINISH[said.finish] }]), says: false },
  { value: chunk([], { usage }), says: false },
];

const DONE = bytesOf("data: [DONE]\n\n");

const errorOf = ({ status, message }: { readonly status: number; readonly message: string }): Json => ({
  error: { message, type: status === 429 ? "rate_limit_error" : "error", code: status },
});

/** OpenAI's chat completions with OpenRouter's signed reasoning. */
export const chatCompletionsBodies: WireBodies = {
  wire: "chat_completions",
  target: {},
  path: "/v1",
  streamType: "text/event-stream",
  stream: (said, change) => [
    ...eventsOf(said).map(({ value, says }) => ({
      bytes: sseEvent(value, change === undefined ? {} : { change }),
      says,
    })),
    { bytes: DONE, says: false },
  ],
  plain: (said) =>
    JSON.stringify({
      ...head,
      object: "chat.completion",
      choices: [
        {
          index: 0,
          finish_reason: FINISH[said.finish],
          message: {
            role: "assistant",
            content: said.text ?? null,
            ...(said.refusal === undefined ? {} : { refusal: said.refusal }),
            ...(said.reasoning === undefined ? {} : { reasoning: said.reasoning }),
            ...(said.signature === undefined
              ? {}
              : { reasoning_details: [detail({ text: said.reasoning, signature: said.signature })] }),
            ...(said.calls === undefined
              ? {}
              : {
                  tool_calls: said.calls.map(({ id, name, arguments: args }) => ({
                    id,
                    type: "function",
                    function: { name, arguments: args },
                  })),
                }),
          },
        },
      ],
      usage,
    }),
  keepAlives: [
    bytesOf(": OPENROUTER PROCESSING\n\n"),
    bytesOf("data: {}\n\n"),
    sseEvent(delta({ content: "" })),
    sseEvent(delta({ content: " " })),
  ],
  bareEnd: DONE,
  errorEvent: (failure) => sseEvent(errorOf(failure)),
  failure: (failure) => ({ body: JSON.stringify(errorOf(failure)), headers: {} }),
};
