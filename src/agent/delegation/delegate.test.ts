import { expect, test } from "vitest";
import { createRedactor } from "../../base/redact/redact-text.ts";
import { failure, success } from "../../base/result.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createSecretSamples } from "../../testing/secret-samples.ts";
import { createToolContext } from "../../testing/tool-context.ts";
import type { AgentEvent, AgentEventBody, AgentEventOf } from "../event.ts";
import type { Child, ChildStatus, ChildTask } from "./child.ts";
import type { ChildEvent } from "./child-event.ts";
import { createChildRegistry } from "./child-registry.ts";
import { delegate, type DelegateDeps } from "./delegate.ts";

type End = Partial<AgentEventOf<"turn_finished">>;

/** What a child of these tests does: some events, then perhaps a wait, then its end. */
interface Play {
  readonly events?: readonly AgentEventBody[];
  readonly waitMs?: number;
  readonly end?: End;
  readonly throws?: string;
}

const finished = (end: End): AgentEventBody => ({
  type: "turn_finished",
  status: "completed",
  text: "",
  modelCalls: 1,
  toolCalls: 0,
  usage: {},
  costUsd: 0,
  ...end,
});

const createRig = (plays: Readonly<Record<string, Play>>, more: Partial<DelegateDeps> = {}) => {
  const clock = createFakeClock();
  const children = createChildRegistry();
  const released: [string, ChildStatus][] = [];
  const kept: string[] = [];
  const log: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => log };
  const run = async function* (task: ChildTask, session: SessionId, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const play = plays[task.goal] ?? {};
    let sequence = 0;
    const seal = (body: AgentEventBody): AgentEvent => ({ session, turn: "t", sequence: sequence++, ...body });
    for (const body of play.events ?? []) yield seal(body);
    if (play.throws !== undefined) throw new Error(play.throws);
    const wait = play.waitMs === undefined ? Promise.resolve() : clock.sleep(play.waitMs, signal);
    const stopped = await wait.then(
      () => false,
      () => true,
    );
    yield seal(finished(stopped ? { ...play.end, status: "interrupted" } : (play.end ?? {})));
  };
  const spawnChild = (task: ChildTask): Child => {
    const session = `ses_${task.goal}` as SessionId;
    return {
      session,
      facts: [["model", "p:m"]],
      run: ({ signal }) => run(task, session, signal),
      release: async (status) => {
        released.push([task.goal, status]);
        return status === "completed" && task.goal === "serve" ? [{ id: "proc_1", command: "npm start" }] : [];
      },
    };
  };
  const deps: DelegateDeps = {
    clock,
    log,
    redactor: createRedactor({ enabled: true }),
    spawn: async (task) => (task.goal === "never" ? failure("There is no such toolset.") : success(spawnChild(task))),
    children,
    timeoutMs: 600_000,
    maxIterations: 50,
    maxConcurrent: 3,
    keepDiagnosis: async (session, text) => {
      kept.push(text);
      return `/logs/${session}.log`;
    },
    changedFiles: async () => [],
    ...more,
  };
  return { clock, children, deps, released, kept };
};

const taskOf = (goal: string): ChildTask => ({ goal, context: undefined, toolsets: undefined, role: "leaf" });
const tasksOf = (...goals: readonly string[]): readonly ChildTask[] => goals.map(taskOf);

test("tasks run at the same time; their reports stand in the order of the tasks, whichever ended first", async () => {
  const { clock, deps, released, children } = createRig({
    slow: { waitMs: 50_000, end: { text: "slow answer", modelCalls: 3, toolCalls: 4 } },
    fast: { waitMs: 1_000, end: { text: "fast answer" } },
  });
  const { context, children: events } = createToolContext({ cwd: "/" });
  const running = delegate(deps, tasksOf("slow", "fast"), context);
  await clock.advance(2_000);
  expect(released).toEqual([["fast", "completed"]]);
  expect(children.list().map(({ goal }) => goal)).toEqual(["slow"]);
  await clock.advance(50_000);
  const { outcome, text } = await running;
  expect(outcome).toBe("ok");
  expect(text).toBe(
    "Task 1 of 2 (slow): completed after 50 s, 3 model and 4 tool calls, session ses_slow.\nslow answer\n\n" +
      "Task 2 of 2 (fast): completed after 1 s, 1 model and 0 tool calls, session ses_fast.\nfast answer",
  );
  expect(events.map((event) => ("child" in event ? `${event.type} ${event.index} ${event.child}` : ""))).toEqual([
    "subagent_started 0 ses_slow",
    "subagent_started 1 ses_fast",
    "subagent_finished 1 ses_fast",
    "subagent_finished 0 ses_slow",
  ]);
  expect(children.list()).toEqual([]);
});

test("compat 4.8: more tasks than may run at once are an error that tells the limit, and nothing begins", async () => {
  const { deps, released } = createRig({});
  const { context, children } = createToolContext({ cwd: "/" });
  const result = await delegate(deps, tasksOf("a", "b", "c", "d"), context);
  expect(result).toMatchObject({ outcome: "error", text: expect.stringContaining("At most 3 tasks") });
  expect([released, children]).toEqual([[], []]);
});

