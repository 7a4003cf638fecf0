import { textOf } from "../../llm/message.ts";
import type { LeaseHolder, SessionLookup, SessionRecord, StoredMessage } from "../../store/store.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Conversation } from "./conversation.ts";
import { copySession, type CopyRequest } from "./copy-session.ts";
import { isFromPerson } from "./history-entries.ts";

/** What became of a wish for a new session. Of a title that is taken nothing comes: the conversation stays where it is. */
export type NewSessionOutcome = { readonly kind: "started" } | { readonly kind: "taken"; readonly by: SessionId };

/** Ends this session and begins an empty one. */
export const startNew = async (conversation: Conversation, title: string | undefined): Promise<NewSessionOutcome> => {
  const { store } = conversation;
  const next = await conversation.open({ kind: "new" });
  try {
    const named = title === undefined ? undefined : await store.sessions.setTitle(next.record.id, title, "user");
    if (named?.kind === "taken") {
      await next[Symbol.asyncDispose]();
      return { kind: "taken", by: named.by };
    }
    await conversation.moveTo(next, { reason: "new_session" });
  } catch (error) {
    await next[Symbol.asyncDispose]();
    throw error;
  }
  return { kind: "started" };
};

/** What became of a wish for an earlier session. */
export type ResumeResult =
  | { readonly kind: "resumed"; readonly followed: SessionId | null }
  | Exclude<SessionLookup, { kind: "found" }>
  | { readonly kind: "busy"; readonly holder: LeaseHolder };

/** Goes on in another session, named by id, title or the beginning of an id (R-SESS-1). The one that is open already stays open. */
export const resumeSession = async (conversation: Conversation, name: string): Promise<ResumeResult> => {
  const { store } = conversation;
  const found = await store.sessions.lookup(name);
  if (found.kind !== "found") return found;
  const { session, followed } = found;
  if (session.id === conversation.record().id) return { kind: "resumed", followed };
  const holder = await store.leases.holder(session.id);
  if (holder !== undefined) return { kind: "busy", holder };
  const next = await conversation.open({ kind: "named", name: session.id });
  await conversation.moveTo(next, { reason: "resumed_other" });
  return { kind: "resumed", followed };
};

/** Goes on in a copy of this session; of one in which nothing was said, in a new one. */
export const branchSession = async (conversation: Conversation, title: string | undefined): Promise<SessionRecord> => {
  await conversation.refresh();
  await continueInCopy(conversation, { throughSeq: conversation.record().messageCount, title });
  return conversation.record();
};

/**
 * Takes back the person's last message and everything after it: the conversation goes on in a copy that ends before it, and
 * the whole stays in the store as its parent. Gives the text, raw where it was said in this process; undefined = there was none.
 */
export const undoLast = async (conversation: Conversation): Promise<{ readonly text: string } | undefined> => {
  const messages = await conversation.store.messages.load(conversation.record().id);
  const last = messages.findLast(isFromPerson);
  return last === undefined ? undefined : await undoFrom(conversation, last);
};

/**
 * Takes back the first message that the person sent from `since` (ms UTC) on, and everything after it, as `undoLast` does with the last one. Undefined = there
 * was none.
 */
export const undoSince = async (
  conversation: Conversation,
  since: number,
): Promise<{ readonly text: string } | undefined> => {
  const messages = await conversation.store.messages.load(conversation.record().id);
  const first = messages.find((message) => isFromPerson(message) && message.createdAt >= since);
  return first === undefined ? undefined : await undoFrom(conversation, first);
};

const undoFrom = async (conversation: Conversation, message: StoredMessage): Promise<{ readonly text: string }> => {
  const text = conversation.raw().at(message.seq) ?? textOf(message);
  const { conversation: key } = conversation.record();
  await continueInCopy(conversation, { throughSeq: message.seq - 1, conversation: key });
  return { text };
};

type Copied = Pick<CopyRequest, "throughSeq" | "title" | "conversation">;

const continueInCopy = async (conversation: Conversation, copied: Copied): Promise<void> => {
  const { store, host } = conversation;
  const from = conversation.record();
  const { provider, model } = conversation.model().info;
  const child = await copySession(store, { ...copied, from, provider, model });
  const cwd = conversation.session().tools.shell.cwd();
  host.shells.continueAs(from.id, child.id);
  try {
    const next = await conversation.open({ kind: "named", name: child.id }, { cwd });
    await conversation.moveTo(next, {
      reason: "branched",
      copiedTexts: conversation.raw().before(copied.throughSeq + 1),
    });
  } catch (error) {
    if (conversation.record().id === from.id) {
      host.shells.continueAs(child.id, from.id);
      await store.sessions.delete([child.id]);
    }
    throw error;
  }
};
