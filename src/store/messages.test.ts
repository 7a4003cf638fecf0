import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../llm/message.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { asRedacted, createTempStore, startTestSession, userMessage } from "../testing/temp-store.ts";

/** Text with everything that storage tends to break: lone surrogates, NUL, controls, quotes, emoji, CJK. */
const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom("\0", "\uD800", "\uDFFF", "\uD83D", "\u2028", '"', "\\", "\n", "é", "潮", "👩‍👩‍👧", "\uFEFF"),
  ),
  maxLength: 30,
});
const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
const textPart = fc.record({ type: fc.constant("text" as const), text });
const image = fc.record({
  type: fc.constant("image" as const),
  hash,
  mediaType: fc.constant("image/png"),
  byteLength: fc.nat(),
});
// JSON cannot say -0: no provider sends it.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const count = fc.nat();
const usage = fc.record({ inputTokens: count, outputTokens: count, cacheReadTokens: count }, { requiredKeys: [] });

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record(
    {
      role: fc.constant("user" as const),
      parts: fc.array(fc.oneof(textPart, image), { maxLength: 4 }),
      origin: fc.record({ surface: text, sender: text, platformMessageId: text }, { requiredKeys: ["surface"] }),
      contextLine: text,
    },
    { requiredKeys: ["role", "parts", "origin"] },
  ),
  fc.record(
    {
      role: fc.constant("assistant" as const),
      parts: fc.array(
        fc.oneof(
          textPart,
          fc.record({ type: fc.constant("reasoning" as const), text }),
          fc.record({ type: fc.constant("tool_call" as const), id: text, name: text, arguments: text }),
          fc.record({
            type: fc.constant("opaque" as const),
            wire: fc.constantFrom("anthropic_messages" as const, "codex_responses" as const),
            provider: text,
            model: text,
            data: json,
          }),
        ),
        { maxLength: 5 },
      ),
      provider: text,
      model: text,
      finish: fc.constantFrom("stop" as const, "tool_calls" as const, "interrupted" as const),
      usage,
      refusal: text,
    },
    { requiredKeys: ["role", "parts", "provider", "model", "finish"] },
  ),
  fc.record({
    role: fc.constant("tool" as const),
    parts: fc.tuple(
      fc.record({
        type: fc.constant("tool_result" as const),
        callId: text,
        name: text,
        outcome: fc.constantFrom("ok" as const, "error" as const, "interrupted" as const),
        content: fc.array(fc.oneof(textPart, image), { maxLength: 3 }),
      }),
    ),
  }),
) as fc.Arbitrary<Message>;

test("decision 8, B09: any message comes back exactly, parts in their order", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  const stored: Message[] = [];
  await fc.assert(
    fc.asyncProperty(message, async (each) => {
      const { seq } = await session.add(each);
      stored.push(each);
      expect(seq).toBe(stored.length);
    }),
    { numRuns: 300 },
  );
  const loaded = await temp.store.messages.load(session.id);
  expect(loaded.map(({ id: _id, seq: _seq, createdAt: _at, ...rest }) => rest)).toEqual(stored);
  expect(loaded.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
  const streamed = await Array.fromAsync(temp.store.messages.stream(session.id));
  expect(streamed).toStrictEqual(loaded);
});

test("B09 signed thinking between tool calls keeps its place and bytes over a restart", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  const opaque = (signature: string) =>
    ({
      type: "opaque",
      wire: "anthropic_messages",
      provider: "a",
      model: "m",
      data: { type: "thinking", signature },
    }) as const;
  const call = (id: string) => ({ type: "tool_call", id, name: "t", arguments: `{ "a" : 1.0 }` }) as const;
  const parts = [opaque("s1=="), call("a"), opaque("s2=="), call("b")];
  await session.add({ role: "assistant", parts, provider: "a", model: "m", finish: "tool_calls" });
  await temp.store.close();
  const [loaded] = await (await temp.open()).messages.load(session.id);
  expect(loaded?.parts).toStrictEqual(parts);
});

test("a message's counters, usage and cost are in its session as soon as it is", async () => {
  const clock = createFakeClock({ now: 1_000_000 });
  await using temp = await createTempStore({ clock });
  const session = await startTestSession(temp.store);
  await clock.advance(5_000);
  await session.add("hello");
  const answer: Message = {
    role: "assistant",
    parts: [
      { type: "tool_call", id: "1", name: "a", arguments: "{}" },
      { type: "tool_call", id: "2", name: "b", arguments: "{}" },
    ],
    provider: "p",
    model: "m",
    finish: "tool_calls",
  };
  const add = (usage: object, costUsd: number | null): Promise<unknown> =>
    temp.store.messages.append(session.id, asRedacted(answer), { lease: session.lease, call: { usage, costUsd } });
  await add({ inputTokens: 10, outputTokens: 2 }, 0.25);
  await add({ inputTokens: 5, cacheReadTokens: 0 }, 0.5);
  expect(await temp.store.sessions.get(session.id)).toMatchObject({
    messageCount: 3,
    toolCallCount: 4,
    modelCallCount: 2,
    usage: { inputTokens: 15, outputTokens: 2, cacheReadTokens: 0 },
    costUsd: 0.75,
    startedAt: 1_000_000,
    activeAt: 1_005_000,
  });
  const known = await temp.store.sessions.get(session.id);
  expect(known?.usage).not.toHaveProperty("reasoningTokens");
  await add({}, null);
  await add({}, 1);
  expect((await temp.store.sessions.get(session.id))?.costUsd).toBe(null);
});

