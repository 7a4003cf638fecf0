import type { Message } from "../../llm/message.ts";

/**
 * What a message is filtered by, as tokens of the index's column `tags`: a filter is then one more word to find, and a rare one
 * makes a search faster. Private-use characters begin them, so that no prefix of a word reads their entries.
 */
export interface MessageTags {
  readonly role: Message["role"];
  readonly source: string;
  /** `sessions.n`. */
  readonly session: number;
}

// One character, because tokens of two and more are in the index of prefixes as well.
const ROLE_TAGS: Readonly<Record<Message["role"], string>> = { user: "\uE010", assistant: "\uE011", tool: "\uE012" };

/** The token that messages of a role have. */
export const roleTag = (role: Message["role"]): string => ROLE_TAGS[role];

/** The token that messages of a session have. */
export const sessionTag = (session: number): string => `\uE014${session}`;

/** The token that messages of a source have; hexadecimal, because a source may be any text. */
export const sourceTag = (source: string): string => `\uE013${Buffer.from(source).toString("hex")}`;

/** The column `tags` of a message. */
export const indexTags = ({ role, source, session }: MessageTags): string =>
  `${roleTag(role)} ${sourceTag(source)} ${sessionTag(session)}`;
