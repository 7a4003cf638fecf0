import { streamMessage } from "../event-stream.ts";
import { bytesOf, COUNTED, halvesOf, wordsOf, type Said, type ToldFailure, type WireBodies } from "./wire-body.ts";

type Json = Readonly<Record<string, unknown>>;

interface Block {
  readonly whole: Json;
  readonly start: Json | undefined;
  readonly deltas: readonly Json[];
}

const FINISH = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  refusal: "content_filtered",
} as const;

const usage = {
  inputTokens: COUNTED.input,
  outputTokens: COUNTED.output,
  totalTokens: COUNTED.input + COUNTED.output,
};

const blocksOf = ({ reasoning, signature, text, refusal, calls = [] }: Said): readonly Block[] => [
  ...(reasoning === undefined
    ? []
    : [
        {
          whole: { reasoningContent: { reasoningText: { text: reasoning, signature } } },
          start: undefined,
          deltas: [
            ...wordsOf(reasoning).map((piece) => ({ reasoningContent: { text: piece } })),
            ...(signature === undefined ? [] : [{ reasoningContent: { signature } }]),
          ],
        },
      ]),
  ...[text, refusal].flatMap((words) =>
    words === undefined
      ? []
      : [{ whole: { text: words }, start: undefined, deltas: wordsOf(words).map((piece) => ({ text: piece })) }],
  ),
  ...calls.map(({ id, name, arguments: args }) => ({
    whole: { toolUse: { toolUseId: id, name, input: JSON.parse(args) as unknown } },
    start: { toolUse: { toolUseId: id, name } },
    deltas: halvesOf(args).map((input) => ({ toolUse: { input } })),
  })),
];

const eventsOf = (said: Said): readonly { readonly value: Json; readonly says: boolean }[] => [
  { value: { messageStart: { role: "assistant" } }, says: true },
  ...blocksOf(said).flatMap(({ start, deltas }, contentBlockIndex) => [
    ...(start === undefined ? [] : [{ value: { contentBlockStart: { contentBlockIndex, start } }, says: false }]),
    ...deltas.map((delta) => ({ value: { contentBlockDelta: { contentBlockIndex, delta } }, says: true })),
    { value: { contentBlockStop: { contentBlockIndex } }, says: false },
  ]),
  { value: { messageStop: { stopReason: FINISH[said.finish] } }, says: false },
  { value: { metadata: { usage, metrics: { latencyMs: 12 } } }, says: false },
];

const framed = (value: Json, change: (json: Uint8Array) => Uint8Array = (json) => json): Uint8Array => {
  const [name = "", fields] = Object.entries(value)[0] ?? [];
  const headers = { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
  return streamMessage(headers, change(bytesOf(JSON.stringify(fields))));
};

const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: "ValidationException",
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  429: "ThrottlingException",
  503: "ServiceUnavailableException",
};

const exceptionOf = ({ status }: ToldFailure): string => EXCEPTIONS[status] ?? "InternalServerException";

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Amazon's Converse API, called with keys of AWS. */
export const bedrockConverseBodies: WireBodies = {
  wire: "bedrock_converse",
  target: {
    credential: {
      kind: "aws",
      region: "us-east-1",
      accessKeyId: "AKIATEST0123456789AB",
      secretAccessKey: "aws-secret-0123456789abcdef0123456789abcd",
    },
    quirks: { imagesInResults: true, resultStatus: true, promptCache: "system_point" },
  },
  path: "",
  streamType: "application/vnd.amazon.eventstream",
  stream: (said, change) => eventsOf(said).map(({ value, says }) => ({ bytes: framed(value, change), says })),
  plain: (said) =>
    JSON.stringify({
      output: { message: { role: "assistant", content: blocksOf(said).map(({ whole }) => whole) } },
      stopReason: FINISH[said.finish],
      usage,
      metrics: { latencyMs: 12 },
    }),
  keepAlives: [
    framed({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: "" } } }),
    framed({ somethingNew: { still: "working" } }),
  ],
  bareEnd: Buffer.concat([
    framed({ messageStart: { role: "assistant" } }),
    framed({ messageStop: { stopReason: "end_turn" } }),
    framed({ metadata: { usage } }),
  ]),
  errorEvent: (failure) =>
    streamMessage(
      {
        ":exception-type": lowerFirst(exceptionOf(failure)),
        ":content-type": "application/json",
        ":message-type": "exception",
      },
      JSON.stringify({ message: failure.message }),
    ),
  failure: (failure) => ({
    body: JSON.stringify({ message: failure.message }),
    headers: { "x-amzn-errortype": `${exceptionOf(failure)}:http://internal.amazon.com/` },
  }),
};