test("each way to end has its status: failed with what the turn said, used up steps, broken streams, tasks that cannot begin", async () => {
  const { deps, released } = createRig(
    {
      fails: { end: { status: "failed", text: "half", error: { code: "x", message: "The provider is down." } } },
      long: { end: { status: "budget_exhausted", text: "so far" } },
      breaks: { throws: "the disk is gone" },
    },
    { maxConcurrent: 9 },
  );
  const { context, children } = createToolContext({ cwd: "/" });
  const { outcome, text } = await delegate(deps, tasksOf("fails", "long", "breaks", "never"), context);
  expect(outcome).toBe("error");
  expect(text).toContain(
    "(fails): failed after 0 s, 1 model and 0 tool calls, session ses_fails. The provider is down.\nhalf",
  );
  expect(text).toContain("(long): failed");
  expect(text).toContain(
    "It used all its 50 steps (delegation.max_iterations); the text says where it stands.\nso far",
  );
  expect(text).toContain("(breaks): failed");
  expect(text).toContain("the disk is gone");
  expect(text).toContain("Task 4 of 4 (never): error. There is no such toolset.");
  expect(released.toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([
    ["breaks", "failed"],
    ["fails", "failed"],
    ["long", "failed"],
  ]);
  expect(children.filter(({ type }) => type === "subagent_finished")).toHaveLength(3);
});

test("an interruption ends all children at once; what had ended is kept, and the call counts as interrupted", async () => {
  const { clock, deps, released } = createRig({
    done: { end: { text: "found it" } },
    one: { waitMs: 99_000, end: { text: "partial" } },
    two: { waitMs: 99_000 },
  });
  const stop = new AbortController();
  const { context } = createToolContext({ cwd: "/", signal: stop.signal });
  const running = delegate(deps, tasksOf("done", "one", "two"), context);
  await clock.advance(1_000);
  stop.abort();
  const { outcome, text } = await running;
  expect(outcome).toBe("interrupted");
  expect(text).toContain("completed");
  expect(text).toContain("found it");
  expect(text).toContain(
    "(one): interrupted after 1 s, 1 model and 0 tool calls, session ses_one. It was stopped.\npartial",
  );
  expect(released).toEqual([
    ["done", "completed"],
    ["one", "interrupted"],
    ["two", "interrupted"],
  ]);
  const late = await delegate(deps, tasksOf("done"), context);
  expect(late).toMatchObject({ outcome: "interrupted", text: expect.stringContaining("before it began") });
});

test("one child can be stopped alone, by number or by the beginning of its session", async () => {
  const { clock, deps, children } = createRig({
    ab: { waitMs: 5_000, end: { text: "ab" } },
    ac: { waitMs: 5_000 },
    x: {},
  });
  const { context } = createToolContext({ cwd: "/" });
  const running = delegate(deps, tasksOf("ab", "ac"), context);
  await clock.advance(1_000);
  expect(children.interrupt("ses_a")).toEqual({ kind: "ambiguous", sessions: ["ses_ab", "ses_ac"] });
  expect(children.interrupt("ses_b")).toEqual({ kind: "none" });
  expect(children.interrupt("")).toEqual({ kind: "none" });
  expect(children.interrupt("2")).toEqual({ kind: "interrupted", sessions: ["ses_ac"] });
  await clock.advance(5_000);
  const { outcome, text } = await running;
  expect(outcome).toBe("ok");
  expect(text).toContain("(ab): completed");
  expect(text).toContain("(ac): interrupted after 1 s");
  const again = delegate(deps, tasksOf("ab", "ac"), context);
  await clock.advance(1_000);
  expect(children.interrupt("all")).toMatchObject({ kind: "interrupted", sessions: ["ses_ab", "ses_ac"] });
  expect((await again).outcome).toBe("error");
});

test("a child has its whole time and no more; one that never reached a model leaves a diagnosis", async () => {
  const { clock, deps, kept } = createRig(
    {
      busy: { waitMs: 99_000_000, end: { text: "not done", modelCalls: 2 } },
      silent: {
        events: [
          { type: "start", version: 1, hermes: "0", provider: "p", model: "m", resumed: false },
          { type: "waiting", phase: "first_token", waitedMs: 10_000, limitMs: 90_000 },
        ],
        waitMs: 99_000_000,
        end: { modelCalls: 0 },
      },
    },
    { timeoutMs: 60_000 },
  );
  const { context } = createToolContext({ cwd: "/" });
  const running = delegate(deps, tasksOf("busy", "silent"), context);
  await clock.advance(59_999);
  expect(kept).toEqual([]);
  await clock.advance(1);
  const { outcome, text } = await running;
  expect(outcome).toBe("error");
  expect(text).toContain(
    "(busy): timeout after 60 s, 2 model and 0 tool calls, session ses_busy. It had 60 s (delegation.child_timeout_seconds).\nnot done",
  );
  expect(text).toContain("No model was reached; /logs/ses_silent.log has the details.");
  expect(kept).toHaveLength(1);
  expect(kept[0]).toContain("session:  ses_silent");
  expect(kept[0]).toContain("model:    p:m");
  expect(kept[0]).toContain("+0.0 s begins with p:m");
  expect(kept[0]).toContain("waiting for the first token: 10000 ms of 90000 ms");
});

test("a batch cannot flood its caller: each answer is cut to its share, and says where the whole is", async () => {
  const long = "x".repeat(200_000);
  const goals = Array.from({ length: 20 }, (_, index) => `g${index}`);
  const { deps } = createRig(Object.fromEntries(goals.map((goal) => [goal, { end: { text: long } }])), {
    maxConcurrent: 20,
  });
  const { context } = createToolContext({ cwd: "/" });
  const batch = await delegate(deps, tasksOf(...goals), context);
  expect(batch.text.length).toBeLessThan(50_000);
  for (const goal of goals) expect(batch.text).toContain(`full text: the last message of session ses_${goal}]`);
  const single = await delegate(deps, tasksOf("g1"), context);
  expect(single.text.length).toBeGreaterThan(15_000);
  expect(single.text.length).toBeLessThan(17_000);
});

test("progress is what a child calls and writes, masked; its sub-agents and notices are handed on", async () => {
  const secret = `ghp_${createSecretSamples(7).opaque(36)}`;
  const { deps, clock, children } = createRig({
    work: {
      events: [
        { type: "text", delta: `the key is ${secret.slice(0, 9)}` },
        { type: "text", delta: `${secret.slice(9)}\nand so on\n` },
        { type: "tool_started", callId: "c", tool: "terminal", arguments: {}, summary: "ls -l" },
        { type: "notice", code: "spend.cap_near", message: "50 % of the budget is used" },
        { type: "subagent_started", callId: "c2", index: 0, child: "ses_deep", parent: "ses_work", goal: "deeper" },
        { type: "subagent_progress", callId: "c2", index: 0, child: "ses_deep", text: "hm" },
        {
          type: "subagent_finished",
          callId: "c2",
          index: 0,
          child: "ses_deep",
          status: "completed",
          durationMs: 1,
          modelCalls: 1,
          toolCalls: 0,
          usage: {},
          costUsd: 0,
        },
      ],
      waitMs: 1_000,
    },
  });
  const { context, children: events } = createToolContext({ cwd: "/" });
  const running = delegate(deps, tasksOf("work"), context);
  await clock.settle();
  expect(children.list()).toMatchObject([{ session: "ses_work", goal: "work", action: "ls -l" }]);
  await clock.advance(1_000);
  await running;
  expect(JSON.stringify(events)).not.toContain(secret);
  const [, text, call, notice, ...rest] = events;
  expect(text).toMatchObject({
    type: "subagent_progress",
    child: "ses_work",
    text: expect.stringContaining("and so on"),
  });
  expect(call).toMatchObject({ type: "subagent_progress", tool: "terminal", summary: "ls -l" });
  expect(notice).toEqual({ type: "notice", code: "spend.cap_near", message: "50 % of the budget is used" });
  expect(rest.map((event) => ("child" in event ? [event.type, event.child] : []))).toEqual([
    ["subagent_started", "ses_deep"],
    ["subagent_progress", "ses_deep"],
    ["subagent_finished", "ses_deep"],
    ["subagent_finished", "ses_work"],
  ]);
});

test("what is left running and which files changed stands in the result", async () => {
  const { deps } = createRig(
    { serve: { end: { text: "it runs" } } },
    { changedFiles: async () => Array.from({ length: 22 }, (_, index) => `f${index}.ts`) },
  );
  const { context } = createToolContext({ cwd: "/" });
  const { text } = await delegate(deps, tasksOf("serve"), context);
  expect(text).toMatch(/^completed after 0 s/u);
  expect(text).toContain("Left running: proc_1 (npm start)");
  expect(text).toMatch(
    /\[Changed since you read them: f0\.ts, .*f19\.ts and 2 more\. Read them again before you change them\.\]$/u,
  );
});

const shownOf = (event: ChildEvent): string => {
  if (event.type === "subagent_started") return event.goal;
  return event.type === "subagent_progress" ? (event.summary ?? "") : "";
};

test("what is told of a child is bounded, however long its goal and its calls are", async () => {
  const goal = "g".repeat(10_000);
  const summary = "s".repeat(10_000);
  const { deps } = createRig({
    [goal]: { events: [{ type: "tool_started", callId: "c", tool: "terminal", arguments: {}, summary }] },
  });
  const { context, children } = createToolContext({ cwd: "/" });
  const { text } = await delegate(deps, tasksOf(goal), context);
  const sizes = children.map((event) => shownOf(event).length);
  expect(sizes).toEqual([500, 200, 0]);
  expect(text.length).toBeLessThan(11_000);
});
