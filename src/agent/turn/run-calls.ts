import type { AssistantMessage, ToolCallPart } from "../../llm/message.ts";
import type { GateRequest } from "../approvals/approval-gate.ts";
import { createLoopGuardrail, type LoopGuardrail } from "../loop-guardrail.ts";
import { planCall, type InvalidCall, type PlannedCall, type ReadyCall } from "../plan-call.ts";
import { runCall, type CallContext, type CallResult, type RunCallDeps } from "../run-call.ts";
import type { ApprovalOutcome } from "../tool.ts";
import { batchCalls } from "../tool-batches.ts";
import type { Save, TurnState } from "./turn-state.ts";

/** Runs the calls of one answer after another within a turn. */
export interface CallRunner {
  /**
   * Runs the calls, safe ones at the same time, and saves each result in the model's order. Only an answer that came to its own end is
   * acted on: one that hit the output limit may end in half a call (B07), one that was refused was taken back. Returns why the turn
   * must stop, if it must.
   */
  run(calls: readonly ToolCallPart[], finish: AssistantMessage["finish"]): Promise<string | undefined>;
}

export const createCallRunner = (state: TurnState, save: Save): CallRunner => {
  const deps: RunCallDeps = {
    clock: state.deps.clock,
    redactor: state.deps.redactor,
    outputs: state.deps.outputs,
    log: state.deps.log,
    guardrail: createLoopGuardrail(state.spec.loopLimits),
    maxResultChars: state.spec.maxResultChars,
    emit: state.emit,
    offer: state.offer,
    textAfter: (call) => textAfter(state, call),
    beforeWrite: (paths, { tool, args }) => keepBefore(state, paths, tool.summarise(args)),
  };
  return {
    run: async (calls, finish) => {
      state.totals.addToolCalls(calls.length);
      const obstacle = OBSTACLES[finish];
      const planned = calls.map((call) =>
        obstacle === undefined ? planCall(state.grant, call, state.spec.cwd()) : notRun(call, obstacle),
      );
      let stop: string | undefined;
      for (const batch of batchCalls(planned)) stop = (await runBatch({ state, deps, save }, batch)) ?? stop;
      return stop;
    },
  };
};

const OBSTACLES: Readonly<Partial<Record<AssistantMessage["finish"], string>>> = {
  length:
    "Not run: the answer reached the output limit and the arguments were cut off. Send the call again, in smaller parts.",
  refusal: "Not run: the answer was refused after this call was written.",
};

const notRun = (call: ToolCallPart, problem: string): InvalidCall => ({
  kind: "invalid",
  call,
  toolName: call.name,
  problem,
  concurrency: { kind: "anything" },
});

interface Batch {
  readonly state: TurnState;
  readonly deps: RunCallDeps;
  readonly save: Save;
}

/** Results are saved in call order, each as soon as all before it are, so a crash loses only what had not ended. */
const runBatch = async ({ state, deps, save }: Batch, batch: readonly PlannedCall[]): Promise<string | undefined> => {
  const running = batch.map((planned) => runCall(deps, planned, createContext(state, deps, planned)));
  try {
    let stop: string | undefined;
    for (const pending of running) {
      const result: CallResult = await pending;
      await save({ role: "tool", parts: [result.part] });
      stop ??= result.stop;
    }
    return stop;
  } finally {
    // When saving fails the turn ends; it must not leave calls behind that still run.
    await Promise.allSettled(running);
  }
};

const createContext = (state: TurnState, deps: RunCallDeps, planned: PlannedCall): CallContext => {
  const inner = createInnerContext(state, planned, state.signal);
  return { ...inner, callTool: createInnerCaller(state, deps, inner) };
};

/** What a call that another call makes gets: everything but calls of its own. */
const createInnerContext = (state: TurnState, planned: PlannedCall, signal: AbortSignal): CallContext => {
  const callId = planned.call.id;
  return {
    signal,
    session: state.whereabouts.now().record.id,
    turn: state.turn,
    callId,
    cwd: state.spec.cwd,
    approve: (request) => approve(state, { ...request, callId }, signal),
    clarify: (question, choices) => state.questions.clarify({ callId, question, choices, signal }),
    publishTodos: (todos) =>
      state.offer({
        type: "todos",
        todos: todos.map((todo) => ({ ...todo, content: state.deps.redactor.text(todo.content) })),
      }),
    publishChild: async (event) => {
      const body = event.type === "notice" ? event : { ...event, callId };
      if (body.type === "subagent_progress") state.offer(body);
      else await state.emit(body);
    },
  };
};

const approve = async (state: TurnState, request: GateRequest, signal: AbortSignal): Promise<ApprovalOutcome> => {
  const outcome = await state.gate.check(request, { signal });
  // A file tool says itself what it writes.
  if (outcome.kind === "allowed" && request.kind === "command" && state.deps.beforeChange !== undefined)
    await keepBefore(state, await state.gate.touchedBy(request), request.command);
  return outcome;
};

const keepBefore = async (state: TurnState, paths: readonly string[], summary: string): Promise<void> => {
  if (state.deps.beforeChange === undefined || paths.length === 0) return;
  const change = {
    session: state.whereabouts.now().record.id,
    turn: state.turn,
    paths,
    summary: state.deps.redactor.text(summary),
  };
  for (const notice of await state.deps.beforeChange(change, { signal: state.signal }))
    await state.emit({ type: "notice", ...notice });
};

const textAfter = async (state: TurnState, { tool, args, concurrency }: ReadyCall): Promise<string | undefined> => {
  const added = await state.deps.afterCall?.({
    session: state.whereabouts.now().record.id,
    tool: tool.name,
    args,
    paths: concurrency.kind === "paths" ? concurrency.paths : [],
    cwd: state.spec.cwd(),
  });
  for (const notice of added?.notices ?? []) await state.emit({ type: "notice", ...notice });
  return added?.text;
};

/** A script that calls the same tool over and over does its work: it is no model that turns in a circle. */
const NO_GUARDRAIL: LoopGuardrail = { observe: () => ({ kind: "fine" }) };

const createInnerCaller = (
  state: TurnState,
  deps: RunCallDeps,
  outer: CallContext,
): NonNullable<CallContext["callTool"]> => {
  let count = 0;
  return async (name, args, signal) => {
    count += 1;
    state.totals.addToolCalls(1);
    const id = `${outer.callId}.${count}`;
    const call = { type: "tool_call" as const, id, name, arguments: JSON.stringify(args) ?? "" };
    const planned = planCall(state.grant, call, state.spec.cwd());
    const context = createInnerContext(state, planned, AbortSignal.any([outer.signal, signal]));
    const { part } = await runCall({ ...deps, guardrail: NO_GUARDRAIL, textAfter: undefined }, planned, context);
    const text = part.content.map((item) => (item.type === "text" ? item.text : "[image]")).join("\n");
    return { outcome: part.outcome, text };
  };
};
