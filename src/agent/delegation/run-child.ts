import { AppError, messageOf } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import type { Redactor } from "../../base/redact/redact-text.ts";
import { failure, type Result } from "../../base/result.ts";
import { sliceCharacters } from "../../base/slice-characters.ts";
import type { AgentEventOf } from "../event.ts";
import type { ToolContext } from "../tool.ts";
import type { Child, ChildReport, ChildStatus, ChildTask, SpawnChild } from "./child.ts";
import { passedOn } from "./child-event.ts";
import type { ChildRegistry } from "./child-registry.ts";
import { createEventTrail, type EventTrail } from "./event-trail.ts";
import { createProgressFollower } from "./progress.ts";

/** What children are run with. */
export interface RunChildDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly spawn: SpawnChild;
  readonly children: ChildRegistry;
  /** The whole time of one child, in ms. */
  readonly timeoutMs: number;
  /** Most model calls of one child. */
  readonly maxIterations: number;
  /** Keeps the diagnosis of a child that ran out of time before a model was reached; the file's path, or undefined where it could not be kept. */
  readonly keepDiagnosis: (session: SessionId, text: string) => Promise<string | undefined>;
}

/** Where a child is run: what its caller's tool context says. */
export type CallerContext = Pick<ToolContext, "signal" | "session" | "publishChild">;

/** How much of a goal is told in events and lists; the whole stands in the child's session. */
const SHOWN_GOAL = 500;

interface Numbered {
  readonly task: ChildTask;
  readonly index: number;
}

/** Runs one task to its end. Never rejects: whatever goes wrong is the report's status. */
export const runChild = async (
  deps: RunChildDeps,
  { task, index }: Numbered,
  caller: CallerContext,
): Promise<ChildReport> => {
  const startedAt = deps.clock.monotonic();
  const elapsed = (): number => Math.round(deps.clock.monotonic() - startedAt);
  if (caller.signal.aborted) return notBegun(task, "interrupted", "The call was interrupted before it began.");
  const spawned = await spawnSafely(deps, task);
  if (!spawned.ok) return notBegun(task, "error", spawned.error);
  const child = spawned.value;
  const goal = sliceCharacters(deps.redactor.text(task.goal), 0, SHOWN_GOAL);
  await caller.publishChild({
    type: "subagent_started",
    index,
    child: child.session,
    parent: caller.session,
    goal,
  });
  const report = await follow(deps, { task, child, index, goal, startedAt }, caller);
  const leftRunning = await releaseSafely(deps, child, report.status);
  const { status, modelCalls, toolCalls, usage, costUsd } = report;
  const durationMs = elapsed();
  await caller.publishChild({
    type: "subagent_finished",
    index,
    child: child.session,
    status,
    durationMs,
    modelCalls,
    toolCalls,
    usage,
    costUsd,
  });
  return { ...report, durationMs, leftRunning };
};

const notBegun = (task: ChildTask, status: ChildStatus, because: string): ChildReport => ({
  task,
  session: undefined,
  status,
  text: "",
  because,
  durationMs: 0,
  modelCalls: 0,
  toolCalls: 0,
  usage: {},
  costUsd: 0,
  leftRunning: [],
});

const spawnSafely = async (deps: RunChildDeps, task: ChildTask): Promise<Result<Child, string>> => {
  try {
    return await deps.spawn(task);
  } catch (thrown) {
    deps.log.error("a sub-agent could not begin", { error: thrown });
    return failure(wordsOf(thrown));
  }
};

const wordsOf = (thrown: unknown): string =>
  thrown instanceof AppError && thrown.hint !== undefined ? `${thrown.message} ${thrown.hint}` : messageOf(thrown);

/** What is left behind of a child must not cost its result. */
const releaseSafely = async (
  deps: RunChildDeps,
  child: Child,
  status: ChildStatus,
): Promise<ChildReport["leftRunning"]> => {
  try {
    return await child.release(status);
  } catch (thrown) {
    deps.log.error("a sub-agent could not be let go of", { session: child.session, error: thrown });
    return [];
  }
};

interface Following extends Numbered {
  readonly child: Child;
  /** Masked. */
  readonly goal: string;
  /** Monotonic ms. */
  readonly startedAt: number;
}

/** Why a child was told to stop; undefined = it was not. */
type Stopped = "interrupted" | "timeout" | undefined;

