import type { StepContext } from "./chat-action.ts";
import type { ApprovalAnswer } from "../../agent/approvals/approval-gate.ts";
import type { ChatState, Question } from "./chat-state.ts";
import { applyCandidates, completionTarget, cycleMenu, staticCandidates } from "./input/completion.ts";
import { chordOf, editKey } from "./input/edit-key.ts";
import { clearEditor, continueLine } from "./input/editor.ts";
import { moveRow } from "./input/input-layout.ts";
import { leaveHistory, walkHistory } from "./input/input-history.ts";
import type { KeyPress } from "./input/key-press.ts";
import { acceptSearch, beginSearch, searchKey } from "./reduce-search.ts";
import { type Step, stepTo } from "./step-result.ts";
import { interruptTurn, submitEditor } from "./submit.ts";

/** Columns that the prompt takes before the text. */
export const PROMPT_WIDTH = 2;

const APPROVALS: Readonly<Record<string, ApprovalAnswer>> = {
  o: "once",
  y: "once",
  s: "session",
  a: "always",
  d: "deny",
  n: "deny",
};
const CONFIRMATIONS: Readonly<Record<string, "once" | "always" | "cancel">> = {
  o: "once",
  y: "once",
  a: "always",
  c: "cancel",
  n: "cancel",
};

const dropQuestion = (state: ChatState, question: Question): ChatState => ({
  ...state,
  questions: state.questions.filter((asked) => asked !== question),
});

const answerConfirm = (
  state: ChatState,
  question: Extract<Question, { kind: "confirm" }>,
  answer: "once" | "always" | "cancel",
): Step => {
  const rest = dropQuestion(state, question);
  if (answer === "cancel") return stepTo(rest);
  return stepTo({ ...rest, commandRunning: true }, { kind: "command", line: question.line, confirmed: answer });
};

/** What a letter or word answers to the question that is asked; undefined = nothing. */
const answerTo = (state: ChatState, word: string): Step | undefined => {
  const question = state.questions[0];
  if (question === undefined) return undefined;
  const wanted = word.toLowerCase();
  if (question.kind === "approval") {
    const answer = APPROVALS[wanted[0] ?? ""];
    const fits = answer !== undefined && (wanted.length === 1 || wanted === answer);
    // Where nothing can be remembered, only once and no are answers that mean what they say.
    const isOffered = answer === "once" || answer === "deny" || question.alwaysCovers !== undefined;
    if (!fits || !isOffered) return undefined;
    return stepTo(state, { kind: "answer_approval", id: question.id, answer });
  }
  if (question.kind === "clarify") return undefined;
  const answer = CONFIRMATIONS[wanted[0] ?? ""];
  const fits = answer !== undefined && (wanted.length === 1 || wanted === answer);
  return fits ? answerConfirm(state, question, answer) : undefined;
};

/** A letter answers at once, unless something is being written or the question came so lately that it was meant for that. */
const answerByLetter = (state: ChatState, letter: string, context: StepContext): Step | undefined => {
  const question = state.questions[0];
  if (question === undefined || state.editor.text !== "" || letter.length !== 1) return undefined;
  if (question.kind === "approval" && context.now - question.askedAt < context.options.graceMs) return undefined;
  return answerTo(state, letter);
};

/** An answer that was written out, with Enter. */
const answerWritten = (state: ChatState): Step | undefined =>
  answerTo({ ...state, editor: clearEditor(state.editor), menu: undefined }, state.editor.text.trim());

/** Esc on a question: the answer that changes nothing. */
const declineQuestion = (state: ChatState, question: Question): Step => {
  switch (question.kind) {
    case "approval":
      return stepTo(state, { kind: "answer_approval", id: question.id, answer: "deny" });
    case "clarify":
      return stepTo(state, { kind: "answer_clarify", id: question.id, answer: undefined });
    case "confirm":
      return answerConfirm(state, question, "cancel");
    default:
      return question satisfies never;
  }
};

const onEscape = (state: ChatState): Step => {
  if (state.menu !== undefined) return stepTo({ ...state, menu: undefined });
  const question = state.questions[0];
  if (question !== undefined) return declineQuestion(state, question);
  return interruptTurn(state, "key");
};

