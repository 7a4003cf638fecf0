import { Worker } from "node:worker_threads";
import { messageOf } from "../../base/app-error.ts";
import { storeErrors } from "../errors.ts";
import type { WorkerQueries, WorkerReply, WorkerRequest, WorkerStart } from "./protocol.ts";

/** Runs the long queries beside the event loop. */
export interface QueryWorker extends WorkerQueries {
  /** Ends the thread; queries that wait for it reject with `store.closed`. */
  close(): Promise<void>;
}

/** How the thread is started. */
export interface QueryWorkerDeps extends WorkerStart {
  /** The module that runs in it: `worker/main.ts`, or what it was bundled to. */
  readonly entry: URL;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly pending: Map<number, Pending>;
}

/**
 * Makes the worker. The thread is started by the first query, and again by the next one after it crashed; a crash rejects
 * what waits with `store.query_failed`. It keeps the process alive only while a query waits.
 */
export const createQueryWorker = (deps: QueryWorkerDeps): QueryWorker => {
  let thread: Thread | undefined;
  let isClosed = false;
  let asked = 0;

  const ask = (name: WorkerRequest["name"], input: unknown): Promise<unknown> => {
    if (isClosed) return Promise.reject(storeErrors.closed({}));
    thread ??= startThread(deps, (ended) => {
      if (thread === ended) thread = undefined;
    });
    const { worker, pending } = thread;
    asked += 1;
    const id = asked;
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject });
      worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage({ id, name, input });
    });
  };

  // The worker answers each name with that query's own result.
  const query = <Name extends WorkerRequest["name"]>(name: Name): WorkerQueries[Name] =>
    ((input: unknown) => ask(name, input)) as WorkerQueries[Name];

  return {
    search: query("search"),
    list: query("list"),
    stats: query("stats"),
    messagePage: query("messagePage"),
    removable: query("removable"),
    unusedBlobs: query("unusedBlobs"),
    close: async () => {
      isClosed = true;
      const ending = thread;
      thread = undefined;
      if (ending === undefined) return;
      rejectAll(ending, storeErrors.closed({}));
      await ending.worker.terminate();
    },
  };
};

const startThread = ({ entry, path }: QueryWorkerDeps, onEnd: (thread: Thread) => void): Thread => {
  const start: WorkerStart = { path };
  const worker = new Worker(entry, { workerData: start, name: "store queries" });
  const thread: Thread = { worker, pending: new Map() };
  worker.unref();
  worker.on("message", (reply: WorkerReply) => settle(thread, reply));
  const end = (why: string): void => {
    onEnd(thread);
    rejectAll(thread, storeErrors.queryFailed({ why }));
  };
  worker.on("error", (error) => end(messageOf(error)));
  worker.on("exit", (code) => end(`the query thread ended with code ${code}`));
  return thread;
};

const settle = ({ worker, pending }: Thread, reply: WorkerReply): void => {
  const waiting = pending.get(reply.id);
  pending.delete(reply.id);
  if (pending.size === 0) worker.unref();
  if (reply.ok) waiting?.resolve(reply.value);
  else waiting?.reject(storeErrors.queryFailed({ why: reply.why }));
};

const rejectAll = ({ pending }: Thread, reason: unknown): void => {
  for (const { reject } of pending.values()) reject(reason);
  pending.clear();
};
