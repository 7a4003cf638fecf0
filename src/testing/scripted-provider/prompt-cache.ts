import type { CountedTokens } from "./answer-pieces.ts";
import type { CompleteAnswer, RecordedRequest } from "./script.ts";

const CHARS_PER_TOKEN = 4;

const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

const commonPrefix = (a: string, b: string): number => {
  const shorter = Math.min(a.length, b.length);
  let length = 0;
  while (length < shorter && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
};

/** What a provider's cache looks at: tools first, then the messages. */
const cachedText = ({ body }: RecordedRequest): string => JSON.stringify([body.tools ?? [], body.messages ?? []]);

/** Counts an answer's tokens from sizes; what an earlier request began with as well counts as read from the cache. */
export const simulateUsage = (
  answer: CompleteAnswer,
  request: RecordedRequest,
  earlier: readonly RecordedRequest[],
): CountedTokens => {
  const text = cachedText(request);
  const shared = Math.max(0, ...earlier.map((before) => commonPrefix(cachedText(before), text)));
  const said = JSON.stringify([answer.reasoning ?? "", answer.text ?? "", answer.toolCalls]);
  return { prompt: tokens(text.length), completion: tokens(said.length), cached: Math.floor(shared / CHARS_PER_TOKEN) };
};
