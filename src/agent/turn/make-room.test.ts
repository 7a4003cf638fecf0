import { expect, test } from "vitest";
import { createAgentRig, runToEnd, type AgentRig } from "../../testing/agent-rig.ts";
import { createScriptedModel } from "../../testing/scripted-model.ts";
import type { Redacted } from "../../base/redact/redacted.ts";
import { textOf, type Message, type UserMessage } from "../../llm/message.ts";
import type { ConversationCompression } from "../agent.ts";
import type { CompressionOutcome, CompressionReason } from "../compression/compression.ts";
import { createCompressionPolicy, type CompressionPolicy } from "../compression/policy.ts";
import type { AgentEvent } from "../event.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";

const SUMMARY: UserMessage = {
  role: "user",
  parts: [{ type: "text", text: "what was said before" }],
  origin: { surface: "hermes" },
};
const UNDERSTOOD: Message = {
  role: "assistant",
  parts: [{ type: "text", text: "Understood." }],
  provider: "scripted",
  model: "m",
  finish: "stop",
};

/** Keeps the newest message and puts a summary before it. */
const keepNewest = (messages: readonly Message[]): CompressionOutcome => ({
  kind: "compressed",
  messages: [SUMMARY, UNDERSTOOD, ...messages.slice(-1)],
  before: 1_000,
  after: 100,
  by: "model",
});

interface Wish {
  readonly reason: CompressionReason;
  readonly focus: string | undefined;
  readonly window: number;
}

const createCompression = (
  given: {
    readonly policy?: Partial<CompressionPolicy>;
    readonly outcome?: (messages: readonly Message[]) => CompressionOutcome;
  } = {},
) => {
  const policy = createCompressionPolicy({
    settings: { enabled: true, threshold: 0.5 },
    clock: createFakeClock(),
    history: [],
  });
  const wishes: Wish[] = [];
  const moves: (readonly [string, string])[] = [];
  const compression: ConversationCompression = {
    policy: { ...policy, ...given.policy },
    compress: ({ compressible, reason, focus, window }) => {
      wishes.push({ reason, focus, window: window.contextWindow });
      return Promise.resolve((given.outcome ?? keepNewest)(compressible.messages));
    },
    newPrompt: () => Promise.resolve("You go on." as Redacted<string>),
    onMoved: (from, to) => void moves.push([from, to.id]),
  };
  return { compression, wishes, moves };
};

const only = <T extends AgentEvent["type"]>(events: readonly AgentEvent[], type: T) =>
  events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);

const textsOf = async (rig: AgentRig, session = rig.agent.session().id): Promise<readonly string[]> =>
  (await rig.store.messages.load(session)).map((message) => textOf(message));

const overflow = { failure: { kind: "overflow", message: "too long", contextWindow: 9_000 } } as const;
const always = { decide: () => ({ kind: "compress" }) as const };
const never = { decide: () => ({ kind: "wait", because: "below_threshold", isNews: false }) as const };

test("R-COMP-2: a conversation that is long goes on in its child: everything there says so at once, the whole stays in the parent", async () => {
  const { compression, wishes, moves } = createCompression({ policy: always });
  const model = createScriptedModel(["first", "second"]);
  await using rig = await createAgentRig({ model, compression });
  const events = await runToEnd(rig.agent, "one");
  const child = rig.agent.session();
  expect(child).toMatchObject({ parent: rig.session.id, conversation: rig.session.conversation });
  expect(only(events, "rotated")).toMatchObject([
    { from: rig.session.id, to: child.id, session: child.id, reason: "threshold", kept: 1, messages: 3 },
  ]);
  expect(only(events, "saved").map(({ session, seq, role }) => [session, seq, role])).toEqual([
    [rig.session.id, 1, "user"],
    [child.id, 4, "assistant"],
  ]);
  expect(events.map(({ sequence }) => sequence)).toEqual([...events.keys()]);
  expect(moves).toEqual([[rig.session.id, child.id]]);
  expect(wishes).toMatchObject([{ reason: "threshold" }]);
  expect(model.requests[0]).toMatchObject({ system: "You go on." });
  expect(model.requests[0]?.messages.map((message) => textOf(message))).toEqual([
    "what was said before",
    "Understood.",
    "one",
  ]);
  expect(await textsOf(rig)).toEqual(["what was said before", "Understood.", "one", "first"]);
  expect(await textsOf(rig, rig.session.id)).toEqual(["one"]);
  expect(await rig.store.sessions.get(rig.session.id)).toMatchObject({ endReason: "compression" });
  expect(await rig.store.conversations.current(rig.session.conversation)).toBe(child.id);
  expect(await rig.store.leases.holder(child.id)).toBe(undefined);
  // The kept message has the time at which it was said.
  const [saidFirst] = await rig.store.messages.load(rig.session.id);
  expect((await rig.store.messages.load(child.id))[2]?.createdAt).toBe(saidFirst?.createdAt);
});

test("R-COMP-1: the policy's no is obeyed however long the conversation is, and its reason told when it is news", async () => {
  let isNews = true;
  const { compression, wishes } = createCompression({
    policy: {
      decide: () => {
        const decision = { kind: "wait", because: "thrashing", isNews } as const;
        isNews = false;
        return decision;
      },
    },
  });
  const model = createScriptedModel(["first", "second"], { contextWindow: 8_000 });
  await using rig = await createAgentRig({ model, compression });
  const long = "word ".repeat(14_000);
  const events = [...(await runToEnd(rig.agent, long)), ...(await runToEnd(rig.agent, "more"))];
  expect(wishes).toEqual([]);
  expect(only(events, "notice")).toHaveLength(1);
  expect(rig.agent.session().id).toBe(rig.session.id);
});

