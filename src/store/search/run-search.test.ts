import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { Clock } from "../../base/clock.ts";
import type { Message } from "../../llm/message.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { asRedacted, createTempStore, startTestSession, userMessage } from "../../testing/temp-store.ts";
import type { TempStore } from "../../testing/temp-store.ts";
import { openReader } from "../sqlite/reader.ts";
import type { SearchQuery } from "../store.ts";
import { runSearch } from "./run-search.ts";
import type { SearchAnswer } from "./run-search.ts";

const toolMessage = (text: string): Message => ({
  role: "tool",
  parts: [{ type: "tool_result", callId: "c", name: "t", outcome: "ok", content: [{ type: "text", text }] }],
});
const assistantMessage = (text: string): Message => ({
  role: "assistant",
  parts: [
    { type: "reasoning", text: "secretly thinking" },
    { type: "text", text },
    { type: "tool_call", id: "c", name: "t", arguments: '{"argument":"unsearchable"}' },
  ],
  provider: "p",
  model: "m",
  finish: "stop",
});

interface SearchedStore extends TempStore {
  /** The search itself, without the thread that it runs in otherwise (see `worker/`). */
  query(query: SearchQuery): Promise<SearchAnswer>;
}

const createSearchedStore = async (clock: Clock = systemClock): Promise<SearchedStore> => {
  const temp = await createTempStore({ clock });
  const reader = openReader(join(temp.home, "hermes.db"), clock);
  return {
    ...temp,
    query: (query) => runSearch(reader.db, query),
    [Symbol.asyncDispose]: async () => {
      reader.close();
      await temp[Symbol.asyncDispose]();
    },
  };
};

/** A store with one session of these texts. */
const withTexts = async (texts: readonly (string | Message)[]): Promise<SearchedStore> => {
  const temp = await createSearchedStore();
  const session = await startTestSession(temp.store);
  for (const text of texts) await session.add(text);
  return temp;
};

const find = async (temp: SearchedStore, text: string, more: Partial<SearchQuery> = {}): Promise<string[]> => {
  const { hits } = await temp.query({ text, limit: 50, ...more });
  return hits.map(({ snippet }) => snippet.replaceAll(/>>>|<<</g, ""));
};

describe("B27", () => {
  let temp: SearchedStore;
  beforeAll(async () => {
    temp = await withTexts([
      "night-shift roster",
      "only a roster",
      "written in C++",
      "I don't know",
      'a"b in text',
      "set col:val here",
      "- 🙂",
    ]);
  });
  afterAll(() => temp[Symbol.asyncDispose]());

  test.each([
    ["roster OR night-shift", ["only a roster", "night-shift roster"]],
    ["night-shift", ["night-shift roster"]],
    ['"night-shift"', ["night-shift roster"]],
    ["roster AND", ["only a roster", "night-shift roster"]],
    ["AND roster", ["only a roster", "night-shift roster"]],
    ["roster NOT night", ["only a roster"]],
    ["roster NOT", ["only a roster", "night-shift roster"]],
    ["shift only OR night roster", ["night-shift roster"]],
    ["C++", ["written in C++"]],
    ["don't", ["I don't know"]],
    ['a"b', ['a"b in text']],
    ["col:val", ["set col:val here"]],
    ["NEAR(", []],
    ["NEAR(night shift)", []],
    ["words:roster", []],
    ["ro*", ["only a roster", "night-shift roster"]],
    ["r*", []],
    ["rost*", ["only a roster", "night-shift roster"]],
    ["night-sh*", ["night-shift roster"]],
    ['"shift night"', []],
    ["ROSTER", ["only a roster", "night-shift roster"]],
    ["^roster {x} (only)", []],
    ["(roster) only", ["only a roster"]],
    ["“night shift”", ["night-shift roster"]],
  ])("B27 %s", async (query, expected) => {
    expect(await find(temp, query)).toEqual(expected);
    const ranked = await find(temp, query, { sort: "rank" });
    expect(new Set(ranked)).toEqual(new Set(expected));
  });

  test.each(["", "   ", "*", "%", "***", '""', "AND", "OR OR", "-", "🙂"])("B27 without a word: %s", async (query) => {
    const answer = await temp.query({ text: query, limit: 5 });
    expect(answer.hits).toEqual([]);
    expect(answer.explanation).toContain("no word");
  });

  test("B27 what finds nothing is explained only if it never could", async () => {
    expect((await temp.query({ text: "NOT anything", limit: 5 })).explanation).toContain("NOT");
    expect((await temp.query({ text: "absent", limit: 5 })).explanation).toBe(undefined);
  });
});