const follow = async (deps: RunChildDeps, following: Following, caller: CallerContext): Promise<ChildReport> => {
  const { child, goal, startedAt } = following;
  const interruption = new AbortController();
  using deadline = deps.clock.deadline(deps.timeoutMs);
  const signal = AbortSignal.any([caller.signal, interruption.signal, deadline.signal]);
  const stopped = (): Stopped => {
    if (!signal.aborted) return undefined;
    return signal.reason === deadline.signal.reason ? "timeout" : "interrupted";
  };
  const entry = { session: child.session, parent: caller.session, goal, startedAt };
  using place = deps.children.enter(entry, () => interruption.abort());
  const trail = createEventTrail();
  try {
    const end = await readStream(
      deps,
      { ...following, signal, trail, setAction: (action) => place.setAction(action) },
      caller,
    );
    return await reportOf(deps, following, { end, stopped: stopped(), trail });
  } catch (thrown) {
    deps.log.error("a sub-agent's turn broke", { session: child.session, error: thrown });
    return { ...notBegun(following.task, stopped() ?? "failed", wordsOf(thrown)), session: child.session };
  }
};

interface Reading extends Following {
  readonly signal: AbortSignal;
  readonly trail: EventTrail;
  readonly setAction: (action: string) => void;
}

/** Hands on what concerns the tree, and returns the last event. */
const readStream = async (
  deps: RunChildDeps,
  { child, index, startedAt, signal, trail, setAction }: Reading,
  caller: CallerContext,
): Promise<AgentEventOf<"turn_finished"> | undefined> => {
  const progress = createProgressFollower(deps.clock, deps.redactor);
  let end: AgentEventOf<"turn_finished"> | undefined;
  for await (const event of child.run({ signal })) {
    trail.note(event, deps.clock.monotonic() - startedAt);
    if (event.type === "turn_finished") end = event;
    const concerning = passedOn(event);
    if (concerning !== undefined) await caller.publishChild(concerning);
    const news = progress.follow(event);
    if (news === undefined) continue;
    setAction("text" in news ? news.text : news.summary);
    await caller.publishChild({ type: "subagent_progress", index, child: child.session, ...news });
  }
  return end;
};

interface Ended {
  readonly end: AgentEventOf<"turn_finished"> | undefined;
  readonly stopped: Stopped;
  readonly trail: EventTrail;
}

const reportOf = async (
  deps: RunChildDeps,
  { task, child, goal }: Following,
  { end, stopped, trail }: Ended,
): Promise<ChildReport> => {
  const status = statusOf(end, stopped);
  const because = becauseOf(deps, { end, status });
  const silent = status === "timeout" && (end?.modelCalls ?? 0) === 0;
  const kept = silent ? await deps.keepDiagnosis(child.session, diagnosis(deps, { child, goal, trail })) : undefined;
  return {
    task,
    session: child.session,
    status,
    text: end?.text ?? "",
    because: kept === undefined ? because : `${because} No model was reached; ${kept} has the details.`,
    durationMs: 0,
    modelCalls: end?.modelCalls ?? 0,
    toolCalls: end?.toolCalls ?? 0,
    usage: end?.usage ?? {},
    costUsd: end === undefined ? null : end.costUsd,
    leftRunning: [],
  };
};

const statusOf = (end: Ended["end"], stopped: Stopped): ChildStatus => {
  switch (end?.status) {
    case "completed":
      return "completed";
    case "failed":
    case "budget_exhausted":
      return "failed";
    case "interrupted":
    case undefined:
      return stopped ?? "failed";
  }
};

const becauseOf = (
  deps: RunChildDeps,
  { end, status }: { readonly end: Ended["end"]; readonly status: ChildStatus },
): string | undefined => {
  switch (status) {
    case "completed":
      return undefined;
    case "timeout":
      return `It had ${Math.round(deps.timeoutMs / 1000)} s (delegation.child_timeout_seconds).`;
    case "interrupted":
      return "It was stopped.";
    case "failed":
    case "error":
      if (end?.status === "budget_exhausted")
        return `It used all its ${deps.maxIterations} steps (delegation.max_iterations); the text says where it stands.`;
      return end?.error?.message ?? "It ended without an answer.";
  }
};

const diagnosis = (
  { clock, timeoutMs }: RunChildDeps,
  { child, goal, trail }: { readonly child: Child; readonly goal: string; readonly trail: EventTrail },
): string =>
  [
    `A sub-agent ran out of time before a model was reached.`,
    "",
    `time:     ${new Date(clock.now()).toISOString()}`,
    `session:  ${child.session}`,
    `limit:    ${Math.round(timeoutMs / 1000)} s`,
    ...child.facts.map(([name, value]) => `${`${name}:`.padEnd(9)} ${value}`),
    "",
    "Goal:",
    goal,
    "",
    "What happened:",
    ...trail.lines(),
    "",
  ].join("\n");
