import { AppError, messageOf } from "../base/app-error.ts";
import { newId, type TurnId } from "../base/ids.ts";
import type { Agent, AgentDeps, AgentSpec, TurnInput } from "./agent.ts";
import { agentErrors } from "./errors.ts";
import type { AgentEvent, AgentEventBody, AgentEventOf } from "./event.ts";
import { AGENT_EVENT_VERSION } from "./event-version.ts";
import { createChannel } from "./event-channel.ts";
import { onDemandTools } from "./on-demand.ts";
import { createQuestions } from "./questions.ts";
import { toToolSchema } from "./tool-schema.ts";
import { createTranscript } from "./transcript.ts";
import { createTotals } from "./turn/totals.ts";
import { runTurn, type TurnOutcome } from "./turn/run-turn.ts";
import type { TurnState } from "./turn/turn-state.ts";

/** An agent for one session. Makes no request and reads nothing until its first turn. */
export const createAgent = (deps: AgentDeps, spec: AgentSpec): Agent => {
  const questions = createQuestions(deps);
  const gate = deps.createGate(spec.interactive ? questions.asker : undefined);
  const transcript = createTranscript({
    store: deps.store,
    session: spec.session.id,
    redact: deps.redactMessage,
    view: deps.modelView,
  });
  const tools = [...spec.grant.resident, ...onDemandTools(spec.grant.onDemand)];
  // Made once: the same bytes stand in every request of the session (R-PROMPT-3).
  const schemas = tools.map(toToolSchema);
  const grant = { ...spec.grant, resident: tools };
  let model = spec.model;
  let reasoningEffort = spec.reasoningEffort;
  let steering: string[] | undefined;
  let isFirstTurn = true;

  const run = (input: TurnInput, { signal }: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent> => {
    const abandoned = new AbortController();
    const channel = createChannel<AgentEvent>(() => abandoned.abort());
    const turn = newId("trn", deps.clock.now());
    const emit = createEmitter(spec.session.id, turn, channel);
    const mailbox: string[] = [];
    steering = mailbox;
    const state: TurnState = {
      deps,
      spec,
      turn,
      input,
      model,
      reasoningEffort: () => reasoningEffort,
      grant,
      schemas,
      transcript,
      gate,
      questions: questions.forTurn(emit.push, spec.interactive),
      totals: createTotals(),
      signal: AbortSignal.any([signal, abandoned.signal]),
      emit: emit.push,
      offer: emit.offer,
      takeSteering: () => mailbox.splice(0),
    };
    const resumed = spec.resumed && isFirstTurn;
    isFirstTurn = false;
    const work = async (): Promise<void> => {
      await emit.push({
        type: "start",
        version: AGENT_EVENT_VERSION,
        hermes: spec.version,
        provider: model.info.provider,
        model: model.info.model,
        resumed,
      });
      const outcome = await settle(state);
      if (steering === mailbox) steering = undefined;
      await emit.push(finishedEvent(state, outcome));
      channel.close();
    };
    work().catch((error: unknown) => channel.fail(error));
    return channel;
  };

  return {
    run,
    steer: (text) => {
      if (steering === undefined) return false;
      steering.push(text);
      return true;
    },
    answerApproval: questions.answerApproval,
    answerClarify: questions.answerClarify,
    useModel: (next) => {
      model = next;
    },
    useReasoningEffort: (next) => {
      reasoningEffort = next;
    },
  };
};

interface Emitter {
  readonly push: (body: AgentEventBody) => Promise<void>;
  readonly offer: (body: AgentEventBody) => void;
}

const createEmitter = (
  session: string,
  turn: TurnId,
  channel: ReturnType<typeof createChannel<AgentEvent>>,
): Emitter => {
  let sequence = 0;
  const seal = (body: AgentEventBody): AgentEvent => ({ session, turn, sequence, ...body });
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
const settle = async (state: TurnState): Promise<TurnOutcome> => {
  const outcome = await outcomeOf(state);
  logOutcome(state, outcome);
  return outcome;
};

const outcomeOf = async (state: TurnState): Promise<TurnOutcome> => {
  try {
    return await runTurn(state);
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
