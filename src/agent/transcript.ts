import type { MessageId, SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { Message } from "../llm/message.ts";
import type { CallRecord, Lease, Store } from "../store/store.ts";

/**
 * One session's messages as this process works with them: raw in memory, masked in the store. Append only, so that each
 * request begins with the bytes of the one before.
 */
export interface Transcript {
  readonly messages: () => readonly Message[];
  /** Reads the session again if another process has added to it since; call it with the lease held. */
  refresh(): Promise<void>;
  /** Commits a message, then keeps it. What it returns is on disk. */
  append(message: Message, options: { readonly lease: Lease; readonly call?: CallRecord }): Promise<SavedMessage>;
}

export interface SavedMessage {
  readonly messageId: MessageId;
  readonly seq: number;
  readonly role: Message["role"];
}

export interface TranscriptDeps {
  readonly store: Pick<Store, "messages" | "sessions">;
  readonly session: SessionId;
  readonly redact: (message: Message) => Redacted<Message>;
  /** What the model sees of a message, where that is less than what is stored (`privacy.redact_pii`); the same for the same message. */
  readonly view: (message: Message) => Message;
}

/** A transcript that loads on first `refresh`. */
export const createTranscript = ({ store, session, redact, view }: TranscriptDeps): Transcript => {
  let messages: Message[] = [];
  return {
    messages: () => messages,
    refresh: async () => {
      const record = await store.sessions.get(session);
      if (record !== undefined && record.messageCount === messages.length) return;
      messages = (await store.messages.load(session)).map(view);
    },
    append: async (message, options) => {
      const { id, seq } = await store.messages.append(session, redact(message), options);
      messages.push(view(message));
      return { messageId: id, seq, role: message.role };
    },
  };
};
