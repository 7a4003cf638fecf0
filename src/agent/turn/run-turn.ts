import type { AppError } from "../../base/app-error.ts";
import type { AssistantMessage, Message } from "../../llm/message.ts";
import { textOf, toolCallsOf } from "../../llm/message.ts";
import type { Lease } from "../../store/store.ts";
import type { TurnInput } from "../agent.ts";
import { agentErrors, providerFailure } from "../errors.ts";
import { interruptedAnswer, missingMessages } from "../history.ts";
import { contextLine } from "../prompt/context-line.ts";
import { askModel, type ModelAnswer } from "./ask-model.ts";
import { contextTokens, makeRoom, makeRoomAfterOverflow } from "./make-room.ts";
import { createCallRunner, type CallRunner } from "./run-calls.ts";
import { takeSession } from "./take-session.ts";
import type { Save, TurnState } from "./turn-state.ts";

/** How a turn ended. */
export interface TurnOutcome {
  readonly status: "completed" | "interrupted" | "failed" | "budget_exhausted";
  readonly text: string;
  readonly error?: AppError;
}

/**
 * One turn: take the session, complete what an earlier turn left open, save the input, then ask the model and run its calls until
 * it answers without any. Throws only `AppError`s of the store, and what aborts it.
 */
export const runTurn = async (state: TurnState): Promise<TurnOutcome> => {
  const { lease, rotated } = await takeSession(state);
  try {
    if (rotated !== undefined) await state.emit(rotated);
    const save = createSave(state, lease);
    for (const message of missingMessages(messagesOf(state), state.model.info)) await save(message);
    await save(inputMessage(state, state.input));
    const outcome = await converse(state, { lease, save });
    await closeRoles(state, save);
    return outcome;
  } finally {
    await lease.release();
  }
};

const messagesOf = ({ whereabouts }: TurnState): readonly Message[] => whereabouts.now().transcript.messages();

const createSave =
  (state: TurnState, lease: Lease): Save =>
  async (message, call) => {
    const { transcript } = state.whereabouts.now();
    const saved = await transcript.append(message, call === undefined ? { lease } : { lease, call });
    await state.emit({ type: "saved", ...saved });
  };

const inputMessage = (state: TurnState, input: TurnInput): Message => {
  const line = contextLine(state.deps.clock.now(), messagesOf(state), state.spec.timeZone);
  return {
    role: "user",
    parts: input.parts,
    origin: input.origin,
    ...(line === undefined ? {} : { contextLine: line }),
  };
};

/** A turn that ended before the model said anything leaves a user message without an answer; the next one must not follow it directly. */
const closeRoles = async (state: TurnState, save: Save): Promise<void> => {
  if (messagesOf(state).at(-1)?.role === "user") await save(interruptedAnswer(state.model.info));
};

/** The right to the session, and the way to add to it. */
interface Hold {
  readonly lease: Lease;
  readonly save: Save;
}

const converse = async (state: TurnState, hold: Hold): Promise<TurnOutcome> => {
  const { save } = hold;
  const calls = createCallRunner(state, save);
  for (let round = 0; round < state.spec.maxTurns; round += 1) {
    const answer = await askWithRoom(state, hold);
    if (answer.kind === "full") return { status: "failed", text: "", error: answer.error };
    if (answer.kind !== "answered") return await endEarly(state, answer, save);
    await saveAnswer(state, answer, save);
    const next = await afterAnswer(state, { answer: answer.message, calls, save });
    if (next !== undefined) return next;
  }
  return await askForSummary(state, hold);
};

/** Asks, within the window: the conversation is compressed before if its policy says so, and when the provider calls it too long. */
const askWithRoom = async (
  state: TurnState,
  { lease }: Hold,
): Promise<ModelAnswer | { readonly kind: "full"; readonly error: AppError }> => {
  await makeRoom(state, lease);
  for (let attempt = 1; ; attempt += 1) {
    const answer = await askModel(state);
    if (answer.kind !== "failed" || answer.error.kind !== "overflow") return answer;
    const error = await makeRoomAfterOverflow(state, lease, {
      attempt,
      contextWindow: answer.error.contextWindow,
    });
    if (error !== undefined) return { kind: "full", error };
  }
};

