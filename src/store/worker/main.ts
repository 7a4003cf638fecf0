import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { openReader } from "../sqlite/reader.ts";
import { createWorkerQueries } from "./worker-queries.ts";
import type { WorkerQueries, WorkerReply, WorkerRequest, WorkerStart } from "./protocol.ts";

/**
 * The entry of the store's worker thread: answers one query after another on a read-only connection of its own. It is started
 * and ended by `query-worker.ts`; whatever fails outside a query ends the thread, and the next query starts a new one.
 */
const serve = (port: NonNullable<typeof parentPort>, { path }: WorkerStart): void => {
  const queries = createWorkerQueries(openReader(path, systemClock).db);
  let last: Promise<void> = Promise.resolve();
  port.on("message", (request: WorkerRequest) => {
    last = last.then(() => answer(request)).then((reply) => port.postMessage(reply));
  });

  const answer = async (request: WorkerRequest): Promise<WorkerReply> => {
    try {
      return { id: request.id, ok: true, value: await run(queries, request) };
    } catch (error) {
      return { id: request.id, ok: false, why: messageOf(error) };
    }
  };
};

const run = (queries: WorkerQueries, request: WorkerRequest): Promise<unknown> => {
  switch (request.name) {
    case "search":
      return queries.search(request.input);
    case "list":
      return queries.list(request.input);
    case "stats":
      return queries.stats(request.input);
    case "messagePage":
      return queries.messagePage(request.input);
    case "removable":
      return queries.removable(request.input);
    case "unusedBlobs":
      return queries.unusedBlobs(request.input);
  }
};

if (parentPort !== null) serve(parentPort, workerData as WorkerStart);