test("B28 CJK is found by any part of it that stands together, from one character on; scattered characters are not", async () => {
  await using temp = await withTexts([
    "关于潮汐记录的笔记本讨论",
    "潮水的汐和记忆的录音，笔记",
    "メモ: カメラを修理する",
    "회의록을 정리했다",
    "rare 𠮷野家 character",
    "iPhone发布会2024",
  ]);
  expect(await find(temp, "潮汐记录")).toEqual(["关于潮汐记录的笔记本讨论"]);
  expect(await find(temp, "潮汐")).toEqual(["关于潮汐记录的笔记本讨论"]);
  expect(await find(temp, "录")).toHaveLength(2);
  expect(await find(temp, "论")).toEqual(["关于潮汐记录的笔记本讨论"]);
  expect(await find(temp, "カメラ")).toEqual(["メモ: カメラを修理する"]);
  expect(await find(temp, "회의")).toEqual(["회의록을 정리했다"]);
  expect(await find(temp, "회의".normalize("NFD"))).toEqual(["회의록을 정리했다"]);
  expect(await find(temp, "𠮷野")).toEqual(["rare 𠮷野家 character"]);
  expect(await find(temp, "iphone发布会")).toEqual(["iPhone发布会2024"]);
  expect(await find(temp, "潮汐 NOT 笔记")).toEqual([]);
  expect(await find(temp, "潮汐 OR 카메라 OR カメラ")).toHaveLength(2);
});

test("B28 two runs of CJK do not make a third one; wildcards are text", async () => {
  await using temp = await withTexts(["潮汐 汐记", "完成100%了 a_b 潮汐", "完成1000了 axb 潮汐"]);
  expect(await find(temp, "潮汐记")).toEqual([]);
  expect(await find(temp, "100% 潮汐")).toEqual(["完成100%了 a_b 潮汐"]);
  expect(await find(temp, "a_b 潮汐")).toEqual(["完成100%了 a_b 潮汐"]);
  expect(await find(temp, "潮汐", { limit: 1 })).toEqual(["完成1000了 axb 潮汐"]);
});

test("accents and case do not matter; reasoning and arguments are not searched", async () => {
  await using temp = await withTexts([
    "Café Übung",
    "CAFE\u0301",
    assistantMessage("the answer"),
    toolMessage("tool output"),
  ]);
  expect(await find(temp, "cafe")).toHaveLength(2);
  expect(await find(temp, "ubung")).toEqual(["Café Übung"]);
  expect(await find(temp, "thinking OR unsearchable")).toEqual([]);
  expect(await find(temp, "answer OR output")).toEqual(["tool output", "the answer"]);
});