test("decision 10: without the session's lease nothing is added", async () => {
  await using temp = await createTempStore();
  const [one, other] = [await startTestSession(temp.store), await startTestSession(temp.store)];
  const append = (lease: typeof one.lease): Promise<unknown> =>
    temp.store.messages.append(one.id, asRedacted(userMessage("x")), { lease });
  await expect(append(other.lease)).rejects.toMatchObject({ code: "store.lease_lost" });
  await one.lease.release();
  await expect(append(one.lease)).rejects.toMatchObject({ code: "store.lease_lost" });
  expect((await temp.store.sessions.get(one.id))?.messageCount).toBe(0);
  expect((await temp.store.search.query({ text: "x", limit: 5 })).hits).toEqual([]);
});

test("appends that are started at once are all there, in the order of the calls", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  const saved = await Promise.all(Array.from({ length: 300 }, (_, n) => session.add(`message ${n}`)));
  expect(saved.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
  const loaded = await temp.store.messages.load(session.id);
  expect(loaded.map((each) => each.parts[0])).toEqual(
    Array.from({ length: 300 }, (_, n) => ({ type: "text", text: `message ${n}` })),
  );
  expect(new Set(loaded.map(({ id }) => id)).size).toBe(300);
});

test("a session that does not exist is said", async () => {
  await using temp = await createTempStore();
  const missing = "20260101_000000_abcdef" as never;
  await expect(temp.store.messages.load(missing)).rejects.toMatchObject({ code: "store.no_session" });
  expect(await Array.fromAsync(temp.store.messages.stream(missing))).toEqual([]);
});

test("a copy has the first messages with their times, is searched like them, and can be gone on with", async () => {
  const clock = createFakeClock();
  await using temp = await createTempStore({ clock });
  const from = await startTestSession(temp.store);
  for (let n = 1; n <= 230; n += 1) await from.add(`lighthouse ${n}`);
  clock.jumpWall(3 * 24 * 3_600_000);
  const to = await startTestSession(temp.store, { parent: from.id });
  expect(await temp.store.messages.copy(from.id, to.id, 210)).toBe(210);
  const [source, copy] = [await temp.store.messages.load(from.id), await temp.store.messages.load(to.id)];
  const plain = (messages: typeof source): unknown => messages.map(({ id: _id, ...rest }) => rest);
  expect(plain(copy)).toEqual(plain(source.slice(0, 210)));
  expect(copy.some(({ id }) => source.some((each) => each.id === id))).toBe(false);
  expect((await to.add("more")).seq).toBe(211);
  expect((await temp.store.sessions.get(to.id))?.messageCount).toBe(211);
  const found = await temp.store.search.query({ text: '"lighthouse 7"', session: to.id, limit: 5 });
  expect(found.hits.map(({ seq }) => seq)).toEqual([7]);
  await expect(temp.store.messages.copy(from.id, to.id, 1)).rejects.toMatchObject({ code: "store.not_empty" });
  // The old times are kept: what was said after them is newer.
  const both = await temp.store.search.query({ text: "lighthouse OR more", limit: 1 });
  expect(both.hits[0]).toMatchObject({ session: to.id, seq: 211 });
});

test("a copy of more than the session has is a copy of it all; one that was cut off leaves no trace in the next", async () => {
  await using temp = await createTempStore();
  const from = await startTestSession(temp.store);
  for (let n = 1; n <= 120; n += 1) await from.add(`m ${n}`);
  const to = await startTestSession(temp.store);
  const copying = expect(temp.store.messages.copy(from.id, to.id, 1_000)).rejects.toMatchObject({
    code: "store.closed",
  });
  await temp.store.close();
  await copying;
  const store = await temp.open();
  expect(await store.messages.load(to.id)).toEqual([]);
  expect(await store.messages.copy(from.id, to.id, 1_000)).toBe(120);
  expect((await store.messages.load(to.id)).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 120 }, (_, n) => n + 1),
  );
});

test("a clock that goes back does not reorder what was said; what is much older sorts as older", async () => {
  const clock = createFakeClock({ now: Date.UTC(2026, 5, 1) });
  await using temp = await createTempStore({ clock });
  const session = await startTestSession(temp.store);
  const seqs = async (): Promise<number[]> =>
    (await temp.store.search.query({ text: "tide", limit: 10 })).hits.map(({ seq }) => seq);
  await session.add("tide 1");
  clock.jumpWall(-3_600_000);
  await session.add("tide 2");
  expect(await seqs()).toEqual([2, 1]);
  clock.jumpWall(-400 * 24 * 3_600_000);
  // The lease has not expired for a clock that went back.
  await session.add("tide 3");
  await session.add("tide 4");
  expect(await seqs()).toEqual([2, 1, 4, 3]);
});
