import type { FinishReason } from "../../message.ts";

/** What a `finishReason` means: an end of the answer, or that there is no answer in what came. */
export type Ending = { readonly kind: "finish"; readonly reason: FinishReason } | { readonly kind: "broken" };

const REFUSAL: Ending = { kind: "finish", reason: "refusal" };
const BROKEN: Ending = { kind: "broken" };

/** By name; what is not known counts as an ordinary end. */
const ENDINGS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ["MAX_TOKENS", { kind: "finish", reason: "length" }],
  // The provider's own tools went on for too long, and the answer is not whole.
  ["TOO_MANY_TOOL_CALLS", { kind: "finish", reason: "length" }],
  ["SAFETY", REFUSAL],
  ["RECITATION", REFUSAL],
  ["LANGUAGE", REFUSAL],
  ["BLOCKLIST", REFUSAL],
  ["PROHIBITED_CONTENT", REFUSAL],
  ["SPII", REFUSAL],
  ["MODEL_ARMOR", REFUSAL],
  ["IMAGE_SAFETY", REFUSAL],
  ["IMAGE_PROHIBITED_CONTENT", REFUSAL],
  ["IMAGE_RECITATION", REFUSAL],
  // The model's own slips: it may well do better the next time.
  ["MALFORMED_FUNCTION_CALL", BROKEN],
  ["UNEXPECTED_TOOL_CALL", BROKEN],
  ["MALFORMED_RESPONSE", BROKEN],
]);

/** The names by their numbers in the API's description, which some gateways send. */
const NAMES: readonly (string | undefined)[] = [
  undefined,
  "STOP",
  "MAX_TOKENS",
  "SAFETY",
  "RECITATION",
  "OTHER",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MALFORMED_FUNCTION_CALL",
  "IMAGE_SAFETY",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_OTHER",
  "NO_IMAGE",
  "IMAGE_RECITATION",
];

/** The name of a `finishReason`; undefined while the answer goes on. */
export const finishName = (value: unknown): string | undefined => {
  const name = typeof value === "number" ? NAMES[value] : value;
  return typeof name === "string" && name !== "" && name !== "FINISH_REASON_UNSPECIFIED" ? name : undefined;
};

/** What an end of that name means. An ordinary one beside calls is theirs. */
export const endingOf = (name: string, hasCalls: boolean): Ending =>
  ENDINGS.get(name) ?? { kind: "finish", reason: hasCalls ? "tool_calls" : "stop" };
