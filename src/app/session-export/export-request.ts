import type { SessionRecord, Store } from "../../store/store.ts";

/** What is exported, as the store holds it: masked. */
export interface ExportRequest {
  readonly store: Pick<Store, "messages" | "blobs">;
  readonly sessions: AsyncIterable<SessionRecord>;
  /** Of times for people; undefined = the machine's. */
  readonly timeZone: string | undefined;
}
