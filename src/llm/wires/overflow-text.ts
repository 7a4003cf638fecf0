/** What a provider's words say about the model's window. Only words: structured fields are read before these. */

const OUT_OF_MEMORY =
  /\bout of memory\b|memory guard|insufficient memory|not enough memory|failed to allocate|unable to allocate|cudaMalloc|CUDA error|requires more (?:system )?memory|\bOOM\b/i;

/** Whether the server itself is short of memory, which no shorter conversation cures for long (B15). */
export const saysOutOfMemory = (text: string): boolean => OUT_OF_MEMORY.test(text);

const OVERFLOW: readonly RegExp[] = [
  /maximum context length/i,
  /context (?:window|length|size)[^.]{0,40}exceed/i,
  /exceed[^.]{0,60}context (?:window|length|size|limit)/i,
  /(?:larger|longer|greater) than[^.]{0,40}context/i,
  /prompt (?:is|was) too long/i,
  /input (?:is|was) too long/i,
  /too many (?:input |prompt )?tokens/i,
  /input tokens? exceed/i,
  /(?:input|prompt) token count[^.]{0,40}exceed/i,
  /token count[^.]{0,40}only supports up to/i,
  /exceeds? the maximum (?:number of )?(?:input )?tokens/i,
  /reduce the length of (?:the |your )?(?:messages|prompt|input)/i,
];

/**
 * The account's tier ends before the model's window does (Anthropic, as 429): no wait helps, a shorter conversation does. The
 * standard tier's bound is documented; the error does not repeat it.
 */
const TIER_ENDS = /extra usage is required for long context/i;
const STANDARD_TIER_TOKENS = 200_000;

/** Whether the words say that the request is longer than the account may send, whatever the status says. */
export const saysTierEnds = (text: string): boolean => TIER_ENDS.test(text);

/** Whether the words say that the request does not fit the model's window. */
export const saysOverflow = (text: string): boolean => OVERFLOW.some((pattern) => pattern.test(text));

const TOKENS = "(\\d{1,3}(?:[, _]\\d{3})+|\\d+)";

/**
 * Sentences that name the window itself. A number beside "exceeds limit" alone is a code or a difference as often as a
 * limit (B14), and the request's own size stands in most of these texts too (B13): neither is taken.
 */
const STATED: readonly RegExp[] = [
  new RegExp(`maximum context (?:length|window|size) (?:is|of) (?:only )?${TOKENS} tokens`, "i"),
  new RegExp(`context (?:size|window|length) \\(${TOKENS}(?: tokens)?\\)`, "i"),
  new RegExp(`context (?:size|window|length) (?:is|of) (?:only )?${TOKENS}(?: tokens)?\\b`, "i"),
  new RegExp(`\\d tokens > ${TOKENS} maximum`, "i"),
  new RegExp(`context limit: \\d+ \\+ \\d+ > ${TOKENS}`, "i"),
  new RegExp(`maximum number of tokens allowed \\(${TOKENS}\\)`, "i"),
  new RegExp(`token count is \\d+ but (?:the )?model only supports up to ${TOKENS}`, "i"),
];

/** Smallest window that is believed, in tokens: below it the number is no window. */
const SMALLEST_WINDOW = 256;

/** The window in tokens that the words state beyond doubt. */
export const readStatedWindow = (text: string): number | undefined => {
  if (saysTierEnds(text)) return STANDARD_TIER_TOKENS;
  for (const pattern of STATED) {
    const found = pattern.exec(text)?.[1];
    if (found === undefined) continue;
    const window = Number(found.replaceAll(/[, _]/g, ""));
    if (window >= SMALLEST_WINDOW) return window;
  }
  return undefined;
};
