/**
 * Measures the store on a database of 1,000,000 messages: `node bench/million.ts [messages]`. Words stand in 0.01 %, 1 %, 30 % and 95 %
 * of them; one source has 1 session of 5,000. The database is built once and kept in the system's folder for temporary files, under a
 * name with the schema's stamp: delete it by hand. CPU times stand beside wall times: other work on the machine slows the latter.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../src/base/clock.ts";
import type { SessionId } from "../src/base/ids.ts";
import type { Redacted } from "../src/base/redact/redacted.ts";
import type { Message } from "../src/llm/message.ts";
import { firstMessageKey } from "../src/store/message-key.ts";
import { encodeBody, searchableText } from "../src/store/message-row.ts";
import { migrate, userVersionOf } from "../src/store/migrate.ts";
import { ALL_MIGRATIONS } from "../src/store/migrations/all-migrations.ts";
import { openStore } from "../src/store/open-store.ts";
import { indexTags } from "../src/store/search/index-tags.ts";
import { indexText } from "../src/store/search/index-text.ts";
import type { SearchQuery, Store } from "../src/store/store.ts";

const MESSAGES = Number(process.argv[2] ?? 1_000_000);
const PER_SESSION = 200;
const SESSIONS = Math.ceil(MESSAGES / PER_SESSION);
const RARE_SESSION = Math.floor(SESSIONS / 3);
const BATCH = 1_000;
const FIRST_AT = Date.UTC(2024, 0, 1);
const STEP_MS = 45_000;

const print = (label: string, value: string): void => {
  process.stdout.write(`${label.padEnd(46)} ${value}\n`);
};
const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
const now = (): number => systemClock.monotonic();

// A linear congruential generator: the same text in every run.
let state = 42;
const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const VOCABULARY = Array.from({ length: 20_000 }, (_, n) => `w${n.toString(36)}${"aeiou"[n % 5]}t`);

const createText = (words: number): string => {
  const picked = Array.from({ length: words }, () => VOCABULARY[Math.floor(random() ** 2 * VOCABULARY.length)] ?? "w");
  const put = (word: string): void => {
    picked[Math.floor(random() * picked.length)] = word;
  };
  if (random() < 0.95) put("usually");
  if (random() < 0.3) put("sometimes");
  if (random() < 0.02) put("关于潮汐记录的笔记本讨论");
  if (random() < 0.02) put("harbour lantern");
  if (random() < 0.01) put("rarely");
  if (random() < 0.0001) put("hardly");
  return picked.join(" ");
};

const createMessage = (n: number): Message => {
  const source = n % 4;
  if (source === 0)
    return { role: "user", parts: [{ type: "text", text: createText(20) }], origin: { surface: "cli" } };
  if (source !== 3) {
    const call = {
      type: "tool_call",
      id: `call_${n}`,
      name: "read_file",
      arguments: `{"path":"src/${n}.ts"}`,
    } as const;
    const parts = [{ type: "text", text: createText(30) } as const, call];
    return { role: "assistant", parts, provider: "p", model: "m", finish: "tool_calls" };
  }
  const content = [{ type: "text", text: createText(120) } as const];
  const result = { type: "tool_result", callId: `call_${n}`, name: "read_file", outcome: "ok", content } as const;
  return { role: "tool", parts: [result] };
};

const sourceOf = (session: number): string => {
  if (session === RARE_SESSION) return "matrix";
  return session % 10 === 0 ? "telegram" : "cli";
};

/** The newest messages of the same second run over into the next keys, as `nextMessageKey` gives them. */
const build = async (path: string, folder: string): Promise<void> => {
  const began = now();
  rmSync(path, { force: true });
  await migrate({ path, locksDirectory: join(folder, "locks"), clock: systemClock, migrations: ALL_MIGRATIONS });
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  const addSession = database.prepare(
    `INSERT INTO sessions (n, id, conversation, source, provider, model, started_at, active_at, message_count,
     tool_call_count, model_call_count, title) VALUES (?, ?, ?, ?, 'p', 'm', ?, ?, ?, 0, 0, ?)`,
  );
  const addPrompt = database.prepare("INSERT INTO session_prompts (session, text) VALUES (?, 'You help.')");
  const addMessage = database.prepare("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)");
  const addText = database.prepare("INSERT INTO message_text (rowid, words, cjk, tags) VALUES (?, ?, ?, ?)");
  for (let at = 0; at < MESSAGES; at += 1) {
    if (at % BATCH === 0) database.exec("BEGIN");
    const session = Math.floor(at / PER_SESSION) + 1;
    const seq = (at % PER_SESSION) + 1;
    const createdAt = FIRST_AT + at * STEP_MS;
    const source = sourceOf(session);
    if (seq === 1) {
      const id = `20240101_000000_${session.toString(16).padStart(6, "0")}`;
      const count = Math.min(PER_SESSION, MESSAGES - at);
      const title = session % 2 === 0 ? `Title ${session}` : null;
      addSession.run(session, id, `cli:${id}`, source, createdAt, createdAt + count * STEP_MS, count, title);
      addPrompt.run(session);
    }
    const message = createMessage(at);
    const key = firstMessageKey(createdAt);
    const { words, cjk } = indexText(searchableText(message));
    addMessage.run(
      key,
      session,
      seq,
      `msg_${at.toString(36).padStart(9, "0")}`,
      message.role,
      createdAt,
      encodeBody(message),
    );
    addText.run(key, words, cjk, indexTags({ role: message.role, source, session }));
    if (at % BATCH === BATCH - 1 || at === MESSAGES - 1) database.exec("COMMIT");
  }
  database.close();
  print("built", `${((now() - began) / 1_000).toFixed(0)} s`);
};