test("filters and the limit hold together, whatever the order", async () => {
  const clock = createFakeClock({ now: 1_000_000 });
  await using temp = await createSearchedStore(clock);
  const one = await startTestSession(temp.store, { source: "telegram" });
  const two = await startTestSession(temp.store);
  for (let n = 1; n <= 6; n += 1) {
    await one.add(`tide one ${n}`);
    await clock.advance(700);
    await two.add(assistantMessage(`tide two ${n}`));
    await clock.advance(700);
  }
  expect(await find(temp, "tide", { limit: 3 })).toEqual(["tide two 6", "tide one 6", "tide two 5"]);
  expect(await find(temp, "tide", { limit: 2, sort: "oldest" })).toEqual(["tide one 1", "tide two 1"]);
  expect(await find(temp, "tide", { session: one.id, limit: 2 })).toEqual(["tide one 6", "tide one 5"]);
  expect(await find(temp, "tide", { source: "telegram", roles: ["user"], limit: 9 })).toHaveLength(6);
  expect(await find(temp, "tide", { roles: ["user"], session: two.id })).toEqual([]);
  expect(await find(temp, "tide", { from: 1_005_600, to: 1_006_300 })).toEqual(["tide two 5", "tide one 5"]);
  expect(await find(temp, "tide", { roles: ["assistant", "tool"], sort: "rank", limit: 2 })).toEqual([
    "tide two 6",
    "tide two 5",
  ]);
  expect(await find(temp, "tide", { limit: 0 })).toEqual([]);
  expect(await find(temp, "tide", { session: "missing" as never })).toEqual([]);
  await temp.store.sessions.delete([two.id]);
  expect(await find(temp, "tide", { limit: 1 })).toEqual(["tide one 6"]);
});

test("decision 4: rank puts the best of the newest 1,000 first, and goes on with older ones unranked", async () => {
  await using temp = await createSearchedStore();
  const session = await startTestSession(temp.store);
  await session.add("lighthouse lighthouse lighthouse, too old to be ranked");
  await session.add("the lighthouse is mentioned once in a message of many other words about the weather and the sea");
  const best = await session.add("lighthouse lighthouse");
  for (let n = 0; n < 998; n += 1) await session.add(`lighthouse ${"and other words ".repeat(3)}${n}`);
  const { hits } = await temp.query({ text: "lighthouse", sort: "rank", limit: 1_005 });
  expect(hits).toHaveLength(1_001);
  expect(hits[0]?.seq).toBe(best.seq);
  expect(hits.at(-1)?.seq).toBe(1);
});

test("a hit says where it is", async () => {
  await using temp = await createSearchedStore();
  const session = await startTestSession(temp.store, { source: "tui" });
  await temp.store.sessions.setTitle(session.id, "Harbour", "user");
  const { id } = await session.add("a lantern");
  const [hit] = (await temp.query({ text: "lantern", limit: 1 })).hits;
  expect(hit).toMatchObject({
    messageId: id,
    session: session.id,
    seq: 1,
    role: "user",
    sessionTitle: "Harbour",
    sessionStartedAt: session.record.startedAt,
    conversation: session.record.conversation,
    source: "tui",
    model: "small",
  });
  expect(hit?.snippet).toBe("a >>>lantern<<<");
});

test("snippets stand on one line round the first hit, with at most 240 characters and no half character", async () => {
  const smile = "😀";
  await using temp = await withTexts([
    `${smile.repeat(150)} lantern\n\tand\u001B[31m lantern ${smile.repeat(150)}`,
    `${"word ".repeat(500)}lantern-light`,
    `${"x".repeat(63 * 1_024)} lantern ${"lantern ".repeat(400)}`,
    `İstanbul İİİ LANTERN Ünïcödé`,
  ]);
  const { hits } = await temp.query({ text: "lantern OR unicode", limit: 9 });
  const snippets = hits.map(({ snippet }) => snippet);
  expect(snippets[0]).toBe("İstanbul İİİ >>>LANTERN<<< >>>Ünïcödé<<<");
  expect(snippets[2]).toMatch(/^…(word )+>>>lantern<<<-light$/);
  expect(snippets[3]).toContain(" >>>lantern<<< and [31m >>>lantern<<< ");
  for (const snippet of snippets) {
    expect(snippet.length).toBeLessThanOrEqual(240);
    expect(snippet.isWellFormed()).toBe(true);
    expect(snippet).not.toMatch(/[\n\t]/);
  }
});

