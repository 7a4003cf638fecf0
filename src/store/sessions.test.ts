import { expect, test } from "vitest";
import type { SessionId } from "../base/ids.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { asRedacted, createTempStore, startTestSession } from "../testing/temp-store.ts";
import type { NewSession, Store } from "./store.ts";

const blank: NewSession = {
  source: "cli",
  provider: "p",
  model: "m",
  cwd: null,
  systemPrompt: asRedacted("You help.\0\nBriefly."),
};

test("a new session is a conversation of its own, unless it is given one", async () => {
  const clock = createFakeClock({ now: Date.UTC(2026, 11, 1, 9, 30) });
  await using temp = await createTempStore({ clock });
  const { sessions, conversations } = temp.store;
  const first = await sessions.create(blank);
  expect(first).toMatchObject({
    source: "cli",
    title: null,
    parent: null,
    messageCount: 0,
    usage: {},
    costUsd: 0,
    deletedAt: null,
  });
  expect(first.id).toMatch(/^20261201_093000_[0-9a-f]{6}$/);
  expect(first.conversation).toBe(`cli:${first.id}`);
  expect(await conversations.current(first.conversation)).toBe(first.id);
  const next = await sessions.create({ ...blank, conversation: first.conversation, parent: first.id });
  expect(await conversations.current(first.conversation)).toBe(next.id);
  expect(await sessions.get(next.id)).toEqual(next);
  expect(await sessions.get("missing" as SessionId)).toBe(undefined);
  expect(await sessions.systemPrompt(first.id)).toBe("You help.\0\nBriefly.");
  await expect(sessions.systemPrompt("missing" as SessionId)).rejects.toMatchObject({ code: "store.no_session" });
});

test("R-SESS-1 R-SESS-2 a session is found by id, title and beginning of an id, wrapped or not, titled or not", async () => {
  const clock = createFakeClock({ now: Date.UTC(2026, 11, 1) });
  await using temp = await createTempStore({ clock });
  const { sessions } = temp.store;
  const untitled = await sessions.create(blank);
  clock.jumpWall(24 * 3_600_000);
  const titled = await sessions.create(blank);
  await sessions.setTitle(titled.id, "[Tide] tables", "user");
  const ids = async (text: string): Promise<unknown> => {
    const found = await sessions.lookup(text);
    if (found.kind === "found") return found.session.id;
    return found.kind === "ambiguous" ? found.candidates.map(({ id }) => id) : found.kind;
  };
  for (const wrap of ["", "[]", "<>", '""', "''"]) {
    const [open = "", close = ""] = wrap.split("");
    expect(await ids(`${open}${untitled.id}${close}`)).toBe(untitled.id);
    expect(await ids(`${open}20261202${close}`)).toBe(titled.id);
    expect(await ids(`${open}[Tide] tables${close}`)).toBe(titled.id);
  }
  expect(await ids("[tide] TABLES")).toBe(titled.id);
  expect(await ids("2026120")).toEqual([titled.id, untitled.id]);
  expect(await ids(`[${untitled.id}`)).toBe("none");
  expect(await ids("20261201%")).toBe("none");
  expect(await ids("2026120_")).toBe("none");
  expect(await ids("")).toBe("none");
});

test("an exact name wins over what it begins, and a miss names what is near", async () => {
  await using temp = await createTempStore();
  const { sessions } = temp.store;
  const [a, b, c] = [await sessions.create(blank), await sessions.create(blank), await sessions.create(blank)];
  await sessions.setTitle(a.id, "2026", "user");
  await sessions.setTitle(b.id, "Harbour plans", "user");
  await sessions.setTitle(c.id, "Shopping", "user");
  expect(await sessions.lookup("2026")).toMatchObject({ kind: "found", session: { id: a.id } });
  const miss = await sessions.lookup("harbor plan");
  expect(miss).toMatchObject({ kind: "none" });
  expect(miss.kind === "none" && miss.nearest.map(({ title }) => title)).toEqual(["Harbour plans"]);
  await sessions.setTitle(c.id, "TIDES", "user");
  await sessions.setTitle(b.id, "Tides", "user");
  expect(await sessions.lookup("tides")).toMatchObject({ kind: "ambiguous" });
  expect(await sessions.lookup("Tides")).toMatchObject({ kind: "found", session: { id: b.id } });
});

const rotate = (store: Store, from: { readonly id: SessionId; readonly conversation: NewSession["conversation"] }) =>
  store.conversations.rotate({ key: from.conversation!, from: from.id, child: blank, reason: "compression" });