test("a provider that says the request is too long is asked again after compressing, with the window that it named", async () => {
  const { compression, wishes } = createCompression({ policy: never });
  const model = createScriptedModel([overflow, overflow, "there"]);
  await using rig = await createAgentRig({ model, compression });
  const events = await runToEnd(rig.agent, "one");
  expect(wishes).toEqual([
    { reason: "overflow", focus: undefined, window: 9_000 },
    { reason: "overflow", focus: undefined, window: 9_000 },
  ]);
  expect(events.at(-1)).toMatchObject({ type: "turn_finished", status: "completed", text: "there" });
  const chain = [rig.agent.session()];
  for (let parent = chain[0]?.parent; parent; parent = chain.at(-1)?.parent) {
    const record = await rig.store.sessions.get(parent);
    if (record !== undefined) chain.push(record);
  }
  expect(chain).toHaveLength(3);
});

test.each([
  ["stays too long", keepNewest, "agent.window_full", 4],
  ["cannot become shorter", () => ({ kind: "too_small", before: 9 }) as const, "agent.window_full", 1],
  [
    "cannot be summarised",
    () => ({ kind: "failed", failure: "no_provider", because: "nobody answers" }) as const,
    "agent.window_full",
    1,
  ],
])("a conversation that %s ends the turn and says what helps; the next turn can begin", async (...row) => {
  const [, outcome, code, calls] = row;
  const { compression } = createCompression({ policy: never, outcome });
  const model = createScriptedModel([overflow, overflow, overflow, overflow, overflow]);
  await using rig = await createAgentRig({ model, compression });
  const events = await runToEnd(rig.agent, "one");
  expect(events.at(-1)).toMatchObject({ status: "failed", error: { code } });
  expect(model.requests).toHaveLength(calls);
  const roles = (await rig.store.messages.load(rig.agent.session().id)).map(({ role }) => role);
  expect(roles.at(-1)).toBe("assistant");
});

test("R-COMP-2: an agent whose conversation another one compressed goes where the conversation is", async () => {
  const { compression, moves } = createCompression({ policy: never });
  const model = createScriptedModel(["first", "second", "third"]);
  await using rig = await createAgentRig({ model, compression });
  await runToEnd(rig.agent, "one");
  const other = rig.restart(model);
  await runToEnd(other, "two");
  const compressing = await Array.fromAsync(other.compress({ focus: "boats", signal: new AbortController().signal }));
  expect(only(compressing, "rotated")).toMatchObject([{ reason: "manual", kept: 1 }]);
  expect(compressing.at(-1)).toMatchObject({ type: "turn_finished", status: "completed", text: "" });
  const child = other.session().id;
  expect(rig.agent.session().id).toBe(rig.session.id);
  const events = await runToEnd(rig.agent, "three");
  expect(rig.agent.session().id).toBe(child);
  expect(only(events, "rotated")).toMatchObject([{ from: rig.session.id, to: child, reason: "elsewhere" }]);
  expect(moves).toEqual([
    [rig.session.id, child],
    [rig.session.id, child],
  ]);
  expect(model.requests.at(-1)?.messages.map((message) => textOf(message))).toEqual([
    "what was said before",
    "Understood.",
    "second",
    "three",
  ]);
});

test("/compress says what became of it: nothing to do, no summary, interrupted", async () => {
  const outcomes: CompressionOutcome[] = [
    { kind: "too_small", before: 10 },
    { kind: "failed", failure: "other", because: "it rains" },
    { kind: "aborted" },
  ];
  const { compression, wishes } = createCompression({
    policy: never,
    outcome: () => outcomes.shift() ?? { kind: "aborted" },
  });
  await using rig = await createAgentRig({ model: createScriptedModel(["first"]), compression });
  await runToEnd(rig.agent, "one");
  const ask = (focus?: string) => Array.fromAsync(rig.agent.compress({ focus, signal: new AbortController().signal }));
  expect(only(await ask("boats"), "notice")).toMatchObject([{ code: "agent.nothing_to_compress" }]);
  expect((await ask()).at(-1)).toMatchObject({ status: "failed", error: { code: "agent.not_compressed" } });
  expect((await ask()).at(-1)).toMatchObject({ status: "interrupted" });
  expect(wishes.map(({ focus }) => focus)).toEqual(["boats", undefined, undefined]);
  expect(rig.agent.session().id).toBe(rig.session.id);
  expect(await rig.store.leases.holder(rig.session.id)).toBe(undefined);
});

test("what the provider counted decides, not the estimate, and what came since is added", async () => {
  const asked: number[] = [];
  const { compression } = createCompression({
    policy: {
      decide: (tokens) => {
        asked.push(tokens);
        return { kind: "wait", because: "below_threshold", isNews: false };
      },
    },
  });
  const model = createScriptedModel([{ text: "first", usage: { inputTokens: 5_000, outputTokens: 2 } }, "second"]);
  await using rig = await createAgentRig({ model, compression });
  await runToEnd(rig.agent, "one");
  await runToEnd(rig.agent, "two");
  expect(asked[0]).toBeLessThan(100);
  expect(asked[1]).toBeGreaterThan(5_000);
  expect(asked[1]).toBeLessThan(5_050);
  // Another process knows what this one was told.
  model.enqueue("third");
  await runToEnd(rig.restart(model), "three");
  expect(asked[2]).toBeGreaterThan(5_000);
  expect(asked[2]).toBeLessThan(5_100);
});