test("B27 no text whatever is a wrong query, and a stored text is found by each of its words", async () => {
  await using temp = await createSearchedStore();
  const session = await startTestSession(temp.store);
  const piece = fc.oneof(
    fc.constantFrom("AND", "OR", "NOT", "NEAR", '"', "*", "(", ")", "^", ":", "-", "+", "\0", "'", "words :", "{a b}"),
    fc.constantFrom("\uD800", "潮汐", "e\u0301", "\u0301", "\u{31350}", "ﬁ", "٣", "_", "%", "\u200B"),
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.stringMatching(/^[a-z]{1,6}$/),
  );
  const query = fc
    .array(piece, { maxLength: 12 })
    .chain((pieces) => fc.constantFrom(pieces.join(" "), pieces.join("")));
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom("rank" as const, "newest" as const), async (text, sort) => {
      const { hits, explanation } = await temp.query({ text, limit: 3, sort });
      expect(explanation === undefined || hits.length === 0).toBe(true);
    }),
    { numRuns: 400 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.stringMatching(/^[a-z]{2,8}$/), { minLength: 1, maxLength: 5 }), async (words) => {
      const { id } = await session.add(words.join(", "));
      for (const each of [words.join(" "), `"${words.join(" ")}"`, `${words[0]}*`]) {
        const { hits } = await temp.query({ text: each, limit: 1 });
        expect(hits[0]?.messageId).toBe(id);
      }
    }),
    { numRuns: 30 },
  );
});

test("very long queries are answered", async () => {
  await using temp = await withTexts(["a needle"]);
  expect(await find(temp, "needle ".repeat(3_000))).toEqual(["a needle"]);
  expect(await find(temp, "needle OR ".repeat(3_000))).toEqual(["a needle"]);
  expect(await find(temp, `"${"needle ".repeat(500)}"`)).toEqual([]);
  expect(await find(temp, "潮".repeat(5_000))).toEqual([]);
});

const places = async (temp: SearchedStore, query: SearchQuery): Promise<readonly string[]> =>
  (await temp.query(query)).hits.map(({ session, seq }) => `${session}#${seq}`);

/** A conversation that was compressed once (its last two messages kept), another one, and one that hides from lists. */
const withRotation = async () => {
  const clock = createFakeClock({ now: 1_000_000 });
  const temp = await createSearchedStore(clock);
  const old = await startTestSession(temp.store);
  for (const text of ["tide one", "tide two", "tide three"]) {
    await old.add(text);
    await clock.advance(1_000);
  }
  const messages = (await temp.store.messages.load(old.id)).slice(1).map(({ createdAt, ...message }) => ({
    message: asRedacted<Message>({ ...userMessage(""), parts: message.parts } as Message),
    createdAt,
  }));
  const summary = { message: asRedacted<Message>(userMessage("summary of the tide")), createdAt: clock.now() };
  const child = { ...old.record, systemPrompt: asRedacted("You help."), parent: old.id };
  const next = await temp.store.conversations.rotate({
    key: old.record.conversation,
    from: old.id,
    child,
    reason: "compression",
    messages: [summary, ...messages],
    lease: old.lease,
  });
  await clock.advance(1_000);
  const other = await startTestSession(temp.store);
  await other.add("tide elsewhere");
  const hidden = await startTestSession(temp.store, { source: "tool" });
  await hidden.add("tide of a helper");
  return { temp, old: old.id, next: next.id, other: other.id, hidden: hidden.id, key: old.record.conversation };
};

test("a conversation counts as one: messages that were kept over a compression come up once, and no more than asked", async () => {
  const { temp, old, next, other, hidden, key } = await withRotation();
  await using _ = temp;
  for (const sort of ["rank", "newest"] as const) {
    const found = await places(temp, { text: "tide", limit: 9, perConversation: 9, sort });
    expect(found.toSorted()).toEqual(
      [`${old}#1`, `${next}#1`, `${next}#2`, `${next}#3`, `${other}#1`, `${hidden}#1`].toSorted(),
    );
    const two = await places(temp, { text: "tide", limit: 9, perConversation: 2, sort });
    expect(two.filter((place) => place.startsWith(old) || place.startsWith(next))).toHaveLength(2);
    expect(two).toHaveLength(4);
  }
  expect(await places(temp, { text: "tide", limit: 9, conversation: key, sort: "oldest", perConversation: 9 })).toEqual(
    [`${old}#1`, `${old}#2`, `${old}#3`, `${next}#1`],
  );
  expect(await places(temp, { text: "tide", limit: 9, conversation: "cli:none" as never })).toEqual([]);
});