test("decision 9: an id or title whose session was compressed leads to the newest of its lineage", async () => {
  const clock = createFakeClock({ now: Date.UTC(2026, 11, 1) });
  await using temp = await createTempStore({ clock });
  const { sessions } = temp.store;
  const first = await sessions.create(blank);
  await sessions.setTitle(first.id, "Tide tables", "user");
  clock.jumpWall(1_000);
  const second = await rotate(temp.store, first);
  clock.jumpWall(1_000);
  const third = await rotate(temp.store, second);
  clock.jumpWall(3_600_000);
  const branch = await sessions.create({ ...blank, parent: first.id });
  expect([second.title, third.title]).toEqual(["Tide tables #2", "Tide tables #3"]);
  expect(await sessions.lookup(first.id)).toMatchObject({
    kind: "found",
    session: { id: third.id },
    followed: first.id,
  });
  expect(await sessions.lookup(third.id)).toMatchObject({ session: { id: third.id }, followed: null });
  expect(await sessions.lookup("Tide tables")).toMatchObject({ session: { id: third.id }, followed: null });
  expect(await sessions.lookup(branch.id)).toMatchObject({ session: { id: branch.id }, followed: null });
  // Both ids that begin so are one lineage.
  expect(await sessions.lookup(first.id.slice(0, 13))).toMatchObject({ kind: "found", session: { id: third.id } });
  await sessions.delete([third.id]);
  expect(await sessions.lookup(first.id)).toMatchObject({ session: { id: second.id }, followed: first.id });
});

test("B29 automatic titles are numbered, and never replace a person's", async () => {
  await using temp = await createTempStore();
  const { sessions } = temp.store;
  const create = async (): Promise<SessionId> => (await sessions.create(blank)).id;
  const [a, b, c, d] = [await create(), await create(), await create(), await create()];
  expect(await sessions.setTitle(a, "Tide tables", "auto")).toEqual({ kind: "set", title: "Tide tables" });
  expect(await sessions.setTitle(b, "Tide tables #2", "user")).toEqual({ kind: "set", title: "Tide tables #2" });
  expect(await sessions.setTitle(c, "Tide tables", "auto")).toEqual({ kind: "set", title: "Tide tables #3" });
  expect(await sessions.setTitle(b, "Something else", "auto")).toEqual({ kind: "kept", title: "Tide tables #2" });
  expect(await sessions.setTitle(d, "Tide tables", "user")).toEqual({ kind: "taken", by: a });
  expect((await sessions.get(d))?.title).toBe(null);
  expect(await sessions.setTitle(a, "Tide tables", "auto")).toEqual({ kind: "set", title: "Tide tables" });
  expect(await sessions.setTitle(a, "Tide tables", "user")).toEqual({ kind: "set", title: "Tide tables" });
  expect(await sessions.get(a)).toMatchObject({ title: "Tide tables", titleFrom: "user" });
});

test("titles are visible text on one line, at most 100 characters, unique under their numbers too", async () => {
  await using temp = await createTempStore();
  const { sessions } = temp.store;
  const [a, b] = [(await sessions.create(blank)).id, (await sessions.create(blank)).id];
  const title = async (id: SessionId, text: string, from: "user" | "auto" = "user"): Promise<string> => {
    const outcome = await sessions.setTitle(id, text, from);
    return outcome.kind === "set" ? outcome.title : outcome.kind;
  };
  expect(await title(a, "  Tide\u200B\u202E \u0000\n\ttables\uFEFF\u2066 \uD800 ")).toBe("Tide tables");
  const long = `${"x".repeat(99)}😀`;
  expect(await title(a, long)).toBe("x".repeat(99));
  expect(await title(b, "x".repeat(120), "auto")).toBe("x".repeat(100));
  expect(await title(a, "x".repeat(100), "auto")).toBe("kept");
  const c = (await sessions.create(blank)).id;
  expect(await title(c, "x".repeat(100), "auto")).toBe(`${"x".repeat(97)} #2`);
  await expect(sessions.setTitle(a, "\u200B \n", "user")).rejects.toMatchObject({
    code: "store.empty_title",
    exitCode: 2,
  });
  await expect(sessions.setTitle("missing" as SessionId, "x", "user")).rejects.toMatchObject({
    code: "store.no_session",
  });
});

test("an end has its reason and can be taken back", async () => {
  const clock = createFakeClock({ now: 5_000 });
  await using temp = await createTempStore({ clock });
  const { sessions } = temp.store;
  const { id } = await sessions.create(blank);
  await sessions.end(id, "cli_close");
  expect(await sessions.get(id)).toMatchObject({ endedAt: 5_000, endReason: "cli_close" });
  await sessions.reopen(id);
  expect(await sessions.get(id)).toMatchObject({ endedAt: null, endReason: null });
  await expect(sessions.end("missing" as SessionId, "cli_close")).rejects.toMatchObject({ code: "store.no_session" });
});

