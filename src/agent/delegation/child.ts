import type { Result } from "../../base/result.ts";
import type { SessionId } from "../../base/ids.ts";
import type { AgentEvent, AgentEventOf } from "../event.ts";

/** One goal for one sub-agent. It sees the goal and the context, and nothing of the conversation. */
export interface ChildTask {
  readonly goal: string;
  readonly context: string | undefined;
  /** Names of toolsets or tools; undefined = the usual ones. */
  readonly toolsets: readonly string[] | undefined;
  /** An orchestrator may delegate in its turn, where the depth allows it. */
  readonly role: "leaf" | "orchestrator";
}

/** How a child ended. `error` = it could not begin; `failed` = its turn failed or its steps were used up. */
export type ChildStatus = AgentEventOf<"subagent_finished">["status"];

/** A background process that a child left behind. */
export interface LeftRunning {
  readonly id: string;
  readonly command: string;
}

/** A sub-agent that is ready to run. Whoever spawned it runs it once and releases it. */
export interface Child {
  readonly session: SessionId;
  /** Who is called with what, for a diagnosis: name and value, without secrets. */
  readonly facts: readonly (readonly [string, string])[];
  /** Like `Agent.run`: ends with `turn_finished`. */
  run(options: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
  /** Lets go of its shell. Its background processes go on (and are returned) after `completed`, and end otherwise. */
  release(status: ChildStatus): Promise<readonly LeftRunning[]>;
}

/** Makes the child of a task in a session of its own; the failure says in words what is wrong with the task or the settings. */
export type SpawnChild = (task: ChildTask) => Promise<Result<Child, string>>;

/** What became of a task. */
export interface ChildReport {
  readonly task: ChildTask;
  /** Undefined = it never began. */
  readonly session: SessionId | undefined;
  readonly status: ChildStatus;
  /** The final answer, or what there was of it. Raw. */
  readonly text: string;
  /** Why it is not `completed`, in words. */
  readonly because: string | undefined;
  readonly durationMs: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly usage: AgentEventOf<"subagent_finished">["usage"];
  /** US dollars; null = a price is unknown. */
  readonly costUsd: number | null;
  readonly leftRunning: readonly LeftRunning[];
}
