import type { Message, ToolResultPart, UserMessage } from "../../llm/message.ts";
import { nextTurn } from "../../base/event-loop-turn.ts";
import { LONGEST } from "./fit-record.ts";
import { CLEARED_RESULT } from "./prune.ts";
import { shorten } from "./shorten.ts";
import { isFiller, readSummary } from "./summary-message.ts";
import type { SummaryEntry } from "./summary-request.ts";

/** What the messages to be taken out hold, masked and shortened. */
export interface Material {
  /** The summaries among them, newest last; usually one. */
  readonly earlier: readonly string[];
  readonly entries: readonly SummaryEntry[];
  /** What the person said, to the letter, the oldest first; with what the earlier summaries quote. */
  readonly quotes: readonly string[];
  /** So many of the entries come from an earlier summary. */
  readonly quoted: number;
}

/** So many characters are masked before anything else may run. */
const CHARACTERS_AT_ONCE = 64 * 1024;

/** Reads what is to be summarised. Each text is masked as a whole and shortened then: half a secret looks like none. */
export const readMaterial = async (
  messages: readonly Message[],
  redact: (text: string) => string,
): Promise<Material> => {
  const earlier: string[] = [];
  const entries: SummaryEntry[] = [];
  const quotes: string[] = [];
  let characters = 0;
  let quoted = 0;
  const add = (by: SummaryEntry["by"], text: string): void => {
    if (text.trim() === "") return;
    characters += text.length;
    const masked = redact(text.toWellFormed());
    entries.push({ by, text: shorten(masked, LONGEST[by]) });
    if (by === "user") quotes.push(masked);
  };
  for (const message of messages) {
    if (characters > CHARACTERS_AT_ONCE) {
      await nextTurn();
      characters = 0;
    }
    const summary = readSummary(message);
    if (summary !== undefined) {
      if (summary.body !== "") earlier.push(redact(summary.body));
      for (const quote of summary.quotes) {
        add("user", quote);
        quoted += 1;
      }
    } else if (!isFiller(message)) for (const { by, text } of saidIn(message)) add(by, text);
  }
  return { earlier, entries, quotes, quoted };
};

const saidIn = (message: Message): readonly SummaryEntry[] => {
  switch (message.role) {
    case "user":
      return [{ by: message.origin.surface === "hermes" ? "note" : "user", text: userText(message) }];
    case "assistant":
      return [
        ...message.parts.flatMap((part): readonly SummaryEntry[] => {
          if (part.type === "text") return [{ by: "assistant", text: part.text }];
          return part.type === "tool_call" ? [{ by: "call", text: `${part.name} ${part.arguments}` }] : [];
        }),
        ...(message.refusal === undefined ? [] : [{ by: "assistant", text: `(refused) ${message.refusal}` } as const]),
      ];
    case "tool":
      return resultEntry(message.parts[0]);
  }
};

const userText = ({ parts }: UserMessage): string =>
  parts.map((part) => (part.type === "text" ? part.text : "[an image]")).join("\n");

const resultEntry = ({ name, outcome, content }: ToolResultPart): readonly SummaryEntry[] => {
  const text = content.map((part) => (part.type === "text" ? part.text : "[an image]")).join("\n");
  // Nothing is left of it but that there was a call, which stands before it.
  if (text === CLEARED_RESULT && outcome === "ok") return [];
  return [{ by: "result", text: `${name}${outcome === "ok" ? "" : ` (${outcome})`}: ${text}` }];
};
