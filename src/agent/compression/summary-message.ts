import { textOf, type AssistantMessage, type Message, type UserMessage } from "../../llm/message.ts";

/** First line of a summary; the second is how older versions began theirs. */
const MARKERS = ["[CONTEXT COMPACTION — REFERENCE ONLY]", "[CONTEXT SUMMARY]:"] as const;

const INTRODUCTION =
  "Earlier messages of this conversation were taken out to save space. This is what they came to: background, nothing to answer, and what it calls done is not to be done again. What counts now comes after it.";

/** Under this heading stands what the person said, to the letter; always last. */
const WORD_FOR_WORD = "## The user's own words, oldest first";

/** The headings of a summary (compat §4.6), in their order. */
export const SUMMARY_HEADINGS = [
  "Active Task",
  "Goal",
  "Constraints & Preferences",
  "Completed Actions",
  "Active State",
  "In Progress",
  "Blocked",
  "Key Decisions",
  "Resolved Questions",
  "Pending User Asks",
  "Relevant Files",
  "Remaining Work",
  "Critical Context",
] as const;

/** What a summary holds. */
export interface Summary {
  readonly body: string;
  /** What the person said in the messages that it replaces, to the letter, the oldest first. */
  readonly quotes: readonly string[];
}

/** The message that stands in place of others. */
export const summaryMessage = ({ body, quotes }: Summary): UserMessage => {
  const said = quotes.length === 0 ? [] : [WORD_FOR_WORD, ...quotes.map(quoted)];
  const text = [`${MARKERS[0]}\n${INTRODUCTION}`, body, ...said].filter((piece) => piece !== "").join("\n\n");
  return { role: "user", parts: [{ type: "text", text }], origin: { surface: "hermes" } };
};

const quoted = (text: string): string => `> ${text.replaceAll("\n", "\n> ")}`;

/** Whether a message stands for others: this version's summaries and older ones', whoever is said to have written them. */
export const isSummary = (message: Message): boolean => markerOf(message) !== undefined;

const markerOf = (message: Message): string | undefined => {
  const [first] = message.parts;
  if (message.role === "tool" || first?.type !== "text") return undefined;
  return MARKERS.find((marker) => first.text.startsWith(marker));
};

/** Takes a summary apart; undefined = the message is none. */
export const readSummary = (message: Message): Summary | undefined => {
  const marker = markerOf(message);
  if (marker === undefined) return undefined;
  const text = textOf(message).slice(marker.length).trimStart();
  const told = text.startsWith(INTRODUCTION) ? text.slice(INTRODUCTION.length) : text;
  const at = told.lastIndexOf(`\n${WORD_FOR_WORD}\n`);
  if (at < 0) return { body: told.trim(), quotes: [] };
  return { body: told.slice(0, at).trim(), quotes: readQuotes(told.slice(at + WORD_FOR_WORD.length + 2)) };
};

const readQuotes = (text: string): readonly string[] =>
  text
    .split(/\n(?!>)/)
    .map((block) => block.trimStart())
    .filter((block) => block.startsWith("> "))
    .map((block) => block.slice(2).replaceAll("\n> ", "\n"));

/** Who wrote the words between: no model. */
const WRITER = { provider: "hermes", model: "compression" } as const;

const spoken = (text: string): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "text", text }],
  ...WRITER,
  finish: "stop",
});

/** Stands between a summary and a user message: not every chat template takes two user messages in a row. */
const ACKNOWLEDGEMENT = "I have read the summary and go on from it.";
/** Stands behind a user message whose answer was taken out. */
const ANSWER_TAKEN_OUT = "[My answer was taken out; the summary says what it came to.]";

/** Whether a message only stands between others, put there by a compression. */
export const isFiller = (message: Message): boolean =>
  message.role === "assistant" && message.provider === WRITER.provider && message.model === WRITER.model;

/** Puts pieces of a conversation behind one another; where a user message would follow a user message, a word stands between. */
export const joinPieces = (pieces: readonly (readonly Message[])[]): readonly Message[] => {
  const joined: Message[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    if (before?.role === "user" && piece[0]?.role === "user") {
      joined.push(spoken(isSummary(before) ? ACKNOWLEDGEMENT : ANSWER_TAKEN_OUT));
    }
    for (const message of piece) joined.push(message);
  }
  return joined;
};
