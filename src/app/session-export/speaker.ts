import { isFiller, isSummary } from "../../agent/compression/summary-message.ts";
import type { Message } from "../../llm/message.ts";

/** Who speaks in a message, for people: the program's own words are not the owner's. */
export type Speaker = "you" | "hermes" | "tool" | "summary" | "note";

/** As headings of exports. */
export const SPEAKER_NAMES: Readonly<Record<Speaker, string>> = {
  you: "You",
  hermes: "Hermes",
  tool: "Tool",
  summary: "Summary of what was said before",
  note: "Note of the program",
};

/** Undefined = the message only stands between others, and nobody said it. */
export const speakerOf = (message: Message): Speaker | undefined => {
  if (message.role === "tool") return "tool";
  if (isFiller(message)) return undefined;
  if (message.role === "assistant") return "hermes";
  if (message.origin.surface !== "hermes") return "you";
  return isSummary(message) ? "summary" : "note";
};
