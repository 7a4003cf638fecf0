import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { Message, UserMessage } from "../llm/message.ts";
import { openStore } from "../store/open-store.ts";
import type { OpenStoreOptions } from "../store/open-store.ts";
import type { Lease, NewSession, SessionRecord, Store } from "../store/store.ts";
import { createTempDirectory } from "./temp-home.ts";

/** A real store in a directory of its own; disposing closes it and removes everything. */
export interface TempStore extends AsyncDisposable {
  readonly store: Store;
  /** The directory; the database is `hermes.db` in it. */
  readonly home: string;
  /** Opens the same database once more, as another part of the program or a later start would. */
  open(more?: Partial<OpenStoreOptions>): Promise<Store>;
}

/** Opens a new store. Time is the machine's unless a clock is given. */
export const createTempStore = async (options: { readonly clock?: Clock } = {}): Promise<TempStore> => {
  const directory = createTempDirectory();
  const home = directory.path;
  const opened: Store[] = [];
  const open = async (more: Partial<OpenStoreOptions> = {}): Promise<Store> => {
    const store = await openStore({
      path: join(home, "hermes.db"),
      blobsDirectory: join(home, "blobs"),
      locksDirectory: join(home, "locks"),
      clock: options.clock ?? systemClock,
      owner: { pid: process.pid, surface: "test" },
      ...more,
    });
    opened.push(store);
    return store;
  };
  const store = await open();
  return {
    store,
    home,
    open,
    [Symbol.asyncDispose]: async () => {
      for (const each of opened) await each.close();
      await directory[Symbol.asyncDispose]();
    },
  };
};

/** Marks a value as masked: what a test writes holds no secrets. */
export const asRedacted = <T>(value: T): Redacted<T> => value as Redacted<T>;

/** A user message of one text. */
export const userMessage = (text: string): UserMessage => ({
  role: "user",
  parts: [{ type: "text", text }],
  origin: { surface: "cli" },
});

/** A session that a test may add to. */
export interface TestSession {
  readonly id: SessionId;
  readonly record: SessionRecord;
  readonly lease: Lease;
  /** Appends a message, or a user message of this text. */
  add(message: Message | string): Promise<{ readonly id: string; readonly seq: number }>;
}

/** Starts a session and holds its lease. */
export const startTestSession = async (store: Store, more: Partial<NewSession> = {}): Promise<TestSession> => {
  const record = await store.sessions.create({
    source: "cli",
    provider: "practice",
    model: "small",
    cwd: "/home/owner",
    systemPrompt: asRedacted("You help."),
    ...more,
  });
  const outcome = await store.leases.acquire(record.id, "test");
  if (outcome.kind === "busy") throw new Error(`session ${record.id} is held by ${outcome.holder.pid}`);
  const { lease } = outcome;
  const add: TestSession["add"] = (message) =>
    store.messages.append(record.id, asRedacted(typeof message === "string" ? userMessage(message) : message), {
      lease,
    });
  return { id: record.id, record, lease, add };
};
