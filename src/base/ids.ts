import { randomBytes } from "node:crypto";

declare const brand: unique symbol;

/** A value that was checked once and may not be mixed up with another of the same shape. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** A session's id: `YYYYMMDD_HHMMSS_<6 hex>` in UTC, or an imported id of `[A-Za-z0-9_.:-]{1,128}`. */
export type SessionId = Brand<string, "SessionId">;
/** A stored message's id, `msg_…`. */
export type MessageId = Brand<string, "MessageId">;
/** A turn's id, `trn_…`. */
export type TurnId = Brand<string, "TurnId">;
/** A background process's id, `proc_…`. */
export type ProcessId = Brand<string, "ProcessId">;
/** The id of a question that waits for a person, `ask_…`. */
export type QuestionId = Brand<string, "QuestionId">;
/** What a person is in: `cli:<first session id>`, `telegram:dm:42`, … */
export type ConversationKey = Brand<string, "ConversationKey">;

const IMPORTED_SESSION_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Takes a session id as it stands in a database row or another system's file; undefined if it cannot be one. */
export const parseSessionId = (text: string): SessionId | undefined =>
  IMPORTED_SESSION_ID.test(text) ? (text as SessionId) : undefined;

/** A new session id for the given wall time (ms UTC). People type prefixes of it. */
export const newSessionId = (now: number): SessionId => {
  const stamp = new Date(now).toISOString().replace(/[-:]/g, "").replace("T", "_").slice(0, 15);
  return `${stamp}_${randomBytes(3).toString("hex")}` as SessionId;
};

type Prefixed = { msg: MessageId; trn: TurnId; proc: ProcessId; ask: QuestionId };

/** A new prefixed id that sorts by time: prefix, 9 characters of base-36 milliseconds, 10 random hex characters. */
export const newId = <P extends keyof Prefixed>(prefix: P, now: number): Prefixed[P] =>
  `${prefix}_${now.toString(36).padStart(9, "0")}${randomBytes(5).toString("hex")}` as Prefixed[P];

/** Takes a prefixed id from a row or a tool argument; undefined if it is none of that kind. */
export const parseId = <P extends keyof Prefixed>(prefix: P, text: string): Prefixed[P] | undefined =>
  new RegExp(`^${prefix}_[0-9a-z]{1,40}$`).test(text) ? (text as Prefixed[P]) : undefined;

/** When a prefixed id was made, ms UTC; undefined for another text. */
export const timeOfId = (id: string): number | undefined => {
  const digits = /^[a-z]+_([0-9a-z]{9})[0-9a-f]{10}$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 36);
};

/** The key of the conversation that a terminal session starts. */
export const cliConversationKey = (first: SessionId): ConversationKey => `cli:${first}` as ConversationKey;