const folder = join(tmpdir(), `hermes-bench-million-${MESSAGES}-${userVersionOf(ALL_MIGRATIONS)}`);
const path = join(folder, "hermes.db");
mkdirSync(folder, { recursive: true, mode: 0o700 });
if (!existsSync(path)) {
  const unfinished = join(folder, "unfinished.db");
  await build(unfinished, folder);
  renameSync(unfinished, path);
}
print("messages", String(MESSAGES));
print("database", `${(statSync(path).size / 1e6).toFixed(0)} MB`);

const open = (): Promise<Store> =>
  openStore({
    path,
    blobsDirectory: join(folder, "blobs"),
    locksDirectory: join(folder, "locks"),
    clock: systemClock,
    owner: { pid: process.pid, surface: "bench" },
  });

interface Times {
  readonly wall: readonly number[];
  /** Of the whole process, its threads included; the mean. */
  readonly cpu: number;
}

const measure = async (repeat: number, work: (run: number) => Promise<unknown>): Promise<Times> => {
  await work(0);
  const wall: number[] = [];
  const before = process.cpuUsage();
  for (let run = 0; run < repeat; run += 1) {
    const began = now();
    await work(run + 1);
    wall.push(now() - began);
  }
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / 1_000 / repeat };
};

const report = (label: string, { wall, cpu }: Times, target: number): void => {
  const [best, p50, p95] = [0, 0.5, 0.95].map((part) => percentile(wall, part));
  const isMet = (p95 ?? 0) < target;
  print(
    label,
    `best ${best?.toFixed(2)}, p50 ${p50?.toFixed(2)}, p95 ${p95?.toFixed(2)} ms, CPU ${cpu.toFixed(2)} ms (p95 < ${target}: ${isMet ? "yes" : "NO"})`,
  );
};

report("open and close", await measure(20, async () => (await open()).close()), 100);

const store = await open();
const masked = <T>(value: T): Redacted<T> => value as Redacted<T>;

