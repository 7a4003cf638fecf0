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
  /**
   * A sub-agent has begun: `child` is its session, `parent` the session that started it, which deeper in the tree is a sub-agent's.
   * `index` counts the tasks of one call from 0; `callId` is the call of this stream below which it runs.
   */
  z.object({
    type: z.literal("subagent_started"),
    callId: z.string(),
    index: z.number().int(),
    child: z.string(),
    parent: z.string(),
    goal: z.string(),
  }),
  /** What a sub-agent does now: a call (`tool`, `summary`), or the end of what it writes (`text`), masked. May be left out. */
  z.object({
    type: z.literal("subagent_progress"),
    callId: z.string(),
    index: z.number().int(),
    child: z.string(),
    tool: z.string().optional(),
    summary: z.string().optional(),
    text: z.string().optional(),
  }),
  /** A sub-agent has ended. Tokens and money are its own, without those of sub-agents below it. */
  z.object({
    type: z.literal("subagent_finished"),
    callId: z.string(),
    index: z.number().int(),
    child: z.string(),
    status: z.enum(["completed", "failed", "interrupted", "error", "timeout"]),
    durationMs: z.number(),
    modelCalls: z.number().int(),
    toolCalls: z.number().int(),
    usage,
    costUsd: z.number().nullable(),
  }),
  /** The conversation has become long and is being compressed; `tokens` is what a request carries. */
  z.object({
    type: z.literal("compressing"),
    reason: z.enum(["threshold", "overflow", "manual"]),
    tokens: z.number().int(),
  }),
  /**
   * The conversation goes on in another session: `to` stands in the envelope from here on. `elsewhere` = another process had
   * compressed it. Sizes are estimated tokens of a request.
   */
  z.object({
    type: z.literal("rotated"),
    from: z.string(),
    to: z.string(),
    reason: z.enum(["threshold", "overflow", "manual", "elsewhere"]),
    before: z.number().int().optional(),
    after: z.number().int().optional(),
    /** Who wrote the summary; `static` = no model could, `because` says why. */
    by: z.enum(["model", "static", "pruning"]).optional(),
    because: z.string().optional(),
    /** So many messages at the end are those of the session before, unchanged. */
    kept: z.number().int(),
    /** How many messages the new session has. */
    messages: z.number().int(),
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
