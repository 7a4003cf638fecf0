import type { AgentEvent } from "./event.ts";
import { createQuestions } from "./questions.ts";
import { onDemandTools } from "./on-demand.ts";
import { createWhereabouts } from "./place.ts";
import { NO_PREFACE } from "./prompt/preface.ts";
import { placeOf } from "./rotate-place.ts";
import { toToolSchema } from "./tool-schema.ts";
import { compressNow } from "./turn/compress-now.ts";
import { runTurn } from "./turn/run-turn.ts";
import { streamTurn, type AgentState, type TurnRequest } from "./turn-stream.ts";
import type { Agent, AgentDeps, AgentSpec, TurnInput } from "./agent.ts";

/** An agent for one conversation. Makes no request and reads nothing until its first turn. */
export const createAgent = (deps: AgentDeps, spec: AgentSpec): Agent => {
  const questions = createQuestions(deps);
  const tools = [...spec.grant.resident, ...onDemandTools(spec.grant.onDemand)];
  const state: AgentState = {
    deps,
    spec,
    questions,
    gate: deps.createGate(spec.interactive ? questions.asker : undefined),
    whereabouts: createWhereabouts(placeOf(deps, { record: spec.session, systemPrompt: spec.systemPrompt })),
    grant: { ...spec.grant, resident: tools },
    // Made once: the same bytes stand in every request of the session (R-PROMPT-3).
    schemas: tools.map(toToolSchema),
    model: spec.model,
    preface: spec.preface ?? NO_PREFACE,
    reasoningEffort: spec.reasoningEffort,
    steering: undefined,
  };
  let isFirstTurn = true;
  const stream = (request: Omit<TurnRequest, "resumed">): AsyncIterable<AgentEvent> => {
    const resumed = spec.resumed && isFirstTurn;
    isFirstTurn = false;
    return streamTurn(state, { ...request, resumed });
  };
  return {
    run: (input, { signal }) => stream({ input, signal, work: runTurn }),
    compress: ({ focus, signal }) => {
      const input: TurnInput = { parts: [], origin: { surface: spec.surface } };
      return stream({ input, signal, work: (turn) => compressNow(turn, focus) });
    },
    steer: (text) => {
      if (state.steering === undefined) return false;
      state.steering.push(text);
      return true;
    },
    answerApproval: questions.answerApproval,
    answerClarify: questions.answerClarify,
    session: () => state.whereabouts.now().record,
    systemPrompt: () => state.whereabouts.now().systemPrompt,
    useModel: (next) => {
      state.model = next;
    },
    preface: () => state.preface,
    usePreface: (next) => {
      state.preface = next;
    },
    useReasoningEffort: (next) => {
      state.reasoningEffort = next;
    },
  };
};
