import type { Message } from "../../llm/message.ts";

/** Messages that stay together: from `start` on, without `end`. */
export interface Unit {
  readonly start: number;
  readonly end: number;
}

/**
 * Divides a conversation into what may be kept or left out as one: a user message, or an answer with all results of its calls
 * (B19), also where a user message came between them. Linear: the search for results ends at the next answer.
 */
export const unitsOf = (messages: readonly Message[]): readonly Unit[] => {
  const units: Unit[] = [];
  let start = 0;
  let heldUntil = 0;
  for (const [index, { role }] of messages.entries()) {
    if (index > start && role !== "tool" && index >= heldUntil) {
      units.push({ start, end: index });
      start = index;
    }
    if (role === "assistant") heldUntil = endOfResults(messages, index);
  }
  if (start < messages.length) units.push({ start, end: messages.length });
  return units;
};

const endOfResults = (messages: readonly Message[], answer: number): number => {
  let end = answer + 1;
  for (let index = end; index < messages.length && messages[index]?.role !== "assistant"; index += 1) {
    if (messages[index]?.role === "tool") end = index + 1;
  }
  return end;
};
