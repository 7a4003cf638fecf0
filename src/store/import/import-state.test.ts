import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { cliConversationKey, type SessionId } from "../../base/ids.ts";
import { createRedactor } from "../../base/redact/redact-text.ts";
import { textOf, type Message } from "../../llm/message.ts";
import { createMessageRedactor } from "../../llm/redact-message.ts";
import { createPythonState } from "../../testing/python-state.ts";
import type { PythonSession, PythonState } from "../../testing/python-state.ts";
import { asRedacted, createTempStore, startTestSession, userMessage } from "../../testing/temp-store.ts";
import type { TempStore, TestSession } from "../../testing/temp-store.ts";
import type { ImportedSession, StoredMessage, TimedMessage } from "../store.ts";
import { importState } from "./import-state.ts";
import type { ImportEntry } from "./import-state.ts";
import { orderMessages } from "./order-messages.ts";

const createRig = async () => {
  const temp = await createTempStore();
  const scratch = join(temp.home, "scratch");
  mkdirSync(scratch);
  const path = join(temp.home, "state.db");
  const state = createPythonState(path);
  const redactor = createRedactor({ enabled: true });
  const masking = createMessageRedactor(redactor);
  const run = async (more: { readonly isDryRun?: boolean; readonly from?: string } = {}): Promise<ImportEntry[]> =>
    Array.fromAsync(
      importState({
        store: temp.store,
        clock: systemClock,
        path: more.from ?? path,
        scratchDirectory: scratch,
        isDryRun: more.isDryRun ?? false,
        maskText: (text) => redactor.text(text),
        maskMessage: (message: Message) => masking.message(message),
      }),
    );
  return {
    temp,
    state,
    path,
    scratch,
    run,
    [Symbol.asyncDispose]: async () => {
      state[Symbol.dispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
};

const load = (temp: TempStore, id: string): Promise<readonly StoredMessage[]> => temp.store.messages.load(id as never);
const bytesOf = (path: string): readonly string[] =>
  ["", "-wal"].map((suffix) =>
    createHash("sha256")
      .update(readFileSync(path + suffix))
      .digest("hex"),
  );
const call = (id: string, name = "read_file"): string =>
  JSON.stringify([{ id, type: "function", function: { name, arguments: '{"path":"a.ts"}' } }]);

/** A conversation that was compressed once, and one from a chat. */
const fill = ({ session, message }: PythonState): void => {
  session({
    id: "20231114_221320_abcdef",
    title: "Tide tables",
    ended_at: 1_700_000_100,
    end_reason: "compression",
    input_tokens: 1_200,
    output_tokens: 300,
    actual_cost_usd: 0.25,
    billing_provider: "acme",
    api_call_count: 2,
  });
  session({
    id: "20231114_221500_fedcba",
    title: "Tide tables #2",
    parent_session_id: "20231114_221320_abcdef",
    started_at: 1_700_000_100,
  });
  session({ id: "a1b2c3d4", source: "telegram", started_at: 1_690_000_000 });
  const first = "20231114_221320_abcdef";
  message({ session_id: first, role: "user", content: "when is high tide?", timestamp: 1_700_000_001.25 });
  message({
    session_id: first,
    role: "assistant",
    content: "",
    tool_calls: call("c1"),
    reasoning: "look it up",
    finish_reason: "tool_calls",
  });
  message({ session_id: first, role: "tool", content: "At 14:05", tool_call_id: "c1", tool_name: "read_file" });
  message({ session_id: first, role: "assistant", content: "At 14:05.", finish_reason: "stop" });
  message({
    session_id: "20231114_221500_fedcba",
    role: "user",
    content: "summary of the tide",
    timestamp: 1_700_000_101,
  });
  message({
    session_id: "a1b2c3d4",
    role: "user",
    content: "潮汐?",
    platform_message_id: "77",
    timestamp: 1_690_000_001,
  });
};

test("sessions come over with ids, titles, lineage, times, tokens, cost, reasoning, calls and results", async () => {
  await using rig = await createRig();
  fill(rig.state);
  const entries = await rig.run();
  expect(entries).toEqual([
    { kind: "done", id: "a1b2c3d4", title: null, messages: 1, notes: [] },
    { kind: "done", id: "20231114_221320_abcdef", title: "Tide tables", messages: 4, notes: [] },
    { kind: "done", id: "20231114_221500_fedcba", title: "Tide tables #2", messages: 1, notes: [] },
  ]);
  const { sessions, conversations, search } = rig.temp.store;
  const first = await sessions.get("20231114_221320_abcdef" as never);
  expect(first).toMatchObject({
    source: "cli",
    provider: "acme",
    model: "acme-1",
    startedAt: 1_700_000_000_500,
    endedAt: 1_700_000_100_000,
    endReason: "compression",
    messageCount: 4,
    toolCallCount: 1,
    modelCallCount: 2,
    usage: { inputTokens: 1_200, outputTokens: 300 },
    costUsd: 0.25,
  });
  const found = await sessions.lookup("tide tables");
  expect(found).toMatchObject({ kind: "found", session: { id: "20231114_221500_fedcba", rotatedFrom: first?.id } });
  expect(await conversations.current(first?.conversation ?? ("" as never))).toBe("20231114_221500_fedcba");
  expect(
    (await load(rig.temp, first?.id ?? "")).map(({ role, createdAt, parts }) => ({ role, createdAt, parts })),
  ).toEqual([
    { role: "user", createdAt: 1_700_000_001_250, parts: [{ type: "text", text: "when is high tide?" }] },
    {
      role: "assistant",
      createdAt: 1_700_000_001_250,
      parts: [
        { type: "reasoning", text: "look it up" },
        { type: "tool_call", id: "c1", name: "read_file", arguments: '{"path":"a.ts"}' },
      ],
    },
    {
      role: "tool",
      createdAt: 1_700_000_001_250,
      parts: [
        {
          type: "tool_result",
          callId: "c1",
          name: "read_file",
          outcome: "ok",
          content: [{ type: "text", text: "At 14:05" }],
        },
      ],
    },
    { role: "assistant", createdAt: 1_700_000_001_250, parts: [{ type: "text", text: "At 14:05." }] },
  ]);
  expect((await load(rig.temp, "a1b2c3d4"))[0]).toMatchObject({
    origin: { surface: "telegram", platformMessageId: "77" },
  });
  expect((await search.query({ text: "潮汐", limit: 1, source: "telegram" })).hits[0]).toMatchObject({
    session: "a1b2c3d4",
  });
  const { lease } = (await rig.temp.store.leases.acquire("a1b2c3d4" as never, "test")) as never as { lease: never };
  await rig.temp.store.messages.append(
    "a1b2c3d4" as never,
    { role: "user", parts: [], origin: { surface: "cli" } } as never,
    { lease },
  );
  expect(await load(rig.temp, "a1b2c3d4")).toHaveLength(2);
});

test("a second import changes nothing, a dry run nothing at all, and the other program is not touched", async () => {
  await using rig = await createRig();
  fill(rig.state);
  const before = bytesOf(rig.path);
  const files = readdirSync(rig.temp.home);
  expect((await rig.run({ isDryRun: true })).map(({ kind }) => kind)).toEqual(["done", "done", "done"]);
  expect(await rig.temp.store.sessions.list({})).toEqual([]);
  await rig.run();
  const stats = await rig.temp.store.sessions.stats();
  const sessions = await rig.temp.store.sessions.list({});
  await rig.temp.store.sessions.delete(["a1b2c3d4" as never]);
  expect(await rig.run()).toEqual([
    { kind: "skipped", id: "a1b2c3d4", why: "it was deleted here" },
    { kind: "skipped", id: "20231114_221320_abcdef", why: "it is here already" },
    { kind: "skipped", id: "20231114_221500_fedcba", why: "it is here already" },
  ]);
  await rig.temp.store.sessions.restore(["a1b2c3d4" as never]);
  expect(await rig.temp.store.sessions.list({})).toEqual(sessions);
  expect(await rig.temp.store.sessions.stats()).toEqual({ ...stats, databaseBytes: expect.any(Number) });
  expect(bytesOf(rig.path)).toEqual(before);
  expect(readdirSync(rig.temp.home)).toEqual(files);
  expect(readdirSync(rig.scratch)).toEqual([]);
});

test("what the other program has committed counts, also while it writes; what it has not, does not", async () => {
  await using rig = await createRig();
  rig.state.session({ id: "s1" });
  rig.state.message({ session_id: "s1", role: "user", content: "committed" });
  rig.state.database.exec("BEGIN IMMEDIATE");
  rig.state.message({ session_id: "s1", role: "user", content: "not yet" });
  // SQLite itself refuses a second writer here, so the import took no lock of its own away from it, and waited for none.
  expect(await rig.run()).toMatchObject([{ kind: "done", id: "s1", messages: 1 }]);
  rig.state.database.exec("COMMIT");
  expect(rig.state.database.prepare("SELECT count(*) AS n FROM messages").get()).toEqual({ n: 2 });
});

test("broken rows, odd ids and strange texts are said and do not stop the rest", async () => {
  await using rig = await createRig();
  const { session, message, database } = rig.state;
  session({ id: "bad id/with space" });
  session({ id: "s1", title: "\u202Ekey sk-proj-Zq81Zq81Zq81Zq81Zq81Zq81Zq81Zq81Zq81Zq81 here", started_at: 1 });
  session({ id: "loop-a", parent_session_id: null, end_reason: "compression", ended_at: 5 });
  session({ id: "loop-b", parent_session_id: "loop-a", end_reason: "compression", ended_at: 6 });
  database.exec(
    "UPDATE sessions SET parent_session_id = 'loop-b' WHERE id = 'loop-a'; UPDATE sessions SET started_at = 'soon' WHERE id = 'loop-b'",
  );
  const png = Buffer.from("picture");
  const list = JSON.stringify([
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${png.toString("base64")}` } },
    { type: "image_url", image_url: { url: "https://example.invalid/a.png" } },
  ]);
  message({ session_id: "s1", role: "system", content: "be good" });
  message({ session_id: "s1", role: "user", content: `\0json:${list}` });
  message({ session_id: "s1", role: "user", content: '[{"type": "note"}] is JSON that I wrote' });
  message({
    session_id: "s1",
    role: "assistant",
    content: null,
    tool_calls: `${call("a").slice(0, -1)},${call("b", "terminal").slice(1)}`,
    timestamp: 9e9,
  });
  message({ session_id: "s1", role: "tool", content: '{"error": "no such file"}', tool_call_id: "a", timestamp: 1 });
  message({ session_id: "s1", role: "tool", content: "twice", tool_call_id: "a" });
  message({ session_id: "s1", role: "tool", content: "of nobody", tool_call_id: "zzz" });
  message({ session_id: "s1", role: "assistant", content: "", tool_calls: "not json" });
  message({ session_id: "s1", role: "oracle", content: "hm" });
  message({ session_id: "s1", role: "user", content: new Uint8Array([1, 2]) });
  message({
    session_id: "s1",
    role: "user",
    content: "a\0b 😀 my key is sk-proj-Zq81Zq81Zq81Zq81Zq81Zq81Zq81Zq81Zq81Zq81",
  });
  const entries = await rig.run();
  expect(entries.find(({ id }) => id === "bad id/with space")).toMatchObject({ kind: "failed" });
  expect(entries.filter(({ id }) => id.startsWith("loop")).map(({ kind }) => kind)).toEqual(["done", "done"]);
  const done = entries.find(({ id }) => id === "s1");
  expect(done).toMatchObject({
    kind: "done",
    messages: 5,
    notes: [
      "1 left out: a system prompt is no message here",
      "1 left out: there is nothing in it",
      '1 left out: the role "oracle" is unknown',
      "1 left out: the row cannot be read",
      "2 left out: results of no call",
      "1 joined to the message before",
      "1 calls without a result were closed",
    ],
  });
  const messages = await load(rig.temp, "s1");
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
  expect(messages[0]?.parts).toEqual([
    { type: "text", text: "look" },
    { type: "image", hash: createHash("sha256").update(png).digest("hex"), mediaType: "image/png", byteLength: 7 },
    { type: "text", text: "[image https://example.invalid/a.png]" },
    { type: "text", text: '[{"type": "note"}] is JSON that I wrote' },
  ]);
  expect(await rig.temp.store.blobs.get(createHash("sha256").update(png).digest("hex"))).toEqual(png);
  expect(messages.slice(2, 4).map(({ parts }) => parts[0])).toMatchObject([
    { callId: "a", name: "read_file", outcome: "error" },
    { callId: "b", name: "terminal", outcome: "interrupted" },
  ]);
  const times = messages.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  // R-REDACT-1: what comes over is masked like what is said here.
  const stored = JSON.stringify([messages, await rig.temp.store.sessions.get("s1" as never)]);
  expect(stored).not.toContain("Zq81Zq81Zq81");
  expect(stored).toContain("a\\u0000b 😀 my key is");
  expect((await rig.temp.store.sessions.get("s1" as never))?.title).not.toContain("\u202E");
});

test("a title that is taken here gets a number", async () => {
  await using rig = await createRig();
  const own = await rig.temp.store.sessions.create({
    source: "cli",
    provider: "p",
    model: "m",
    cwd: null,
    systemPrompt: "" as never,
  });
  await rig.temp.store.sessions.setTitle(own.id, "Tide tables", "user");
  fill(rig.state);
  expect((await rig.run()).map((entry) => ("title" in entry ? entry.title : entry.why))).toEqual([
    null,
    "Tide tables #2",
    "Tide tables #3",
  ]);
  expect((await rig.temp.store.sessions.get(own.id))?.title).toBe("Tide tables");
});

test("what a killed import left is cleared by the next one", async () => {
  await using rig = await createRig();
  fill(rig.state);
  const { sessions } = rig.temp.store;
  await rig.run();
  // As a crash in the middle leaves it: hidden, its messages not in place.
  const other = await rig.temp.open();
  using database = new DatabaseSync(join(rig.temp.home, "hermes.db"));
  database.exec(
    "UPDATE messages SET session = -session WHERE session = (SELECT n FROM sessions WHERE id = 'a1b2c3d4')",
  );
  database.exec("UPDATE sessions SET deleted_at = 0, message_count = 0 WHERE id = 'a1b2c3d4'");
  expect(await sessions.get("a1b2c3d4" as never)).toBe(undefined);
  expect(await rig.run()).toMatchObject([
    { kind: "done", id: "a1b2c3d4", messages: 1 },
    { kind: "skipped" },
    { kind: "skipped" },
  ]);
  expect(await other.messages.load("a1b2c3d4" as never)).toHaveLength(1);
  expect((await other.search.query({ text: "潮汐", limit: 9 })).hits).toHaveLength(1);
});

test("an older schema, a missing file and a file that is none are handled", async () => {
  await using rig = await createRig();
  rig.state.database.exec(
    "ALTER TABLE messages DROP COLUMN reasoning_content; ALTER TABLE sessions DROP COLUMN actual_cost_usd",
  );
  fill({ ...rig.state, session: (row) => rig.state.session(withoutCost(row)) });
  expect(await rig.run()).toHaveLength(3);
  await expect(rig.run({ from: join(rig.temp.home, "nowhere.db") })).rejects.toMatchObject({
    code: "store.import_missing",
  });
  const text = join(rig.temp.home, "text.db");
  writeFileSync(text, "this is no database at all, and long enough to have a header".repeat(100));
  await expect(rig.run({ from: text })).rejects.toMatchObject({ code: "store.import_unreadable" });
  await expect(rig.run({ from: join(rig.temp.home, "hermes.db") })).rejects.toMatchObject({
    code: "store.import_unreadable",
  });
  expect(readdirSync(rig.scratch)).toEqual([]);
});

test("whatever a transcript held, person and model take turns and each call has its result", async () => {
  const role = fc.constantFrom("user" as const, "assistant" as const, "tool" as const);
  const row = fc.record({
    role,
    calls: fc.subarray(["a", "b", "c"]),
    answers: fc.constantFrom("a", "b", "c"),
    at: fc.nat(99),
  });
  const make = ({ role: by, calls, answers }: { role: string; calls: string[]; answers: string }): Message => {
    if (by === "user") return userMessage("u");
    if (by === "tool") {
      const part = { type: "tool_result", callId: answers, name: "", outcome: "ok", content: [] } as const;
      return { role: "tool", parts: [part] };
    }
    const parts = calls.map((id) => ({ type: "tool_call", id, name: "t", arguments: "{}" }) as const);
    return {
      role: "assistant",
      parts: [{ type: "text", text: "m" }, ...parts],
      provider: "p",
      model: "m",
      finish: "stop",
    };
  };
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), async (rows) => {
      const given = (async function* () {
        for (const each of rows) yield { message: make(each), createdAt: each.at };
      })();
      const repairs = { strayResults: 0, missingResults: 0, joined: 0 };
      const ordered = await Array.fromAsync(orderMessages(given, repairs));
      let open: string[] = [];
      let before = "tool";
      for (const { message } of ordered) {
        if (message.role === "tool") {
          expect(open).toContain(message.parts[0].callId);
          open = open.filter((id) => id !== message.parts[0].callId);
        } else {
          expect(open).toEqual([]);
          expect(message.role).not.toBe(before);
          open = message.parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));
        }
        before = message.role;
      }
      expect(open).toEqual([]);
      expect(ordered.length === 0 || ordered[0]?.message.role === "user").toBe(true);
      const times = ordered.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const texts = ordered.flatMap(({ message }) =>
        message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
      );
      expect(texts.filter((text) => text === "u" || text === "m")).toHaveLength(
        rows.filter((each) => each.role !== "tool").length,
      );
    }),
  );
});

const withoutCost = (row: PythonSession): PythonSession =>
  Object.fromEntries(Object.entries(row).filter(([column]) => column !== "actual_cost_usd")) as PythonSession;

test("a session that another process removes while it comes in writes nothing into the one that has its number then", async () => {
  await using temp = await createTempStore();
  const { store } = temp;
  let working: TestSession | undefined;
  async function* messages(): AsyncIterable<TimedMessage> {
    for (let at = 0; at < 120; at += 1) {
      if (at === 60) {
        expect(await store.sessions.purge(1)).toBe(1);
        working = await startTestSession(store);
        await working.add("said meanwhile");
      }
      yield { message: asRedacted(userMessage(`word ${at}`)), createdAt: 1_700_000_000_000 + at };
    }
  }
  const coming: ImportedSession = {
    id: "a1b2c3d4" as SessionId,
    conversation: cliConversationKey("a1b2c3d4" as SessionId),
    source: "cli",
    title: "Tide tables",
    parent: null,
    rotatedFrom: null,
    provider: "p",
    model: "m",
    cwd: null,
    startedAt: 1_700_000_000_000,
    endedAt: null,
    endReason: null,
    modelCallCount: 0,
    usage: {},
    costUsd: 0,
    systemPrompt: asRedacted(""),
  };
  await expect(store.imports.add(coming, messages())).rejects.toMatchObject({ code: "store.no_session" });
  expect(await store.sessions.list({})).toMatchObject([{ id: working?.id, title: null, messageCount: 1 }]);
  expect((await store.messages.load(working?.id as SessionId)).map(textOf)).toEqual(["said meanwhile"]);
  expect(await store.imports.add(coming, [{ message: asRedacted(userMessage("again")), createdAt: 1 }])).toMatchObject({
    kind: "added",
    messages: 1,
  });
});

test("a database that is damaged in the middle is said to be unreadable, and nothing is copied", async () => {
  await using rig = await createRig();
  for (let at = 0; at < 60; at += 1) rig.state.session({ id: `s${at}`, system_prompt: "p".repeat(3_000) });
  rig.state.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  rig.state.database.close();
  const bytes = readFileSync(rig.path);
  bytes.fill(0x41, Math.floor(bytes.length / 2));
  writeFileSync(rig.path, bytes);
  await expect(rig.run()).rejects.toMatchObject({ code: "store.import_unreadable" });
  expect(await rig.temp.store.sessions.list({})).toEqual([]);
});