test("a deleted session is found only where deleted ones are asked for, gives its title away, and comes back", async () => {
  await using temp = await createTempStore();
  const { sessions } = temp.store;
  const one = await startTestSession(temp.store);
  await one.add("a lantern");
  const other = await sessions.create(blank);
  await sessions.setTitle(one.id, "Lamps", "user");
  expect(await sessions.delete([one.id, one.id, "missing" as SessionId])).toBe(1);
  expect(await sessions.delete([one.id])).toBe(0);
  expect(await sessions.lookup(one.id)).toMatchObject({ kind: "none" });
  expect(await sessions.lookup("Lamps")).toMatchObject({ kind: "none" });
  expect(await sessions.lookup(one.id, { deleted: true })).toMatchObject({ kind: "found", session: { id: one.id } });
  expect((await sessions.list({})).map(({ id }) => id)).toEqual([other.id]);
  expect((await sessions.list({ deleted: true })).map(({ id }) => id)).toEqual([one.id]);
  expect((await temp.store.search.query({ text: "lantern", limit: 1 })).hits).toEqual([]);
  expect(await sessions.stats()).toMatchObject({ sessions: 1, messages: 0 });
  expect(await sessions.setTitle(other.id, "Lamps", "user")).toMatchObject({ kind: "set" });
  expect(await sessions.restore([one.id, other.id])).toBe(1);
  expect(await sessions.get(one.id)).toMatchObject({ title: "Lamps #2", deletedAt: null });
  expect((await temp.store.search.query({ text: "lantern", limit: 1 })).hits).toHaveLength(1);
});

test("lists are newest first by activity and take every filter; newest is the first of them", async () => {
  const clock = createFakeClock({ now: 1_000 });
  await using temp = await createTempStore({ clock });
  const { sessions } = temp.store;
  const made = [];
  for (const source of ["cli", "tool", "telegram", "cli"]) {
    made.push(await startTestSession(temp.store, { source }));
    clock.jumpWall(1_000);
  }
  const [a, b, c, d] = made.map(({ id }) => id);
  const list = async (filter: Parameters<typeof sessions.list>[0]): Promise<unknown> =>
    (await sessions.list(filter)).map(({ id }) => id);
  expect(await list({})).toEqual([d, c, b, a]);
  // Nothing was said in them yet.
  expect(await list({ listed: true })).toEqual([]);
  for (const session of made.slice(1)) {
    await session.add("hello");
    clock.jumpWall(1_000);
  }
  await made[0]?.add("later than the others");
  expect(await list({})).toEqual([a, d, c, b]);
  expect(await list({ limit: 2, offset: 1 })).toEqual([d, c]);
  expect(await list({ listed: true })).toEqual([a, d, c]);
  expect(await list({ source: "tool" })).toEqual([b]);
  expect(await list({ activeBefore: 5_001 })).toEqual([b]);
  expect((await sessions.newest())?.id).toBe(a);
  expect((await sessions.newest({ source: "telegram" }))?.id).toBe(c);
  expect(await sessions.newest({ source: "none" })).toBe(undefined);
});

test("openings: one line of what was first said, cut between characters; nothing for a session without text", async () => {
  await using temp = await createTempStore();
  const said = async (...texts: string[]): Promise<SessionId> => {
    const session = await startTestSession(temp.store);
    for (const text of texts) await session.add(text);
    return session.id;
  };
  const plain = await said("plan\n\n\tthe   journey", "later");
  const long = await said("🦜".repeat(60));
  const silent = await said();
  const blank = await said(" \n ");
  const openings = await temp.store.sessions.openings([plain, long, silent, blank]);
  expect(openings).toEqual(
    new Map([
      [plain, "plan the journey"],
      [long, "🦜".repeat(40)],
    ]),
  );
  expect(await temp.store.sessions.openings([])).toEqual(new Map());
});

test("sessions of the same millisecond are listed in the order they were made, the last first", async () => {
  await using temp = await createTempStore({ clock: createFakeClock() });
  const made: SessionId[] = [];
  for (let n = 0; n < 5; n += 1) made.push((await temp.store.sessions.create(blank)).id);
  expect((await temp.store.sessions.list({})).map(({ id }) => id)).toEqual(made.toReversed());
});

test("statistics add up over sessions; an unknown price makes the sum unknown", async () => {
  await using temp = await createTempStore();
  const { sessions, messages } = temp.store;
  expect(await sessions.stats()).toMatchObject({
    sessions: 0,
    messages: 0,
    toolCalls: 0,
    usage: {},
    costUsd: 0,
    bySource: [],
  });
  const [one, two] = [await startTestSession(temp.store), await startTestSession(temp.store, { source: "telegram" })];
  const call = async (session: typeof one, costUsd: number | null): Promise<void> => {
    const parts = [{ type: "tool_call", id: "1", name: "a", arguments: "" }] as const;
    const message = asRedacted({ role: "assistant", parts, provider: "p", model: "m", finish: "stop" } as const);
    await messages.append(session.id, message, { lease: session.lease, call: { usage: { inputTokens: 3 }, costUsd } });
  };
  await call(one, 0.5);
  await call(two, 0.25);
  await two.add("hello");
  const stats = await sessions.stats();
  expect(stats).toMatchObject({
    sessions: 2,
    messages: 3,
    toolCalls: 2,
    usage: { inputTokens: 6 },
    costUsd: 0.75,
    bySource: [
      { source: "cli", sessions: 1, messages: 1 },
      { source: "telegram", sessions: 1, messages: 2 },
    ],
  });
  expect(stats.databaseBytes).toBeGreaterThan(10_000);
  await call(one, null);
  expect((await sessions.stats()).costUsd).toBe(null);
});