const saveAnswer = async (
  state: TurnState,
  { message, by }: Pick<Extract<ModelAnswer, { kind: "answered" }>, "message" | "by">,
  save: Save,
): Promise<void> => {
  const { transcript } = state.whereabouts.now();
  const inputTokens = message.usage?.inputTokens;
  if (inputTokens !== undefined) transcript.setCounted({ tokens: inputTokens, messages: transcript.messages().length });
  const costUsd = message.usage === undefined ? null : state.deps.costOf(by, message.usage);
  state.totals.addUsage(message.usage, costUsd);
  await save(message, { usage: message.usage ?? {}, costUsd });
  await state.emit({
    type: "usage",
    usage: message.usage ?? {},
    contextTokens: inputTokens ?? contextTokens(state),
    contextWindow: by.contextWindow,
    costUsd,
  });
};

interface Answered {
  readonly answer: AssistantMessage;
  readonly calls: CallRunner;
  readonly save: Save;
}

/** Runs the answer's calls and puts in what was said meanwhile. Undefined = go on. */
const afterAnswer = async (state: TurnState, { answer, calls, save }: Answered): Promise<TurnOutcome | undefined> => {
  const asked = toolCallsOf(answer);
  const stop = asked.length === 0 ? undefined : await calls.run(asked, answer.finish);
  if (state.signal.aborted) return { status: "interrupted", text: finalText(answer) };
  if (stop !== undefined)
    return { status: "failed", text: finalText(answer), error: agentErrors.turnFailed({ message: stop }) };
  const steered = await putSteering(state, save);
  // A refusal is an answer: asking again would only be refused again (B11).
  if (steered || (asked.length > 0 && answer.finish !== "refusal")) return undefined;
  return { status: "completed", text: finalText(answer) };
};

const finalText = (answer: AssistantMessage): string => {
  const text = textOf(answer);
  return text === "" ? (answer.refusal ?? "") : text;
};

const putSteering = async (state: TurnState, save: Save): Promise<boolean> => {
  const texts = state.takeSteering();
  for (const text of texts) {
    await save({ role: "user", parts: [{ type: "text", text }], origin: state.input.origin });
    await state.emit({ type: "steered", text });
  }
  return texts.length > 0;
};

/** The model did not finish: what had arrived is kept, without calls that could be half-written. */
const endEarly = async (
  state: TurnState,
  answer: Exclude<ModelAnswer, { kind: "answered" }>,
  save: Save,
): Promise<TurnOutcome> => {
  const { partial } = answer;
  const text = partial === undefined ? "" : textOf(partial);
  if (partial !== undefined && text !== "") {
    const parts = partial.parts.filter((part) => part.type === "text" || part.type === "reasoning");
    await save({ ...partial, parts, finish: "interrupted" });
  }
  if (answer.kind === "aborted") return { status: "interrupted", text };
  const { kind, message } = answer.error;
  if (kind === "budget") return { status: "failed", text, error: agentErrors.capReached({ message }) };
  const place = state.model.place?.();
  return { status: "failed", text, error: providerFailure(state.model.info, answer.error, place) };
};

/** The budget of model calls is used up: one more, without tools, to say where things stand. */
const askForSummary = async (state: TurnState, hold: Hold): Promise<TurnOutcome> => {
  const { save } = hold;
  await save({
    role: "user",
    parts: [
      {
        type: "text",
        text: `You have used all ${state.spec.maxTurns} steps of this turn. Without calling tools, say what is done, what is not, and what comes next.`,
      },
    ],
    origin: { surface: "hermes" },
  });
  const answer = await askWithRoom(state, hold);
  if (answer.kind === "full") return { status: "failed", text: "", error: answer.error };
  if (answer.kind !== "answered") return await endEarly(state, answer, save);
  // Calls in this answer are not run; without them the transcript stays valid.
  const message: AssistantMessage = {
    ...answer.message,
    parts: answer.message.parts.filter((part) => part.type !== "tool_call"),
  };
  const spoken =
    message.parts.length === 0 ? { ...message, parts: interruptedAnswer(state.model.info).parts } : message;
  await saveAnswer(state, { message: spoken, by: answer.by }, save);
  return { status: "budget_exhausted", text: finalText(message) };
};
