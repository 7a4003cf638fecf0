import type { Message } from "../../llm/message.ts";
import { isSummary } from "./summary-message.ts";
import { unitsOf, type Unit } from "./units.ts";

/** How much is kept, in messages and tokens. */
export interface CutLimits {
  readonly headMessages: number;
  readonly headTokens: number;
  /** The tail has at least this many messages … */
  readonly tailMessages: number;
  /** … as long as they take no more than this. */
  readonly mostTailTokens: number;
  /** What the tail may take beyond that many messages. */
  readonly tailTokens: number;
}

export interface CutInput {
  readonly messages: readonly Message[];
  /** Tokens of a message as it stands. */
  readonly size: (index: number) => number;
  /** Tokens of a message as it would stand outside the tail. */
  readonly prunedSize: (index: number) => number;
  readonly limits: CutLimits;
}

/** What is kept: the messages before `headEnd`, those from `tailStart` on, and the one at `anchor`. */
export interface Cut {
  readonly headEnd: number;
  readonly tailStart: number;
  /** The person's newest message, where it is neither in the head nor in the tail. */
  readonly anchor: number | undefined;
}

/** Where the person spoke last; of the program's own words none counts while there is one of the person's. -1 = nowhere. */
export const newestUserMessage = (messages: readonly Message[]): number => {
  const byPerson = messages.findLastIndex((message) => message.role === "user" && message.origin.surface !== "hermes");
  if (byPerson >= 0) return byPerson;
  return messages.findLastIndex((message) => message.role === "user" && !isSummary(message));
};

/** Decides what stays. The newest unit always does, however large it is. Never cuts inside a unit (B19). */
export const planCut = (input: CutInput): Cut => {
  const units = unitsOf(input.messages);
  const anchor = newestUserMessage(input.messages);
  const tailStart = startOfTail(input, units, anchor);
  const headEnd = endOfHead(input, units, tailStart);
  return { headEnd, tailStart, anchor: anchor >= headEnd && anchor < tailStart ? anchor : undefined };
};

const sum = ({ start, end }: Unit, size: (index: number) => number): number => {
  let total = 0;
  for (let index = start; index < end; index += 1) total += size(index);
  return total;
};

const startOfTail = ({ messages, size, limits }: CutInput, units: readonly Unit[], anchor: number): number => {
  // The person's message is kept in any case, so its place is taken before anything else's.
  let used = anchor < 0 ? 0 : size(anchor);
  let start = messages.length;
  for (const unit of units.toReversed()) {
    const holdsAnchor = unit.start <= anchor && anchor < unit.end;
    const next = used + sum(unit, size) - (holdsAnchor ? size(anchor) : 0);
    const isShort = messages.length - start < limits.tailMessages;
    const isNewest = start === messages.length;
    if (!isNewest && next > (isShort ? limits.mostTailTokens : limits.tailTokens)) break;
    used = next;
    start = unit.start;
  }
  return start;
};

const endOfHead = ({ messages, prunedSize, limits }: CutInput, units: readonly Unit[], tailStart: number): number => {
  let used = 0;
  let headEnd = 0;
  for (const unit of units) {
    used += sum(unit, prunedSize);
    const isFull = unit.start >= limits.headMessages || unit.end > tailStart || used > limits.headTokens;
    // What an earlier compression put there is brought up to date, not kept for ever.
    if (isFull || messages.slice(unit.start, unit.end).some(isSummary)) break;
    headEnd = unit.end;
  }
  return headEnd;
};
