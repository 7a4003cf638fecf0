import type { MessageId, SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { Message } from "../llm/message.ts";
import type { CallRecord, Lease, Store } from "../store/store.ts";

/**
 * One session's messages as this process works with them: raw in memory, masked in the store. Append only, so that each
 * request begins with the bytes of the one before.
 */
export interface Transcript {
  /** As the model sees them. */
  readonly messages: () => readonly Message[];
  /** The same messages, as they were said, and when. */
  readonly entries: () => readonly Entry[];
  /** What the provider counted for a request, and of how many of these messages it was; undefined = nothing is known. */
  readonly counted: () => CountedRequest | undefined;
  readonly setCounted: (counted: CountedRequest) => void;
  /** Reads the session again if another process has added to it since; call it with the lease held. */
  refresh(): Promise<void>;
  /** Commits a message, then keeps it. What it returns is on disk. */
  append(message: Message, options: { readonly lease: Lease; readonly call?: CallRecord }): Promise<SavedMessage>;
}

export interface CountedRequest {
  /** The whole request's. */
  readonly tokens: number;
  /** It carried so many of the messages, from the first. */
  readonly messages: number;
}

/** A message with what the model does not see of it. */
export interface Entry {
  /** What is stored, before its secrets are masked. */
  readonly message: Message;
  /** What the model sees: the same object for the same entry. */
  readonly shown: Message;
  /** ms UTC. */
  readonly createdAt: number;
}

export interface SavedMessage {
  readonly messageId: MessageId;
  readonly seq: number;
  readonly role: Message["role"];
}

export interface TranscriptDeps {
  readonly store: Pick<Store, "messages" | "sessions">;
  readonly session: SessionId;
  /** ms UTC; what was said before it was counted in another session's requests. */
  readonly startedAt: number;
  readonly redact: (message: Message) => Redacted<Message>;
  /** What the model sees of a message, where that is less than what is stored (`privacy.redact_pii`); the same for the same message. */
  readonly view: (message: Message) => Message;
  /** What the session holds, where that is known; absent = it is read at the first `refresh`. */
  readonly known?: readonly Entry[];
}

/** A transcript that loads on first `refresh`. */
export const createTranscript = (deps: TranscriptDeps): Transcript => {
  const { store, session, startedAt, redact, view, known = [] } = deps;
  let entries: Entry[] = [...known];
  let counted: CountedRequest | undefined;
  let messages: Message[] = entries.map(({ shown }) => shown);
  return {
    messages: () => messages,
    entries: () => entries,
    counted: () => counted,
    setCounted: (next) => {
      counted = next;
    },
    refresh: async () => {
      const record = await store.sessions.get(session);
      if (record !== undefined && record.messageCount === messages.length) return;
      const stored = await store.messages.load(session);
      entries = stored.map(({ id: _id, seq: _seq, createdAt, ...message }) => {
        return { message, shown: view(message), createdAt };
      });
      messages = entries.map(({ shown }) => shown);
      counted = lastCounted(entries, startedAt);
    },
    append: async (message, options) => {
      const { id, seq, createdAt } = await store.messages.append(session, redact(message), options);
      const shown = view(message);
      entries.push({ message, shown, createdAt });
      messages.push(shown);
      return { messageId: id, seq, role: message.role };
    },
  };
};

/** What the provider counted for the newest answer of this session, as an earlier process was told. */
const lastCounted = (entries: readonly Entry[], startedAt: number): CountedRequest | undefined => {
  const at = entries.findLastIndex(({ message, createdAt }) => {
    return message.role === "assistant" && message.usage?.inputTokens !== undefined && createdAt > startedAt;
  });
  const message = entries[at]?.message;
  const tokens = message?.role === "assistant" ? message.usage?.inputTokens : undefined;
  return tokens === undefined ? undefined : { tokens, messages: at };
};
