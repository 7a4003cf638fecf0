import { encode } from "gpt-tokenizer/encoding/o200k_base";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planCall } from "../agent/plan-call.ts";
import { toToolSchema } from "../agent/tool-schema.ts";
import type { ToolResult } from "../agent/tool.ts";
import type { SessionId } from "../base/ids.ts";
import type { Message } from "../llm/message.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { asRedacted, createTempStore, startTestSession, userMessage } from "../testing/temp-store.ts";
import type { TestSession } from "../testing/temp-store.ts";
import { createToolContext } from "../testing/tool-context.ts";
import { createSessionSearchTool } from "./session-search.ts";

const NOW = Date.UTC(2026, 11, 1, 12);
const DAY_MS = 86_400_000;

const assistantMessage = (text: string): Message => ({
  role: "assistant",
  parts: [{ type: "text", text }],
  provider: "p",
  model: "m",
  finish: "stop",
});
const toolMessage = (text: string): Message => ({
  role: "tool",
  parts: [{ type: "tool_result", callId: "c", name: "read_file", outcome: "ok", content: [{ type: "text", text }] }],
});

const createRig = async () => {
  const clock = createFakeClock({ now: NOW - 30 * DAY_MS });
  const temp = await createTempStore({ clock });
  const tool = createSessionSearchTool({ store: temp.store, now: () => clock.now(), timeZone: "UTC" });
  const say = async (session: TestSession, ...messages: (Message | string)[]): Promise<void> => {
    for (const message of messages) {
      await session.add(message);
      await clock.advance(60_000);
    }
  };
  /** Calls the tool as the loop does: the arguments go through its schema. */
  const call = async (args: Record<string, unknown>, session = "20261201_120000_abcdef"): Promise<ToolResult> => {
    const grant = { resident: [tool], onDemand: [] } as never;
    const part = { type: "tool_call", id: "c", name: "session_search", arguments: JSON.stringify(args) } as const;
    const planned = planCall(grant, part, "/");
    if (planned.kind !== "ready") throw new Error(planned.problem);
    const { context } = createToolContext({ cwd: "/" });
    return planned.tool.run(planned.args, { ...context, session: session as SessionId });
  };
  return { temp, clock, call, say, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
};

test("R-PROMPT-1 its schema is at most 130 tokens", () => {
  expect(encode(JSON.stringify(toToolSchema(createSessionSearchTool({} as never)))).length).toBeLessThanOrEqual(130);
});

test("a found conversation has its title, date, id, the hit and what stands beside it", async () => {
  await using rig = await createRig();
  const { store } = rig.temp;
  const tides = await startTestSession(store);
  await rig.say(
    tides,
    "hello",
    assistantMessage("hi"),
    "when is high tide in Harwich?",
    assistantMessage("At 14:05."),
    "thanks",
  );
  await store.sessions.setTitle(tides.id, 'Tide "tables"', "user");
  const phone = await startTestSession(store, { source: "telegram" });
  await rig.say(phone, "buy a lamp");
  const { text, outcome } = await rig.call({ query: "high tide" });
  expect(outcome).toBe("ok");
  expect(text.split("\n").slice(2)).toEqual([
    `"Tide \\"tables\\"" 2026-11-01 ${tides.id}`,
    "#2 assistant: hi",
    "#3 user: when is >>>high<<< >>>tide<<< in Harwich?",
    "#4 assistant: At 14:05.",
  ]);
  expect((await rig.call({ query: "lamp" })).text).toContain(
    `2026-11-01 telegram ${phone.id}\n#1 user: buy a >>>lamp<<<`,
  );
  expect((await rig.call({ query: "high tide", window: 0 })).text.split("\n").slice(3)).toEqual([
    "#3 user: when is >>>high<<< >>>tide<<< in Harwich?",
  ]);
  expect((await rig.call({ query: "absent" })).text).toMatch(/^Nothing found/);
});

test("one conversation is one entry, however often it was compressed or branched, and however many hits it has", async () => {
  await using rig = await createRig();
  const { store } = rig.temp;
  const first = await startTestSession(store);
  await rig.say(first, "tide one", "tide two", "tide three", "tide four", "tide five");
  const child = {
    source: "cli",
    provider: "p",
    model: "m",
    cwd: null,
    systemPrompt: asRedacted(""),
    parent: first.id,
  } as const;
  await store.conversations.rotate({ key: first.record.conversation, from: first.id, child, reason: "compression" });
  const branch = await store.sessions.create({ ...child, conversation: "cli:branch" as never });
  await store.messages.copy(first.id, branch.id, 5);
  const other = await startTestSession(store);
  await rig.say(other, "tide elsewhere");
  const { text } = await rig.call({ query: "tide", sort: "newest" });
  expect(text.match(/^.*\d{8}_\d{6}_[0-9a-f]{6}$/gm)).toHaveLength(2);
  expect(text.match(/>>>tide<<</g)).toHaveLength(4);
  expect(text).toContain(other.id);
});

test("the asking session's own messages come up only if it is named", async () => {
  await using rig = await createRig();
  const own = await startTestSession(rig.temp.store);
  await rig.say(own, "tide here");
  expect((await rig.call({ query: "tide" }, own.id)).text).toMatch(/^Nothing found/);
  expect((await rig.call({ query: "tide", session_id: own.id }, own.id)).text).toContain(">>>tide<<< here");
  expect((await rig.call({}, own.id)).text).toBe("There are no earlier conversations.");
  const other = await startTestSession(rig.temp.store);
  await rig.say(other, "plan the\njourney");
  const helper = await startTestSession(rig.temp.store, { source: "tool" });
  await rig.say(helper, "a helper's task");
  expect((await rig.call({}, own.id)).text).toBe(
    `Newest first:\n${other.id} 2026-11-01 12:01 "plan the journey" 1 messages`,
  );
});

test("it reads on around a hit, and shows how a session began and ended", async () => {
  await using rig = await createRig();
  const session = await startTestSession(rig.temp.store);
  await rig.say(session, ...Array.from({ length: 40 }, (_, n) => `message ${n + 1}`), toolMessage("x".repeat(9_000)));
  const numbers = (text: string) => text.match(/^#\d+/gm)?.join(" ");
  const around = await rig.call({ session_id: session.id, around_message_id: 20, window: 2 });
  expect(numbers(around.text)).toBe("#18 #19 #20 #21 #22");
  expect(numbers((await rig.call({ session_id: session.id.slice(0, 8), around_message_id: 1 })).text)).toBe(
    "#1 #2 #3 #4 #5 #6",
  );
  const ends = (await rig.call({ session_id: session.id })).text;
  expect(numbers(ends)).toBe("#1 #2 #3 #34 #35 #36 #37 #38 #39 #40 #41");
  expect(ends).toContain("#3 user: message 3\n…\n#34");
  expect(ends.length).toBeLessThan(4_000);
  const end = await rig.call({ session_id: session.id, around_message_id: 41, window: 0 });
  expect(end.text).toContain(`#41 tool: [read_file ok] ${"x".repeat(4_000)}`);
  expect(await rig.call({ session_id: session.id, around_message_id: 99 })).toMatchObject({
    outcome: "error",
    text: expect.stringContaining("#1 to #41"),
  });
  expect(await rig.call({ around_message_id: 9 })).toMatchObject({
    outcome: "error",
    text: expect.stringContaining("session_id"),
  });
  expect(await rig.call({ session_id: "nowhere" })).toMatchObject({
    outcome: "error",
    text: expect.stringContaining("nowhere"),
  });
});

describe("filters", () => {
  test("by role, source and time; what a filter cannot be is said", async () => {
    await using rig = await createRig();
    const old = await startTestSession(rig.temp.store, { source: "telegram" });
    await rig.say(old, "tide asked", assistantMessage("tide answered"), toolMessage("tide read"));
    rig.clock.jumpWall(29 * DAY_MS);
    const recent = await startTestSession(rig.temp.store);
    await rig.say(recent, "tide today");
    const hits = async (args: object) =>
      (await rig.call({ query: "tide", window: 0, ...args })).text.match(/>>>tide<<< \w+/g) ?? [];
    expect(await hits({ role_filter: "assistant, TOOL", sort: "oldest" })).toEqual([
      ">>>tide<<< answered",
      ">>>tide<<< read",
    ]);
    expect(await hits({ source: "telegram", role_filter: "user" })).toEqual([">>>tide<<< asked"]);
    expect(await hits({ since: "2w" })).toEqual([">>>tide<<< today"]);
    expect(await hits({ until: "2026-11-01", role_filter: "user" })).toEqual([">>>tide<<< asked"]);
    expect(await hits({ since: "2026-11-02", until: "2026-11-20" })).toEqual([]);
    expect(await rig.call({ query: "tide", since: "soon" })).toMatchObject({
      outcome: "error",
      text: expect.stringContaining("2w"),
    });
    expect(await rig.call({ query: "tide", role_filter: "owner" })).toMatchObject({
      outcome: "error",
      text: expect.stringContaining("owner"),
    });
  });

  test("B27, B28 nothing that is asked for is an error of the tool", async () => {
    await using rig = await createRig();
    const session = await startTestSession(rig.temp.store);
    await rig.say(session, "night-shift roster", "关于潮汐记录的笔记本讨论", userMessage("🙂 C++ \u202E don't"));
    expect((await rig.call({ query: "潮" })).text).toContain(">>>潮<<<汐");
    expect((await rig.call({ query: "roster OR night-shift" })).text).toContain(">>>night-shift<<< >>>roster<<<");
    const text = fc.oneof(
      fc.constantFrom('"', "NOT", "AND", "*", "NEAR(", "潮汐", "night-", "🙂"),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 6 }), fc.integer(), fc.integer(), async (words, limit, window) => {
        const { outcome } = await rig.call({ query: words.join(" "), limit, window });
        expect(outcome).toBe("ok");
      }),
      { numRuns: 120 },
    );
  });
});
