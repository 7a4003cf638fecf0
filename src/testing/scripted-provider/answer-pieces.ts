import type { CompleteAnswer, RecordedRequest } from "./script.ts";

/** What every chunk of one answer repeats. */
export interface AnswerHead {
  readonly id: string;
  readonly model: string;
}

/** Tokens as the simulated provider counts them. */
export interface CountedTokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number | undefined;
  readonly reasoning?: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Texts as the pieces in which they stream: a list is one, a text is cut after each word. */
const piecesOf = (text: string | readonly string[] | undefined): readonly string[] => {
  if (text === undefined) return [];
  return typeof text === "string" ? (text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? []) : text;
};

const whole = (text: string | readonly string[] | undefined): string => piecesOf(text).join("");

const argumentsOf = (given: string | Json): string => (typeof given === "string" ? given : JSON.stringify(given));

const callId = (answer: AnswerHead, position: number, given: string | undefined): string =>
  given ?? `call_${answer.id}_${position}`;

const finishOf = (answer: CompleteAnswer): string | null => {
  if (answer.finish !== undefined) return answer.finish;
  return answer.toolCalls.length > 0 ? "tool_calls" : "stop";
};

const usageOf = ({ prompt, completion, cached, reasoning }: CountedTokens): Json => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
});

const asksForUsage = (request: RecordedRequest): boolean =>
  JSON.stringify(request.body.stream_options ?? null).includes('"include_usage":true');

/** An answer, who gives it, and what it is counted as (undefined = usage is not sent). */
export interface Telling {
  readonly answer: CompleteAnswer;
  readonly head: AnswerHead;
  readonly tokens: CountedTokens | undefined;
}

/** The answer as the JSON values of a stream, in order; the end mark is not among them. */
export const streamPieces = ({ answer, head, tokens }: Telling, request: RecordedRequest): readonly Json[] => {
  const chunk = (choices: readonly Json[], more: Json = {}): Json => ({
    id: head.id,
    object: "chat.completion.chunk",
    created: 0,
    model: head.model,
    choices,
    ...more,
  });
  const delta = (fields: Json): Json => chunk([{ index: 0, delta: fields, finish_reason: null }]);
  const finish = finishOf(answer);
  return [
    delta({ role: "assistant", content: "" }),
    ...reasoningDeltas(answer).map(delta),
    ...piecesOf(answer.text).map((content) => delta({ content })),
    ...(answer.refusal === undefined ? [] : [delta({ refusal: answer.refusal })]),
    ...callDeltas(answer, head).map((call) => delta({ tool_calls: [call] })),
    ...(finish === null ? [] : [chunk([{ index: 0, delta: {}, finish_reason: finish }])]),
    ...(tokens !== undefined && asksForUsage(request) ? [chunk([], { usage: usageOf(tokens) })] : []),
  ];
};

const reasoningDeltas = (answer: CompleteAnswer): readonly Json[] => {
  const pieces = piecesOf(answer.reasoning);
  if (pieces.length === 0) return [];
  if (answer.reasoningIn !== "think_tags") return pieces.map((text) => ({ [answer.reasoningIn]: text }));
  return ["<thi", "nk>", ...pieces, "</", "think>", "\n\n"].map((content) => ({ content }));
};

const callDeltas = (answer: CompleteAnswer, head: AnswerHead): readonly Json[] =>
  answer.toolCalls.flatMap((call, position) => {
    const index = answer.sharedIndex ? 0 : position;
    const text = argumentsOf(call.arguments);
    const half = Math.ceil(text.length / 2);
    return [
      { index, id: callId(head, position, call.id), type: "function", function: { name: call.name, arguments: "" } },
      { index, function: { arguments: text.slice(0, half) } },
      { index, function: { arguments: text.slice(half) } },
    ];
  });

/** The answer as one JSON object. */
export const wholeAnswer = ({ answer, head, tokens }: Telling): Json => {
  const reasoning = whole(answer.reasoning);
  const tagged = answer.reasoningIn === "think_tags" && reasoning !== "" ? `<think>${reasoning}</think>\n\n` : "";
  const content = tagged + whole(answer.text);
  return {
    id: head.id,
    object: "chat.completion",
    created: 0,
    model: head.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: content === "" ? null : content,
          ...(reasoning !== "" && tagged === "" ? { [answer.reasoningIn]: reasoning } : {}),
          ...(answer.refusal === undefined ? {} : { refusal: answer.refusal }),
          ...(answer.toolCalls.length === 0 ? {} : { tool_calls: wholeCalls(answer, head) }),
        },
        finish_reason: finishOf(answer),
      },
    ],
    ...(tokens === undefined ? {} : { usage: usageOf(tokens) }),
  };
};

const wholeCalls = (answer: CompleteAnswer, head: AnswerHead): readonly Json[] =>
  answer.toolCalls.map((call, position) => ({
    id: callId(head, position, call.id),
    type: "function",
    function: { name: call.name, arguments: argumentsOf(call.arguments) },
  }));
