import type { CallOptions, ModelClient } from "../llm/model-client.ts";
import { textOf } from "../llm/message.ts";
import { sliceCharacters } from "../base/slice-characters.ts";

const INSTRUCTIONS =
  "Write a title of three to seven words for this conversation, in its language. Answer with the title alone: no quotes, no full stop.";

/** How much of each side the model is shown. */
const SHOWN_CHARS = 1_000;
/** A title that is longer is none: the model has answered something else. */
const LONGEST_TITLE = 80;

/** What a conversation begins with, masked. */
export interface Opening {
  readonly asked: string;
  readonly answered: string;
}

/** Asks a model for a title; undefined = it gave none. Never throws. */
export const writeTitle = async (
  client: ModelClient,
  { asked, answered }: Opening,
  options: CallOptions,
): Promise<string | undefined> => {
  const text = `They ask:\n${sliceCharacters(asked, 0, SHOWN_CHARS)}\n\nThe answer:\n${sliceCharacters(answered, 0, SHOWN_CHARS)}`;
  const request = {
    system: INSTRUCTIONS,
    messages: [{ role: "user", parts: [{ type: "text", text }], origin: { surface: "hermes" } }],
    tools: [],
    maxOutputTokens: 1_000,
  } as const;
  for await (const event of client.call(request, options)) {
    if (event.type === "done") return cleanTitle(textOf(event.message));
  }
  return undefined;
};

const QUOTES = /^["'“”„«»‘’`*#\s]+|["'“”„«»‘’`*.\s]+$/gu;

const cleanTitle = (text: string): string | undefined => {
  const [line = "", ...more] = text.trim().split(/\s*\n+\s*/u);
  const title = line.replaceAll(QUOTES, "").replaceAll(/\s+/gu, " ");
  return title === "" || more.length > 0 || title.length > LONGEST_TITLE ? undefined : title;
};
