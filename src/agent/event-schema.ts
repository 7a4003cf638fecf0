import * as z from "zod";
import { AGENT_EVENT_VERSION } from "./event-version.ts";

/**
 * Everything that happens in a turn, as one stream that every surface reads (decision 17). It is public (`--json` prints one
 * event a line): fields are only added, readers ignore types they do not know, and a golden file pins the shapes.
 * Apart from `event.ts`, so that a program that only makes events does not build the schemas.
 */

const usage = z.object({
  inputTokens: z.number().int().optional(),
  outputTokens: z.number().int().optional(),
  cacheReadTokens: z.number().int().optional(),
  cacheWriteTokens: z.number().int().optional(),
  reasoningTokens: z.number().int().optional(),
});

const failure = z.object({ code: z.string(), message: z.string(), hint: z.string().optional() });

const outcome = z.enum(["ok", "error", "denied", "interrupted"]);

/** The bodies, by type. `envelope` adds where in which turn each stood. */
export const body = z.discriminatedUnion("type", [
  /** Line 1 of every stream. */
  z.object({
    type: z.literal("start"),
    version: z.literal(AGENT_EVENT_VERSION),
    hermes: z.string(),
    provider: z.string(),
    model: z.string(),
    resumed: z.boolean(),
  }),
  /** A piece of the answer. Void after `retrying`. */
  z.object({ type: z.literal("text"), delta: z.string() }),
  z.object({ type: z.literal("reasoning"), delta: z.string() }),
  /** The model has begun to write a call; its arguments are still coming. */
  z.object({ type: z.literal("tool_preparing"), callId: z.string(), tool: z.string() }),
  /** The call runs now. `arguments` is the parsed object, masked; `summary` one line for people. */
  z.object({
    type: z.literal("tool_started"),
    callId: z.string(),
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    summary: z.string(),
  }),
  /** Output of a running tool, masked, in arrival order; bounded, may be thinned. */
  z.object({ type: z.literal("tool_output"), callId: z.string(), text: z.string() }),
  z.object({
    type: z.literal("tool_finished"),
    callId: z.string(),
    tool: z.string(),
    outcome,
    durationMs: z.number(),
    /** What the model reads, masked and cut. */
    text: z.string(),
    /** A unified diff of what a file tool changed. */
    diff: z.string().optional(),
    /** The file that holds the whole text where `text` was cut. */
    fullTextPath: z.string().optional(),
  }),
  /** A question before something dangerous. The turn waits for its answer. */
  z.object({
    type: z.literal("approval_requested"),
    approvalId: z.string(),
    callId: z.string(),
    action: z.enum(["command", "write"]),
    subject: z.string(),
    reasons: z.array(z.string()),
    /** What "always" would allow from now on; absent = "always" is not offered. */
    alwaysCovers: z.string().optional(),
    timeoutMs: z.number(),
  }),
  z.object({
    type: z.literal("approval_resolved"),
    approvalId: z.string(),
    answer: z.enum(["once", "session", "always", "deny", "timeout"]),
  }),
  /** The model asks the person; the turn waits. */
  z.object({
    type: z.literal("clarify_requested"),
    clarifyId: z.string(),
    callId: z.string(),
    question: z.string(),
    choices: z.array(z.string()),
  }),
  z.object({ type: z.literal("clarify_resolved"), clarifyId: z.string(), answer: z.string().nullable() }),
  /** The plan that the agent keeps for itself has changed. */
  z.object({
    type: z.literal("todos"),
    todos: z.array(
      z.object({
        id: z.string(),
        content: z.string(),
        status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
      }),
    ),
  }),
  /** Emitted only after the row is committed: what was named here survives a power cut. */
  z.object({
    type: z.literal("saved"),
    messageId: z.string(),
    seq: z.number().int(),
    role: z.enum(["user", "assistant", "tool"]),
  }),
  /** One model call's tokens; `costUsd` is null when a price is unknown. */
  z.object({
    type: z.literal("usage"),
    usage,
    contextTokens: z.number().int(),
    contextWindow: z.number().int(),
    costUsd: z.number().nullable(),
  }),
  z.object({
    type: z.literal("waiting"),
    phase: z.enum(["first_token", "next_token"]),
    waitedMs: z.number(),
    limitMs: z.number(),
  }),
  z.object({
    type: z.literal("retrying"),
    attempt: z.number().int(),
    delayMs: z.number(),
    kind: z.string(),
    message: z.string(),
    /**
     * What goes on instead: another credential of the provider (its label), another model (`from` = the one that failed or refused),
     * or the request without what was refused.
     */
    moved: z
      .discriminatedUnion("to", [
        z.object({ to: z.literal("credential"), provider: z.string(), label: z.string() }),
        z.object({
          to: z.literal("model"),
          provider: z.string(),
          model: z.string(),
          from: z.object({ provider: z.string(), model: z.string() }).optional(),
        }),
        z.object({ to: z.literal("less"), without: z.string() }),
      ])
      .optional(),
  }),
  /** A message that came while the turn ran and was put into it (steer). */
  z.object({ type: z.literal("steered"), text: z.string() }),
  /** Something the person should know that is no failure; words are made from the code by the surface. */
  z.object({ type: z.literal("notice"), code: z.string(), message: z.string() }),
  /** The last event of a turn. `text` is the final answer, raw (decision 19). */
  z.object({
    type: z.literal("turn_finished"),
    status: z.enum(["completed", "interrupted", "failed", "budget_exhausted"]),
    text: z.string(),
    /** Requests that reached a model: those that failed or were repeated too. */
    modelCalls: z.number().int(),
    toolCalls: z.number().int(),
    usage,
    costUsd: z.number().nullable(),
    error: failure.optional(),
  }),
]);

export const envelope = z.object({
  session: z.string(),
  turn: z.string(),
  /** Counts from 0 within the turn, without gaps. */
  sequence: z.number().int(),
});

/** Reads one line of the public event stream. */
export const agentEventSchema = z.intersection(envelope, body);
