import { messageOf } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import { createRedactingStream } from "../base/redact/redacting-stream.ts";
import { redactValue } from "../base/redact/redact-json.ts";
import type { Redactor } from "../base/redact/redact-text.ts";
import type { ToolResultPart } from "../llm/message.ts";
import type { AgentEventBody } from "./event.ts";
import type { LoopGuardrail, LoopVerdict } from "./loop-guardrail.ts";
import type { PlannedCall, ReadyCall } from "./plan-call.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { cutText, type ToolOutputStore } from "./tool-output.ts";

export interface RunCallDeps {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly outputs: ToolOutputStore;
  readonly log: Logger;
  readonly guardrail: LoopGuardrail;
  /** Largest result text handed to the model, in characters, where a tool sets none of its own. */
  readonly maxResultChars: number;
  readonly emit: (event: AgentEventBody) => Promise<void>;
  /** Called before a tool runs that says which paths it writes. Must not throw. */
  readonly beforeWrite: (paths: readonly string[], call: ReadyCall) => Promise<void>;
  /** What belongs behind a result, masked and bounded: for the model alone. Must not throw. */
  readonly textAfter?: ((call: ReadyCall) => Promise<string | undefined>) | undefined;
  /** Shows an event unless the reader is behind. */
  readonly offer: (event: AgentEventBody) => void;
}

/** What a tool gets besides its output channel, which `runCall` makes. */
export type CallContext = Omit<ToolContext, "emit">;

/** A finished call: the part for the transcript, and whether the turn must end because of repeats. */
export interface CallResult {
  readonly part: ToolResultPart;
  readonly stop: string | undefined;
}

/**
 * Runs one call with everything that is the same for every tool: events, timing, masking, cutting, repeat detection.
 * Never throws: what a tool throws becomes an `error` result, and the log has the stack.
 */
export const runCall = async (deps: RunCallDeps, planned: PlannedCall, context: CallContext): Promise<CallResult> => {
  const started = deps.clock.monotonic();
  if (planned.kind === "ready") await deps.emit(startedEvent(deps, planned));
  const output = createLiveOutput(deps, planned.call.id);
  const result = await runTool(deps, planned, { ...context, emit: output.emit });
  output.end();
  const { text, fullTextPath } = await bounded(deps, { planned, result, session: context.session });
  const outcome = result.outcome;
  const toolName = nameOf(planned);
  const verdict = deps.guardrail.observe({ tool: toolName, arguments: planned.call.arguments, outcome, text });
  const shown = verdict.kind === "fine" ? text : `${text}\n\n[${verdict.advice}]`;
  const after = planned.kind === "ready" && outcome === "ok" ? await deps.textAfter?.(planned) : undefined;
  await deps.emit({
    type: "tool_finished",
    callId: planned.call.id,
    tool: toolName,
    outcome,
    durationMs: Math.round(deps.clock.monotonic() - started),
    text: shown,
    ...(result.diff === undefined ? {} : { diff: deps.redactor.text(result.diff) }),
    ...(fullTextPath === undefined ? {} : { fullTextPath }),
  });
  return {
    part: {
      type: "tool_result",
      callId: planned.call.id,
      name: planned.call.name,
      outcome,
      content: [{ type: "text", text: after === undefined ? shown : `${shown}\n\n${after}` }, ...(result.images ?? [])],
    },
    stop: stopOf(verdict),
  };
};

/** Output while a tool runs: one masking stream a call, so that a secret cut across two pieces is still found. */
const createLiveOutput = (
  deps: RunCallDeps,
  callId: string,
): { readonly emit: (text: string) => void; readonly end: () => void } => {
  const stream = createRedactingStream(deps.redactor);
  const show = (text: string): void => {
    if (text !== "") deps.offer({ type: "tool_output", callId, text });
  };
  return { emit: (text) => show(stream.push(text)), end: () => show(stream.end()) };
};

type Outcome = ToolResultPart["outcome"];
type RawResult = Omit<ToolResult, "outcome"> & { readonly outcome: Outcome };

const nameOf = (planned: PlannedCall): string => (planned.kind === "ready" ? planned.tool.name : planned.toolName);

const stopOf = (verdict: LoopVerdict): string | undefined => (verdict.kind === "stop" ? verdict.advice : undefined);

const startedEvent = (deps: RunCallDeps, { call, tool, args }: ReadyCall): AgentEventBody => ({
  type: "tool_started",
  callId: call.id,
  tool: tool.name,
  arguments: maskRecord(deps.redactor, args),
  summary: deps.redactor.text(tool.summarise(args)),
});

/** A tool's arguments are an object by its schema; one that declares something else is shown under `value`. */
const maskRecord = (redactor: Redactor, args: unknown): Record<string, unknown> => {
  const masked = redactValue(args, redactor);
  return typeof masked === "object" && masked !== null && !Array.isArray(masked)
    ? Object.fromEntries(Object.entries(masked))
    : { value: masked };
};

const runTool = async (deps: RunCallDeps, planned: PlannedCall, context: ToolContext): Promise<RawResult> => {
  if (planned.kind === "invalid") return { outcome: "error", text: planned.problem };
  if (context.signal.aborted) return { outcome: "interrupted", text: "Not run: the turn was interrupted." };
  try {
    const { tool, args, concurrency } = planned;
    if (tool.effects === "write" && concurrency.kind === "paths") await deps.beforeWrite(concurrency.paths, planned);
    return await tool.run(args, context);
  } catch (thrown) {
    if (context.signal.aborted) return { outcome: "interrupted", text: "Interrupted." };
    deps.log.error("tool threw", { tool: planned.tool.name, error: thrown });
    return { outcome: "error", text: `${planned.tool.name} failed: ${messageOf(thrown)}` };
  }
};

/** Masks first, then cuts: a secret that a cut goes through would no longer be recognised. */
const bounded = async (
  deps: RunCallDeps,
  {
    planned,
    result,
    session,
  }: { readonly planned: PlannedCall; readonly result: RawResult; readonly session: SessionId },
): Promise<{ readonly text: string; readonly fullTextPath: string | undefined }> => {
  const text = deps.redactor.text(result.text);
  const limit = (planned.kind === "ready" ? planned.tool.maxResultChars : undefined) ?? deps.maxResultChars;
  if (text.length <= limit) return { text, fullTextPath: result.fullTextPath };
  const path = result.fullTextPath ?? (await keepWhole(deps, { session, callId: planned.call.id, text }));
  return { text: cutText(text, limit, path ?? "could not be kept"), fullTextPath: path };
};

/** A full disk costs the rest of the text, not the turn. */
const keepWhole = async (
  deps: RunCallDeps,
  { session, callId, text }: { readonly session: SessionId; readonly callId: string; readonly text: string },
): Promise<string | undefined> => {
  try {
    return await deps.outputs.keep(session, callId, text);
  } catch (thrown) {
    deps.log.warn("the whole text of a result could not be kept", { error: thrown });
    return undefined;
  }
};