const measureAppends = async (): Promise<void> => {
  const { id } = await store.sessions.create({
    source: "bench",
    provider: "p",
    model: "m",
    cwd: "/",
    systemPrompt: masked("You help."),
  });
  const outcome = await store.leases.acquire(id, "bench");
  if (outcome.kind === "busy") throw new Error("the bench's own session is busy");
  const { lease } = outcome;
  const message = (run: number): Message => ({
    role: "user",
    parts: [{ type: "text", text: `benchmark ${createText(30)} ${run}` }],
    origin: { surface: "cli" },
  });
  report(
    "append, on the disk when it resolves",
    await measure(300, (run) => store.messages.append(id, masked(message(run)), { lease })),
    1,
  );
  await lease.release();
  await store.sessions.delete([id]);
  await store.sessions.purge(systemClock.now() + 1);
};

/** What one commit of a page costs on this disk, with and without waiting for it. */
const measureSync = async (mode: "FULL" | "NORMAL"): Promise<void> => {
  const probe = join(folder, "probe.db");
  const database = new DatabaseSync(probe);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${mode}; CREATE TABLE IF NOT EXISTS t (x)`);
  const insert = database.prepare("INSERT INTO t VALUES (zeroblob(500))");
  report(`  a bare commit, synchronous=${mode}`, await measure(300, async () => insert.run()), 1);
  database.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(probe + suffix, { force: true });
};

await measureAppends();
await measureSync("FULL");
await measureSync("NORMAL");

const DAY_MS = 86_400_000;
const middle = FIRST_AT + (MESSAGES / 2) * STEP_MS;
const session = `20240101_000000_${Math.floor(SESSIONS / 2)
  .toString(16)
  .padStart(6, "0")}` as SessionId;
const QUERIES: readonly (readonly [string, Omit<SearchQuery, "limit">])[] = [
  ["word in 0.01 %", { text: "hardly" }],
  ["word in 1 %", { text: "rarely" }],
  ["word in 30 %", { text: "sometimes" }],
  ["word in 95 %", { text: "usually" }],
  ["two words, 30 % and 95 %", { text: "sometimes usually" }],
  ["two words, 0.01 % and 95 %", { text: "hardly usually" }],
  ["phrase in 2 %", { text: '"harbour lantern"' }],
  ["phrase of common words", { text: '"usually sometimes"' }],
  ["phrase that is nowhere", { text: '"lantern harbour"' }],
  ["CJK, four characters", { text: "潮汐记录" }],
  ["CJK, one character", { text: "汐" }],
  ["prefix", { text: "some*" }],
  ["prefix of many words", { text: "w1*" }],
  ["no such word", { text: "xyzzyplugh" }],
  ["95 %, a role", { text: "usually", roles: ["user"] }],
  ["95 %, a week", { text: "usually", from: middle, to: middle + 7 * DAY_MS }],
  ["95 %, a rare source", { text: "usually", source: "matrix" }],
  ["95 %, a source that is not there", { text: "usually", source: "signal" }],
  ["95 %, one session", { text: "usually", session }],
  ["95 %, before everything", { text: "usually", to: 0 }],
  [
    "30 % or a phrase, a role, a source",
    { text: 'sometimes OR "harbour lantern"', roles: ["user"], source: "telegram" },
  ],
];

const searchAll = async (sort: NonNullable<SearchQuery["sort"]>): Promise<void> => {
  for (const [label, query] of QUERIES) {
    const times = await measure(60, () => store.search.query({ ...query, sort, limit: 20 }));
    report(`search (${sort}): ${label}`, times, 30);
  }
};

await searchAll("rank");
await searchAll("newest");
await searchAll("oldest");
report("list 500 sessions", await measure(40, () => store.sessions.list({ listed: true, limit: 500 })), 50);

const memory = (): number => process.memoryUsage().rss / 2 ** 20;
const before = memory();
for (let run = 0; run < 1_000; run += 1) {
  const [, query] = QUERIES[run % QUERIES.length] ?? ["", { text: "usually" }];
  await store.search.query({ ...query, sort: "rank", limit: 20 });
}
print("memory, before and after 1,000 searches", `${before.toFixed(0)} and ${memory().toFixed(0)} MiB`);
await store.close();
