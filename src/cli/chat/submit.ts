import { parseCommandLine } from "../../commands/run-command.ts";
import type { StepContext } from "./chat-action.ts";
import { type ChatState, newTurn, notice, print, type QueuedMessage, type Turn } from "./chat-state.ts";
import { clearEditor, editorWith, expandText } from "./input/editor.ts";
import { rememberLine } from "./input/input-history.ts";
import { type Step, stepTo } from "./step-result.ts";

/** Begins a turn with this text. */
const beginTurn = (state: ChatState, text: string, context: StepContext): Step =>
  sendShown(state, { text, shown: text }, context);

/** `shown` = what stands on the screen; undefined = it stands there already. */
const sendShown = (
  state: ChatState,
  { text, shown }: { readonly text: string; readonly shown: string | undefined },
  context: StepContext,
): Step => {
  const at = context.options.timestamps ? context.wall : undefined;
  const said = shown === undefined ? state : print(state, { kind: "user", text: shown, at });
  return stepTo({ ...said, turn: newTurn(context.now) }, { kind: "send", text });
};

const enqueue = (state: ChatState, message: QueuedMessage): ChatState => ({
  ...state,
  queue: [...state.queue, message],
});

/** Asks the running turn to stop. Asked again it changes nothing. */
export const interruptTurn = (state: ChatState, by: "key" | "message"): Step => {
  const { turn } = state;
  if (turn === undefined || turn.phase === "interrupting") return stepTo(state);
  return stepTo({ ...state, turn: { ...turn, phase: "interrupting", interruptedBy: by } }, { kind: "interrupt" });
};

/** A message while a turn runs, as `display.busy_input_mode` says (compat §4.7). */
const submitBusy = (state: ChatState, text: string): Step => {
  const mode = state.display.busyInputMode;
  switch (mode) {
    case "interrupt":
      return interruptTurn(enqueue(state, { text, joins: true }), "message");
    case "queue":
      return stepTo(enqueue(state, { text, joins: false }));
    case "steer":
      return stepTo(state, { kind: "steer", text });
    default:
      return mode satisfies never;
  }
};

/** A steer that no turn took waits for a turn of its own; if the turn has ended meanwhile, it is sent. */
export const refusedSteer = (state: ChatState, text: string, context: StepContext): Step =>
  state.turn === undefined ? beginTurn(state, text, context) : stepTo(enqueue(state, { text, joins: false }));

/** A message from a command: at once where nothing runs, else after what waits. */
export const submitText = (
  state: ChatState,
  { text, shown }: { readonly text: string; readonly shown?: string | undefined },
  context: StepContext,
): Step => {
  const message: QueuedMessage = { text, joins: false, ...(shown === undefined ? {} : { shown }) };
  if (state.turn !== undefined) return stepTo(enqueue(state, message));
  if (state.queue.length > 0) return nextFromQueue(enqueue(state, message), context);
  // What the person typed stands on the screen as the command that it was.
  return sendShown(state, { text, shown: shown === undefined ? text : undefined }, context);
};

/** Compresses the conversation in the place of a turn: what is said meanwhile waits. */
export const beginCompression = (state: ChatState, focus: string | undefined, context: StepContext): Step =>
  stepTo({ ...state, turn: newTurn(context.now) }, { kind: "compress", focus });

const submitCommand = (state: ChatState, line: string): Step => {
  if (state.commandRunning)
    return stepTo(print(state, notice("warning", "Another command is still being carried out.")));
  return stepTo({ ...state, commandRunning: true }, { kind: "command", line });
};

const firstQuestion = (state: ChatState): ChatState["questions"][number] | undefined => state.questions[0];

/** Enter with text: an answer to a question, a command, or a message. */
export const submitEditor = (state: ChatState, context: StepContext): Step => {
  const text = expandText(state.editor).trim();
  const question = firstQuestion(state);
  if (text === "") return stepTo(state);
  const emptied = { ...state, editor: clearEditor(state.editor), menu: undefined };
  if (question?.kind === "clarify") {
    const choice = /^\d+$/u.test(text) ? question.choices[Number(text) - 1] : undefined;
    return stepTo(emptied, { kind: "answer_clarify", id: question.id, answer: choice ?? text });
  }
  // The question is answered first; what was written stays.
  if (question?.kind === "confirm") return stepTo(state);
  const remembered = { ...emptied, history: rememberLine(state.history, text) };
  const command = parseCommandLine(text) !== undefined;
  const at = context.options.timestamps ? context.wall : undefined;
  const step = command
    ? submitCommand(print(remembered, { kind: "user", text, at }), text)
    : submitMessage(remembered, text, context);
  return stepTo(step.state, { kind: "remember", line: text }, ...step.effects);
};

const submitMessage = (state: ChatState, text: string, context: StepContext): Step =>
  state.turn === undefined ? beginTurn(state, text, context) : submitBusy(state, text);

/** The next message of the queue; those that interrupted the last turn go together as one. */
const nextFromQueue = (state: ChatState, context: StepContext): Step => {
  const [first, ...others] = state.queue;
  if (first === undefined) return stepTo(state);
  const joined = first.joins ? others.findIndex((message) => !message.joins) : 0;
  const count = joined === -1 ? others.length : joined;
  const taken = [first, ...others.slice(0, count)];
  const text = taken.map((message) => message.text).join("\n\n");
  const shown = taken.map((message) => message.shown ?? message.text).join("\n\n");
  return sendShown({ ...state, queue: others.slice(count) }, { text, shown }, context);
};

/** The queue goes back into the editor: the person stopped the turn, or it failed, and what follows is theirs to decide. */
const queueToEditor = (state: ChatState): ChatState => {
  if (state.queue.length === 0) return state;
  const written = [
    ...state.queue.map((message) => message.shown ?? message.text),
    ...(state.editor.text === "" ? [] : [state.editor.text]),
  ];
  const said = print(state, notice("info", "The waiting messages are in the input box again."));
  return { ...said, queue: [], editor: editorWith(state.editor, written.join("\n\n")) };
};

const isHalted = (turn: Turn, abandoned: boolean): boolean => {
  if (turn.interruptedBy === "message") return false;
  return abandoned || turn.interruptedBy === "key" || turn.finished === undefined || turn.finished.status === "failed";
};

/** The end of a turn: its last line, then the next message that waits. */
export const endTurn = (
  state: ChatState,
  over: { readonly abandoned: boolean; readonly error?: string },
  context: StepContext,
): Step => {
  const { turn } = state;
  if (turn === undefined) return stepTo(state);
  const { finished } = turn;
  const failed = over.error === undefined ? state : print(state, notice("error", over.error));
  const ended = print(failed, {
    kind: "turn_end",
    status: over.abandoned ? "abandoned" : (finished?.status ?? "failed"),
    durationMs: context.now - turn.startedAt,
    toolCalls: finished?.toolCalls ?? 0,
    costUsd: context.options.showCost ? finished?.costUsd : undefined,
  });
  const questions = ended.questions.filter((question) => question.kind === "confirm");
  const idle = { ...ended, turn: undefined, questions };
  const bell = context.options.bellOnComplete ? [{ kind: "bell" as const }] : [];
  if (isHalted(turn, over.abandoned)) return stepTo(queueToEditor(idle), ...bell);
  const next = nextFromQueue(idle, context);
  return stepTo(next.state, ...bell, ...next.effects);
};
