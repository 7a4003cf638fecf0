import type { SessionRecord, Store, StoredMessage } from "../../store/store.ts";

/** What is exported, as the store holds it: masked. */
export interface ExportRequest {
  readonly store: Pick<Store, "blobs">;
  readonly sessions: AsyncIterable<SessionRecord>;
  /** What was said in a session, or over all the sessions of its conversation. */
  readonly messagesOf: (session: SessionRecord) => AsyncIterable<StoredMessage>;
  /** Of times for people; undefined = the machine's. */
  readonly timeZone: string | undefined;
}
