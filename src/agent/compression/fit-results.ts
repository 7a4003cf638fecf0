import type { Message, TextPart, ToolMessage } from "../../llm/message.ts";
import { shorten } from "./shorten.ts";

export interface ResultFit {
  readonly messages: readonly Message[];
  readonly size: (message: Message) => number;
  /** So many tokens must go. */
  readonly excess: number;
}

/** A result is not made shorter than this many tokens: less says nothing. */
const LEAST_RESULT = 100;

/**
 * Shortens the largest results until the excess is gone, all to about the same size; as far as that goes. Nothing but texts of
 * results changes, and those that fit are the same objects as before.
 */
export const fitResults = ({ messages, size, excess }: ResultFit): readonly Message[] => {
  const results = messages.filter((message) => message.role === "tool");
  const cap = capFor(results.map(size), excess);
  return messages.map((message) => {
    const tokens = message.role === "tool" ? size(message) : 0;
    return message.role === "tool" && tokens > cap ? shortenResult(message, cap / tokens) : message;
  });
};

/** The size above which each result must be cut to it so that all in all `excess` tokens go. */
const capFor = (sizes: readonly number[], excess: number): number => {
  let left = sizes.reduce((total, each) => total + each, 0) - excess;
  let among = sizes.length;
  for (const each of sizes.toSorted((a, b) => a - b)) {
    if (each > left / among) return Math.max(LEAST_RESULT, Math.floor(left / among));
    left -= each;
    among -= 1;
  }
  return Number.POSITIVE_INFINITY;
};

/** A little less than asked, since texts are not equally dense and the word on what is missing counts as well. */
const MARGIN = 0.85;

const shortenResult = (message: ToolMessage, part: number): ToolMessage => {
  const [result] = message.parts;
  const texts = result.content.filter((each): each is TextPart => each.type === "text").map(({ text }) => text);
  const whole = texts.join("\n");
  const text = `${shorten(whole, Math.floor(whole.length * part * MARGIN))}\n[This result was too long for what is left of the conversation's window; ask for a smaller part of it.]`;
  return { ...message, parts: [{ ...result, content: [{ type: "text", text }] }] };
};
