import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { makeFolder } from "../base/make-folder.ts";
import { withProcessLock } from "../base/process-lock.ts";
import { absent } from "../base/system-error.ts";
import type { Agent } from "../agent/agent.ts";
import { grantedTools, type Grant } from "../agent/grant.ts";
import { toToolSchema } from "../agent/tool-schema.ts";
import type { SessionId } from "../base/ids.ts";
import { parseJson } from "../base/parse-json.ts";
import type { App } from "./app.ts";
import { snapshotMessage } from "./session-snapshot-message.ts";

/** Writes the sessions that an agent works in as files. */
export interface SessionSnapshots {
  /** The same agent; after each turn its session is written, beside the conversation. */
  follow(agent: Agent): Agent;
  /** Waits for what is being written. */
  settle(): Promise<void>;
}

/**
 * `sessions/session_<id>.json` (compat §3.7) after each turn: what the store holds, so masked (R-REDACT-1). A file that holds more
 * messages than the session stays. What cannot be written is logged; a turn never waits for it or fails by it.
 */
export const createSessionSnapshots = (app: App, grant: Grant): SessionSnapshots => {
  let last: Promise<void> = Promise.resolve();
  const write = (session: SessionId): void => {
    last = last
      .then(() => writeSnapshot(app, { session, grant }))
      .catch((error: unknown) =>
        app.log.warn("a session's snapshot was not written", { session, error: String(error) }),
      );
  };
  return {
    settle: () => last,
    follow: (agent) => ({
      ...agent,
      run: (...given) => then(agent.run(...given), () => write(agent.session().id)),
      compress: (...given) => then(agent.compress(...given), () => write(agent.session().id)),
    }),
  };
};

/** The same items; `work` is called when they are over, or nobody wants more of them. */
async function* then<T>(items: AsyncIterable<T>, work: () => void): AsyncIterable<T> {
  try {
    yield* items;
  } finally {
    work();
  }
}

interface Snapshot {
  readonly session: SessionId;
  readonly grant: Grant;
}

const writeSnapshot = async (app: App, { session, grant }: Snapshot): Promise<void> => {
  const folder = join(app.paths.home, "sessions");
  await makeFolder(folder);
  const path = join(folder, `session_${session}.json`);
  const lock = {
    directory: app.paths.locks,
    name: "session-snapshots",
    clock: app.clock,
    purpose: "writing a snapshot",
  };
  await withProcessLock(lock, async () => {
    const text = await renderSnapshot(app, { session, grant });
    if (text === undefined || text.count < (await countIn(path))) return;
    await writeFileAtomic(path, text.json, { mode: 0o600 });
  });
};

const renderSnapshot = async (
  app: App,
  { session, grant }: Snapshot,
): Promise<{ readonly json: string; readonly count: number } | undefined> => {
  const store = await app.store();
  const record = await store.sessions.get(session);
  if (record === undefined || record.messageCount === 0) return undefined;
  const messages: unknown[] = [];
  for await (const message of store.messages.stream(session)) {
    messages.push(await snapshotMessage(message, (hash) => store.blobs.get(hash)));
  }
  const snapshot = {
    session_id: record.id,
    model: record.model,
    base_url: app.config.section("model").base_url ?? "",
    platform: record.source,
    session_start: new Date(record.startedAt).toISOString(),
    last_updated: new Date(record.activeAt).toISOString(),
    system_prompt: await store.sessions.systemPrompt(session),
    tools: grantedTools(grant).map((tool) => ({ type: "function", function: toToolSchema(tool) })),
    message_count: messages.length,
    messages,
  };
  return { json: `${JSON.stringify(snapshot, undefined, 2)}\n`, count: messages.length };
};

const counted = z.object({ messages: z.array(z.unknown()) });

/** The messages that a file holds; one that cannot be read as a snapshot holds none. */
const countIn = async (path: string): Promise<number> => {
  const text = await readFile(path, "utf8").catch(absent);
  return counted.safeParse(parseJson(text ?? "")).data?.messages.length ?? 0;
};
