import type * as z from "zod";
import type { SessionId, TurnId } from "../base/ids.ts";
import type { ImagePart } from "../llm/message.ts";
import type { ChildEvent } from "./delegation/child-event.ts";

/** What a tool does to the world. `state` = only the agent's own notes (todo, memory). */
export type ToolEffects = "read" | "write" | "exec" | "network" | "state";

/**
 * With which other calls of the same answer a call may run at the same time. `anything` = it only reads;
 * `paths` = it touches exactly these absolute paths; `nothing` = it runs alone, in the model's order.
 */
export type Concurrency =
  | { readonly kind: "anything" }
  | { readonly kind: "paths"; readonly paths: readonly string[] }
  | { readonly kind: "nothing" };

/**
 * What a tool answers. Expected failures are `error` results that tell the model what to do, never exceptions. `interrupted` = the
 * call's signal ended it, and the text says what was done until then.
 */
export interface ToolResult {
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  /** Unmasked and uncut: masking, cutting and spilling to disk are the contract's work, done once around every tool. */
  readonly text: string;
  readonly images?: readonly ImagePart[];
  /** A unified diff of what changed, for the person; not sent to the model. */
  readonly diff?: string;
  /** A file that already holds the whole text, where the tool itself had to cut. */
  readonly fullTextPath?: string;
}

/** What a call inside another call answers: masked and cut, as the model would read it. */
export interface InnerResult {
  readonly outcome: ToolResult["outcome"] | "interrupted";
  readonly text: string;
}

/** Something that may need the owner's word. */
export type ActionRequest =
  | { readonly kind: "command"; readonly command: string; readonly cwd: string }
  | { readonly kind: "write"; readonly path: string };

/** The answer to an `ActionRequest`. `because` names the rule and what the model should do instead. */
export type ApprovalOutcome = { readonly kind: "allowed" } | { readonly kind: "refused"; readonly because: string };

/** What a running tool may use. */
export interface ToolContext {
  /** Aborts when the turn is interrupted or the call's deadline passes. Must end everything that the call started. */
  readonly signal: AbortSignal;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly callId: string;
  /** The directory that relative paths mean: the shell's current one. */
  readonly cwd: () => string;
  /** Shows output while the tool runs. Never throws; may drop when nobody keeps up. */
  readonly emit: (text: string) => void;
  /** Asks whether an action may be done now; a refusal must be returned as a `denied` result. */
  readonly approve: (request: ActionRequest) => Promise<ApprovalOutcome>;
  /** Puts a question to the person; undefined = nobody there to ask, or no answer in time. */
  readonly clarify: (question: string, choices: readonly string[]) => Promise<string | undefined>;
  /** Publishes the agent's plan. */
  readonly publishTodos: (todos: readonly Todo[]) => void;
  /**
   * Calls another granted tool on behalf of this call: the same checks, approvals and masks as a call of the model, with events of its own.
   * `signal` ends it before the turn's does. Never throws. Absent inside such a call.
   */
  readonly callTool?: (name: string, args: unknown, signal: AbortSignal) => Promise<InnerResult>;
  /** Publishes what an agent that this call started does. Texts must be masked. Progress may be dropped. Never rejects. */
  readonly publishChild: (event: ChildEvent) => Promise<void>;
}

/** One step of the agent's plan. */
export interface Todo {
  readonly id: string;
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed" | "cancelled";
}

/**
 * An ability. Validation, permission, cutting, masking and timing are applied around every tool by `plan-call.ts` and `run-call.ts`.
 * Must not throw for bad input or a failed operation; must stop soon after `signal` aborts.
 */
export interface Tool<Args = unknown> {
  readonly name: string;
  readonly toolset: string;
  /** One or two sentences: it is in every request. */
  readonly description: string;
  readonly parameters: z.ZodType<Args>;
  readonly effects: ToolEffects;
  readonly concurrency: (args: Args, cwd: string) => Concurrency;
  /** One line for people: what this call does. */
  readonly summarise: (args: Args) => string;
  readonly run: (args: Args, context: ToolContext) => Promise<ToolResult>;
  /** Largest text handed to the model, in characters; the contract's default otherwise. */
  readonly maxResultChars?: number;
}

/** Keeps a tool's argument type where it is written and forgets it where tools are kept in lists. */
export const defineTool = <Args>(tool: Tool<Args>): Tool => tool as unknown as Tool;
