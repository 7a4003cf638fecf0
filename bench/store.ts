/**
 * Measures the store on 100,000 messages: `node bench/store.ts [messages]`. Words stand in 1 %, 30 % and 95 % of the messages;
 * one session holds 10,000 of them. Everything is written to a temporary directory that is removed afterwards.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { systemClock } from "../src/base/clock.ts";
import type { SessionId } from "../src/base/ids.ts";
import type { Redacted } from "../src/base/redact/redacted.ts";
import type { Message } from "../src/llm/message.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Lease, SearchQuery, Store } from "../src/store/store.ts";
import { createTempDirectory } from "../src/testing/temp-home.ts";

const MESSAGES = Number(process.argv[2] ?? 100_000);
const LONG_SESSION = 10_000;
const OTHER_SESSION = 1_000;
const QUERIES = 200;

const now = (): number => systemClock.monotonic();
const print = (label: string, value: string): void => {
  process.stdout.write(`${label.padEnd(44)} ${value}\n`);
};
/** The best is what the machine can do; the others tell what it did beside its other work. */
const spread = (values: readonly number[]): string =>
  [0, 0.5, 0.95]
    .map((part, at) => `${["best", "p50", "p95"][at]} ${percentile(values, part).toFixed(1)} ms`)
    .join(", ");
const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

// A linear congruential generator: the same text in every run.
let state = 42;
const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const VOCABULARY = Array.from({ length: 8_000 }, (_, n) => `w${n.toString(36)}${"aeiou"[n % 5]}t`);

const createText = (words: number): string => {
  const picked = Array.from({ length: words }, () => VOCABULARY[Math.floor(random() ** 2 * VOCABULARY.length)] ?? "w");
  if (random() < 0.01) picked.push("rarely");
  if (random() < 0.3) picked.push("sometimes");
  if (random() < 0.95) picked.push("usually");
  if (random() < 0.02) picked.push("关于潮汐记录的笔记本讨论");
  return picked.sort(() => random() - 0.5).join(" ");
};

const createMessage = (n: number): Message => {
  if (n % 4 === 0) return { role: "user", parts: [{ type: "text", text: createText(20) }], origin: { surface: "cli" } };
  if (n % 4 !== 3) {
    const call = {
      type: "tool_call",
      id: `call_${n}`,
      name: "read_file",
      arguments: `{"path":"src/${n}.ts"}`,
    } as const;
    const parts = [{ type: "text", text: createText(30) } as const, call];
    const usage = { inputTokens: 1_000, outputTokens: 80 };
    return { role: "assistant", parts, provider: "p", model: "m", finish: "tool_calls", usage };
  }
  const content = [{ type: "text", text: createText(120) } as const];
  return {
    role: "tool",
    parts: [{ type: "tool_result", callId: `call_${n}`, name: "read_file", outcome: "ok", content }],
  };
};

// The texts hold no secrets.
const masked = <T>(value: T): Redacted<T> => value as Redacted<T>;

const startSession = async (store: Store): Promise<{ id: SessionId; lease: Lease }> => {
  const { id } = await store.sessions.create({
    source: "cli",
    provider: "p",
    model: "m",
    cwd: "/",
    systemPrompt: masked("You help."),
  });
  const outcome = await store.leases.acquire(id, "bench");
  if (outcome.kind === "busy") throw new Error("the bench's own session is busy");
  return { id, lease: outcome.lease };
};

const fill = async (store: Store): Promise<{ long: SessionId; times: number[] }> => {
  const times: number[] = [];
  const first = await startSession(store);
  let current = first;
  for (let n = 0; n < MESSAGES; n += 1) {
    if (n >= LONG_SESSION && (n - LONG_SESSION) % OTHER_SESSION === 0) {
      await current.lease.release();
      current = await startSession(store);
    }
    const message = createMessage(n);
    const began = now();
    await store.messages.append(current.id, masked(message), { lease: current.lease });
    times.push(now() - began);
  }
  await current.lease.release();
  return { long: first.id, times };
};

const measure = async (repeat: number, work: () => Promise<unknown>): Promise<number[]> => {
  await work();
  const times: number[] = [];
  for (let n = 0; n < repeat; n += 1) {
    const began = now();
    await work();
    times.push(now() - began);
  }
  return times;
};

const withBlocking = async <T>(label: string, work: () => Promise<T>): Promise<T> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const result = await work();
  delay.disable();
  const [p99, max] = [delay.percentile(99), delay.max].map((ns) => (ns / 1e6).toFixed(1));
  print(`event loop delay: ${label}`, `p99 ${p99} ms, max ${max} ms`);
  return result;
};

const SEARCHES: readonly (readonly [string, Omit<SearchQuery, "limit">])[] = [
  ["word in 1 %", { text: "rarely" }],
  ["word in 30 %", { text: "sometimes" }],
  ["word in 95 %", { text: "usually" }],
  ["two words (30 % AND 95 %)", { text: "sometimes usually" }],
  ["rank, word in 1 %", { text: "rarely", sort: "rank" }],
  ["rank, word in 30 %", { text: "sometimes", sort: "rank" }],
  ["rank, word in 95 %", { text: "usually", sort: "rank" }],
  ["CJK", { text: "潮汐记录" }],
  ["one CJK character", { text: "汐" }],
  ["prefix of one word", { text: "some*" }],
  ["prefix of many words", { text: "w1*" }],
  ["phrase that is rare", { text: '"usually sometimes rarely"' }],
  ["no such word", { text: "xyzzyplugh" }],
  ["role filter, word in 95 %", { text: "usually", roles: ["user"] }],
  ["source without a hit, word in 95 %", { text: "usually", source: "telegram" }],
  ["before everything, word in 95 %", { text: "usually", to: 0 }],
];

await using temp = createTempDirectory();
const path = join(temp.path, "hermes.db");
const open = (): Promise<Store> =>
  openStore({
    path,
    blobsDirectory: join(temp.path, "blobs"),
    locksDirectory: join(temp.path, "locks"),
    clock: systemClock,
    owner: { pid: process.pid, surface: "bench" },
  });

let store = await open();
const began = now();
const { long, times } = await withBlocking("appending", () => fill(store));
print("messages", String(MESSAGES));
print("append (FULL sync, one transaction each)", `${Math.round(MESSAGES / ((now() - began) / 1_000))} per second`);
print("append", `${spread(times)}, max ${percentile(times, 1).toFixed(1)} ms`);
await store.close();
print("database", `${(statSync(path).size / 1e6).toFixed(1)} MB`);

const opening = await measure(5, async () => (await open()).close());
print("open and close", spread(opening));
store = await open();
const loads = await withBlocking("loading", () => measure(9, () => store.messages.load(long)));
print("load 10,000 messages", spread(loads));
for (const [label, query] of SEARCHES) {
  const searches = await measure(QUERIES, () => store.search.query({ ...query, limit: 20 }));
  print(`search: ${label}`, spread(searches));
}
const branch = await startSession(store);
await withBlocking("copying 10,000", () => store.messages.copy(long, branch.id, LONG_SESSION));
await branch.lease.release();
await store.sessions.delete([branch.id]);
await withBlocking("purging 10,000", () => store.sessions.purge(systemClock.now() + 1));
const lists = await measure(20, () => store.sessions.list({ limit: 50 }));
print("list 50 sessions", spread(lists));
await store.close();
