import { AppError, messageOf } from "../base/app-error.ts";
import { newId, type TurnId } from "../base/ids.ts";
import type { ReasoningEffort } from "../config/reasoning-effort.ts";
import type { ModelClient } from "../llm/model-client.ts";
import type { ToolSchema } from "../llm/request.ts";
import type { AgentDeps, AgentSpec, TurnInput } from "./agent.ts";
import type { ApprovalGate } from "./approvals/approval-gate.ts";
import { agentErrors } from "./errors.ts";
import type { AgentEvent, AgentEventBody, AgentEventOf } from "./event.ts";
import { AGENT_EVENT_VERSION } from "./event-version.ts";
import { createChannel } from "./event-channel.ts";
import type { Grant } from "./grant.ts";
import type { Whereabouts } from "./place.ts";
import type { Preface } from "./prompt/preface.ts";
import type { createQuestions } from "./questions.ts";
import { createTotals } from "./turn/totals.ts";
import type { TurnOutcome } from "./turn/run-turn.ts";
import type { TurnState } from "./turn/turn-state.ts";

/** What an agent keeps between turns. */
export interface AgentState {
  readonly deps: AgentDeps;
  readonly spec: AgentSpec;
  readonly questions: ReturnType<typeof createQuestions>;
  readonly gate: ApprovalGate;
  readonly whereabouts: Whereabouts;
  readonly grant: Grant;
  readonly schemas: readonly ToolSchema[];
  /** What answers from the next turn on. */
  model: ModelClient;
  reasoningEffort: ReasoningEffort | undefined;
  preface: Preface;
  /** Takes what is said to the running turn; undefined = none runs. */
  steering: string[] | undefined;
}

/** One turn, or what takes its place. */
export interface TurnRequest {
  readonly input: TurnInput;
  readonly signal: AbortSignal;
  readonly resumed: boolean;
  readonly work: (state: TurnState) => Promise<TurnOutcome>;
}

/** Runs the work and tells of it, from `start` to `turn_finished`. Leaving the stream early interrupts it. */
export const streamTurn = (agent: AgentState, request: TurnRequest): AsyncIterable<AgentEvent> => {
  const { deps, spec, whereabouts, model } = agent;
  const { input, resumed, work } = request;
  const abandoned = new AbortController();
  const channel = createChannel<AgentEvent>(() => abandoned.abort());
  const turn = newId("trn", deps.clock.now());
  const emit = createEmitter(whereabouts, turn, channel);
  const mailbox: string[] = [];
  agent.steering = mailbox;
  const state: TurnState = {
    deps,
    spec,
    turn,
    input,
    model,
    preface: agent.preface,
    reasoningEffort: () => agent.reasoningEffort,
    grant: agent.grant,
    schemas: agent.schemas,
    whereabouts,
    gate: agent.gate,
    questions: agent.questions.forTurn(emit.push, spec.interactive),
    totals: createTotals(),
    signal: AbortSignal.any([request.signal, abandoned.signal]),
    emit: emit.push,
    offer: emit.offer,
    takeSteering: () => mailbox.splice(0),
  };
  const tell = async (): Promise<void> => {
    const { provider, model: name } = model.info;
    await emit.push({
      type: "start",
      version: AGENT_EVENT_VERSION,
      hermes: spec.version,
      provider,
      model: name,
      resumed,
    });
    const outcome = await settle(state, work);
    if (agent.steering === mailbox) agent.steering = undefined;
    await emit.push(finishedEvent(state, outcome));
    channel.close();
  };
  tell().catch((error: unknown) => channel.fail(error));
  return channel;
};

interface Emitter {
  readonly push: (body: AgentEventBody) => Promise<void>;
  readonly offer: (body: AgentEventBody) => void;
}

const createEmitter = (
  whereabouts: Whereabouts,
  turn: TurnId,
  channel: ReturnType<typeof createChannel<AgentEvent>>,
): Emitter => {
  let sequence = 0;
  const seal = (body: AgentEventBody): AgentEvent => ({
    session: whereabouts.now().record.id,
    turn,
    sequence,
    ...body,
  });
  return {
    push: (body) => {
      const sealed = seal(body);
      sequence += 1;
      return channel.push(sealed);
    },
    // A dropped event takes no number, so the sequence stays without gaps.
    offer: (body) => {
      if (channel.offer(seal(body))) sequence += 1;
    },
  };
};

/** The edge at which a failed turn becomes an event: nothing that goes wrong inside may leave the stream without its end. */
const settle = async (state: TurnState, work: (state: TurnState) => Promise<TurnOutcome>): Promise<TurnOutcome> => {
  const outcome = await outcomeOf(state, work);
  logOutcome(state, outcome);
  return outcome;
};

const outcomeOf = async (state: TurnState, work: (state: TurnState) => Promise<TurnOutcome>): Promise<TurnOutcome> => {
  try {
    return await work(state);
  } catch (thrown) {
    if (state.signal.aborted && !(thrown instanceof AppError)) return { status: "interrupted", text: "" };
    const error = thrown instanceof AppError ? thrown : agentErrors.turnFailed({ message: messageOf(thrown) }, thrown);
    return { status: "failed", text: "", error };
  }
};

/** One line a turn, so that the log says what happened; a failed one stands in the error log too, with what caused it. */
const logOutcome = ({ deps, turn, model, totals }: TurnState, { status, error }: TurnOutcome): void => {
  const { modelCalls, toolCalls } = totals.read();
  const fields = { turn, status, provider: model.info.provider, model: model.info.model, modelCalls, toolCalls };
  if (error === undefined) deps.log.info("turn finished", fields);
  else deps.log.error("turn failed", { ...fields, code: error.code, error: error.message, cause: error.cause });
};

const finishedEvent = (state: TurnState, outcome: TurnOutcome): AgentEventOf<"turn_finished"> => ({
  type: "turn_finished",
  status: outcome.status,
  text: outcome.text,
  ...state.totals.read(),
  ...(outcome.error === undefined ? {} : { error: outcome.error.toJSON().error }),
});
