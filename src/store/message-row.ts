import type { MessageId } from "../base/ids.ts";
import type { Message } from "../llm/message.ts";
import type { StoredMessage } from "./store.ts";
import type { MessageTable } from "./tables.ts";

/**
 * A message's row holds the whole message as JSON, tool results and opaque items of any size included: one file per large text
 * would make a load read thousands of files, and the text could not be committed together with its row. Only image bytes stand
 * apart, in the blob store. JSON escapes what SQLite text cannot hold (lone surrogates), so every message comes back exactly.
 */
export const encodeBody = (message: Message): string => JSON.stringify(message);

/** The columns that make a stored message. */
export type BodyRow = Pick<MessageTable, "id" | "seq" | "created_at" | "body">;

/** Reads what `encodeBody` wrote; rows of our own need no check (decision 14). */
export const decodeBody = (body: string): Message => JSON.parse(body) as Message;

/** A whole stored message. */
export const decodeRow = (row: BodyRow): StoredMessage =>
  Object.assign(decodeBody(row.body), { id: row.id as MessageId, seq: row.seq, createdAt: row.created_at });

/** Most text of one message that is searched, in UTF-16 units. */
const LONGEST_SEARCHED = 64 * 1_024;

/** What search looks into: what the person and the model wrote and what tools answered; not reasoning, not arguments. */
export const searchableText = (message: Message): string => {
  if (isProgramsOwn(message)) return "";
  const texts = message.parts.flatMap((part) => {
    if (part.type === "text") return [part.text];
    return part.type === "tool_result" ? part.content.map((item) => (item.type === "text" ? item.text : "")) : [];
  });
  return texts.join("\n").slice(0, LONGEST_SEARCHED);
};

/** Summaries and notes of the program, and the words between: what they repeat stands where it was said. */
const isProgramsOwn = (message: Message): boolean =>
  message.role === "user"
    ? message.origin.surface === "hermes"
    : message.role === "assistant" && message.provider === "hermes";

/** The blobs that a message shows, each once. */
export const blobHashesOf = (message: Message): readonly string[] => {
  const images = message.parts.flatMap((part) => {
    if (part.type === "image") return [part];
    return part.type === "tool_result" ? part.content.filter((item) => item.type === "image") : [];
  });
  return [...new Set(images.map((image) => image.hash))];
};