test("what the asking session holds itself does not come up, what its conversation has forgotten does", async () => {
  const { temp, old, next, other, hidden } = await withRotation();
  await using _ = temp;
  expect(await places(temp, { text: "tide", limit: 9, besides: next })).toEqual([
    `${hidden}#1`,
    `${other}#1`,
    `${old}#1`,
  ]);
  expect(await places(temp, { text: "tide", limit: 9, besides: next, listed: true })).toEqual([
    `${other}#1`,
    `${old}#1`,
  ]);
  expect(await places(temp, { text: "tide", limit: 9, source: "tool", listed: true })).toEqual([`${hidden}#1`]);
  expect(await places(temp, { text: "tide", limit: 9, roles: [] })).toEqual([]);
});

test("one conversation with many hits does not hide the others, however far back they are", async () => {
  await using temp = await createSearchedStore();
  const rare = await startTestSession(temp.store);
  await rare.add("lantern in the old harbour");
  const loud = await startTestSession(temp.store);
  for (let n = 0; n < 1_300; n += 1) await loud.add(`lantern ${n}`);
  for (const sort of ["rank", "newest"] as const) {
    const found = await places(temp, { text: "lantern", limit: 6, perConversation: 3, sort });
    expect(found).toHaveLength(4);
    expect(found.at(-1)).toBe(`${rare.id}#1`);
  }
});

test("every filter finds what reading all messages finds", async () => {
  const clock = createFakeClock({ now: 50_000_000 });
  await using temp = await createSearchedStore(clock);
  const rows: { text: string; role: string; source: string; session: string; at: number }[] = [];
  const sources = ["cli", "telegram", "a:b c\u{1F600}", "tool"];
  for (const source of sources) {
    const session = await startTestSession(temp.store, { source });
    for (const [n, make] of [userMessage, assistantMessage, toolMessage, userMessage].entries()) {
      const text = n % 2 === 0 ? "tide and lamp" : "tide alone";
      rows.push({ text, role: make("").role, source, session: session.id, at: clock.now() });
      await session.add(make(text));
      await clock.advance(1_500);
    }
  }
  const role = fc.constantFrom("user" as const, "assistant" as const, "tool" as const);
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const time = fc.integer({ min: 49_999_000, max: 50_030_000 });
  const filter = fc.record({
    text: fc.constantFrom("tide", "lamp", "tide NOT lamp", '"tide alone"'),
    roles: maybe(fc.uniqueArray(role, { maxLength: 3 })),
    source: maybe(fc.constantFrom(...sources, "signal")),
    session: maybe(fc.constantFrom(...rows.map((row) => row.session))),
    from: maybe(time),
    to: maybe(time),
    sort: fc.constantFrom("rank" as const, "newest" as const, "oldest" as const),
  });
  await fc.assert(
    fc.asyncProperty(filter, async ({ text, roles, source, session, from, to, sort }) => {
      const given = Object.fromEntries(
        Object.entries({ roles, source, session, from, to }).filter(([, value]) => value !== undefined),
      );
      const { hits } = await temp.query({ text, sort, limit: 99, ...given });
      const wanted = rows.filter(
        (row) =>
          (text === "tide" || row.text.includes("lamp") === (text === "lamp")) &&
          roles?.includes(row.role as "user") !== false &&
          (source ?? row.source) === row.source &&
          (session ?? row.session) === row.session &&
          row.at >= (from ?? 0) &&
          row.at <= (to ?? Infinity),
      );
      const inOrder = (times: readonly number[]) => times.toSorted((a, b) => a - b);
      expect(inOrder(hits.map(({ createdAt }) => createdAt))).toEqual(inOrder(wanted.map(({ at }) => at)));
    }),
    { numRuns: 150 },
  );
});
