import { bytesOf, COUNTED, sseEvent, wordsOf, type Said, type WireBodies } from "./wire-body.ts";

type Json = Readonly<Record<string, unknown>>;

const FINISH = { stop: "STOP", tool_calls: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" } as const;

const usageMetadata = {
  promptTokenCount: COUNTED.input,
  candidatesTokenCount: COUNTED.output,
  totalTokenCount: COUNTED.input + COUNTED.output,
};

const callParts = ({ calls = [], signature }: Said): readonly Json[] =>
  calls.map(({ id, name, arguments: args }, at) => ({
    functionCall: { id, name, args: JSON.parse(args) as unknown },
    // Of parallel calls the first is signed.
    ...(signature !== undefined && at === 0 ? { thoughtSignature: signature } : {}),
  }));

const chunk = (parts: readonly Json[], more: Json = {}): Json => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
  modelVersion: "gemini-3-pro",
  responseId: "r-1",
});

const endOf = (said: Said): Json => ({
  finishReason: FINISH[said.finish],
  ...(said.refusal === undefined ? {} : { finishMessage: said.refusal }),
});

const eventsOf = (said: Said): readonly { readonly value: Json; readonly says: boolean }[] => [
  ...wordsOf(said.reasoning ?? "").map((text) => ({ value: chunk([{ text, thought: true }]), says: true })),
  ...wordsOf(said.text ?? "").map((text) => ({ value: chunk([{ text }]), says: true })),
  // Calls come whole, each with an id of its own: one that comes twice is the same call.
  ...callParts(said).map((part) => ({ value: chunk([part]), says: false })),
  { value: { ...chunk([{ text: "" }], endOf(said)), usageMetadata }, says: false },
];

const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

const errorOf = ({ status, message }: { readonly status: number; readonly message: string }): Json => ({
  error: { code: status, message, status: STATUS[status] ?? "UNKNOWN" },
});

/** Google's Gemini, whose signatures stand on calls. */
export const geminiBodies: WireBodies = {
  wire: "gemini",
  target: { model: "gemini-3-pro", quirks: { signedCalls: true, imagesInResults: true } },
  path: "/v1beta",
  streamType: "text/event-stream",
  stream: (said, change) =>
    eventsOf(said).map(({ value, says }) => ({
      bytes: sseEvent(value, change === undefined ? {} : { change }),
      says,
    })),
  plain: (said) => {
    const parts = [
      ...(said.reasoning === undefined ? [] : [{ text: said.reasoning, thought: true }]),
      ...(said.text === undefined ? [] : [{ text: said.text }]),
      ...callParts(said),
    ];
    return JSON.stringify({ ...chunk(parts, endOf(said)), usageMetadata });
  },
  keepAlives: [bytesOf(": ping\n\n"), bytesOf("data: {}\n\n"), sseEvent(chunk([{ text: "" }]))],
  bareEnd: sseEvent({ ...chunk([{ text: "" }], { finishReason: "STOP" }), usageMetadata }),
  errorEvent: (failure) => sseEvent(errorOf(failure)),
  failure: (failure) => ({ body: JSON.stringify(errorOf(failure)), headers: {} }),
};
