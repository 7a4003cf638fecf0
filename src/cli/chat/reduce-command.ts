import type { CommandResult } from "../../commands/command.ts";
import type { StepContext } from "./chat-action.ts";
import { type ChatState, notice, print } from "./chat-state.ts";
import { type Step, stepTo } from "./step-result.ts";
import { beginCompression, submitText } from "./submit.ts";

type Switched = Extract<CommandResult, { kind: "session_switched" | "cleared" }>;

/** Another conversation: what waited and what was counted belongs to the old one (compat §4.7: /new clears the queue). */
const switchSession = (state: ChatState, result: Switched): Step => {
  const fresh: ChatState = { ...state, queue: [], todos: [], context: undefined };
  const said = print(fresh, notice("info", result.text));
  if (result.kind === "cleared") return stepTo(said, { kind: "clear_screen" });
  return result.showHistory ? stepTo(said, { kind: "show_past", shortened: true }) : stepTo(said);
};

/** What a command's answer changes. */
export const reduceCommand = (before: ChatState, result: CommandResult, context: StepContext): Step => {
  const state = { ...before, commandRunning: false };
  switch (result.kind) {
    case "text":
    case "table":
      return stepTo(print(state, { kind: "result", result }));
    case "history":
      return stepTo(print(state, { kind: "past", entries: result.entries, shortened: false }));
    case "session_switched":
    case "cleared":
      return switchSession(state, result);
    case "redraw":
      return stepTo(state, { kind: "clear_screen" }, { kind: "show_past", shortened: true });
    case "submit": {
      const said = result.note === undefined ? state : print(state, notice("info", result.note));
      return submitText(said, result, context);
    }
    case "compress":
      return beginCompression(state, result.focus, context);
    case "display":
      return stepTo(print({ ...state, display: { ...state.display, ...result.change } }, notice("info", result.text)));
    case "confirm": {
      const { question, line } = result;
      const asked = { kind: "confirm" as const, question, line, askedAt: context.now };
      return stepTo({ ...state, questions: [asked, ...state.questions] });
    }
    case "copy":
      return stepTo(print(state, notice("info", result.note)), { kind: "copy", text: result.text });
    case "exit":
      return stepTo(state, { kind: "exit" });
    case "error":
      return stepTo(print(state, notice("error", result.message, result.hint)));
    default:
      return result satisfies never;
  }
};
