import type { SessionId } from "../../base/ids.ts";
import type { BodyRow } from "../message-row.ts";
import type { SearchAnswer } from "../search/run-search.ts";
import type { SearchQuery, SessionFilter, SessionRecord, SessionStats } from "../store.ts";

/** The queries that may take long and therefore run in the worker thread. Each has one input, so that it can be sent. */
export interface WorkerQueries {
  search(query: SearchQuery): Promise<SearchAnswer>;
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>;
  stats(scope: "all"): Promise<SessionStats>;
  /** The next messages of a session after a `seq`; empty at the end. */
  messagePage(page: { readonly session: SessionId; readonly after: number }): Promise<readonly BodyRow[]>;
  /** The numbers of sessions that were deleted before the time (ms UTC). */
  removable(olderThan: number): Promise<readonly number[]>;
  /** Which of these blobs no message shows. */
  unusedBlobs(hashes: readonly string[]): Promise<readonly string[]>;
}

/** What the worker is started with. */
export interface WorkerStart {
  readonly path: string;
}

/** A query on its way to the worker. */
export type WorkerRequest = {
  readonly [Name in keyof WorkerQueries]: {
    readonly id: number;
    readonly name: Name;
    readonly input: Parameters<WorkerQueries[Name]>[0];
  };
}[keyof WorkerQueries];

/** Its answer. */
export type WorkerReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly why: string };