/** Ctrl+C: the question, then the turn, then the text, then the program. */
const onCtrlC = (state: ChatState): Step => {
  const question = state.questions[0];
  if (question?.kind === "confirm") return answerConfirm(state, question, "cancel");
  if (state.turn?.phase === "running") return interruptTurn(state, "key");
  if (state.turn !== undefined) return stepTo(state, { kind: "abandon" });
  if (state.editor.text !== "") {
    const killed = { ...clearEditor(state.editor), killed: state.editor.text };
    // A collapsed paste cannot be yanked back: its text went with the editor.
    const editor = state.editor.pastes.length === 0 ? killed : clearEditor(state.editor);
    return stepTo({ ...state, editor, menu: undefined, history: leaveHistory(state.history) });
  }
  return state.leaving ? stepTo(state, { kind: "exit" }) : stepTo({ ...state, leaving: true });
};

const onTab = (state: ChatState, back: boolean, context: StepContext): Step => {
  if (state.menu !== undefined) return stepTo({ ...state, ...cycleMenu(state.editor, state.menu, back ? -1 : 1) });
  const target = completionTarget(state.editor);
  if (target === undefined) return stepTo(state);
  const candidates = staticCandidates(target, context.commands);
  if (candidates === undefined) return stepTo(state, { kind: "complete_path", target });
  return stepTo({ ...state, ...applyCandidates(state.editor, target, candidates) });
};

const onEnter = (state: ChatState, context: StepContext): Step => {
  const continued = continueLine(state.editor);
  if (continued !== undefined) return stepTo({ ...state, editor: continued });
  // Enter on a chosen path takes it; the message goes with the next Enter.
  if (state.menu?.target.kind === "path" && state.menu.selected !== undefined)
    return stepTo({ ...state, menu: undefined });
  return answerWritten(state) ?? submitEditor(state, context);
};

const onVertical = (state: ChatState, by: -1 | 1, context: StepContext): Step => {
  const moved = moveRow(state.editor, context.columns - PROMPT_WIDTH, by);
  if (moved !== undefined) return stepTo({ ...state, editor: moved });
  if (by === -1 && state.historyFile === "reading") return stepTo({ ...state, historyFile: "wanted" });
  const walked = walkHistory(state.history, state.editor, by);
  return stepTo(walked === undefined ? state : { ...state, ...walked });
};

type NamedKey = Extract<KeyPress, { kind: "key" }>;

/** Keys that mean the same wherever the person is. */
const onControl = (state: ChatState, key: NamedKey): Step | undefined => {
  const chord = chordOf(key);
  if (chord === "ctrl+c") return onCtrlC(state);
  if (chord === "ctrl+z") return stepTo(state, { kind: "suspend" });
  if (chord === "ctrl+l") return stepTo(state, { kind: "clear_screen" }, { kind: "show_past", shortened: true });
  if (chord === "ctrl+d" && state.editor.text === "") {
    return state.turn === undefined ? stepTo(state, { kind: "exit" }) : stepTo(state);
  }
  return undefined;
};

const onNamedKey = (state: ChatState, key: NamedKey, context: StepContext): Step | undefined => {
  if (key.name === "escape") return onEscape(state);
  if (key.name === "tab") return onTab(state, key.shift, context);
  if (key.name === "enter") return onEnter(state, context);
  const chord = chordOf(key);
  if (chord === "ctrl+r") return stepTo({ ...state, search: beginSearch(), menu: undefined });
  if (chord === "up" || chord === "ctrl+p") return onVertical(state, -1, context);
  if (chord === "down" || chord === "ctrl+n") return onVertical(state, 1, context);
  return undefined;
};

const edit = (state: ChatState, key: KeyPress): Step => {
  const editor = editKey(state.editor, key);
  return stepTo(editor === undefined ? state : { ...state, editor, menu: undefined });
};

const onKey = (state: ChatState, key: KeyPress, context: StepContext): Step => {
  if (state.search !== undefined) {
    const searched = searchKey(state, state.search, key);
    if (searched !== undefined) return stepTo(searched);
    return onKey(acceptSearch(state, state.search), key, context);
  }
  if (key.kind === "text") return answerByLetter(state, key.text, context) ?? edit(state, key);
  if (key.kind === "paste") return edit(state, key);
  return onControl(state, key) ?? onNamedKey(state, key, context) ?? edit(state, key);
};

/** What one key changes. The history file is read with the first key. */
export const reduceKey = (state: ChatState, key: KeyPress, context: StepContext): Step => {
  const again = key.kind === "key" && chordOf(key) === "ctrl+c";
  const unread = state.historyFile === "unread";
  const ready: ChatState = {
    ...state,
    leaving: again && state.leaving,
    historyFile: unread ? "reading" : state.historyFile,
  };
  const step = onKey(ready, key, context);
  return unread ? stepTo(step.state, { kind: "load_history" }, ...step.effects) : step;
};
