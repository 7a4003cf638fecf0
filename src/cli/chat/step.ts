import type { ChatAction, StepContext } from "./chat-action.ts";
import { type ChatState, notice, print } from "./chat-state.ts";
import { applyCandidates, type CompletionTarget } from "./input/completion.ts";
import { walkHistory, withEarlier } from "./input/input-history.ts";
import { reduceCommand } from "./reduce-command.ts";
import { reduceEvent } from "./reduce-event.ts";
import { reduceKey } from "./reduce-key.ts";
import { type Step, stepTo } from "./step-result.ts";
import { endTurn, refusedSteer } from "./submit.ts";

const onHistory = (state: ChatState, entries: readonly string[]): ChatState => {
  const history = withEarlier(state.history, entries);
  const wanted = state.historyFile === "wanted";
  const walked = wanted ? walkHistory(history, state.editor, -1) : undefined;
  return { ...state, history, historyFile: "read", ...walked };
};

/** Paths were read while the person may have typed on: a late answer for other text is dropped. */
const isCurrent = (state: ChatState, target: CompletionTarget): boolean =>
  state.editor.text.slice(target.start, state.editor.cursor) === target.prefix;

/** The one place where the chat's state changes. Pure: the same state, action and context give the same step. */
export const step = (state: ChatState, action: ChatAction, context: StepContext): Step => {
  switch (action.type) {
    case "event":
      return stepTo(reduceEvent(state, action.event, context));
    case "key":
      return reduceKey(state, action.key, context);
    case "printed":
      return stepTo({ ...state, pending: state.pending.filter((item) => item.id > action.through) });
    case "turn_over":
      return endTurn(state, action, context);
    case "steer_refused":
      return refusedSteer(state, action.text, context);
    case "command_done":
      return reduceCommand(state, action.result, context);
    case "history_loaded":
      return stepTo(onHistory(state, action.entries));
    case "candidates":
      return stepTo(
        isCurrent(state, action.target)
          ? { ...state, ...applyCandidates(state.editor, action.target, action.candidates) }
          : state,
      );
    case "notification":
      return stepTo(print(state, notice(action.notification.tone, action.notification.text)));
    case "opened": {
      const opened = print(state, { kind: "banner", info: action.info });
      const past = { kind: "past" as const, entries: action.past, shortened: true };
      return stepTo(action.past.length === 0 ? opened : print(opened, past));
    }
    case "past":
      return stepTo(
        action.entries.length === 0
          ? state
          : print(state, { kind: "past", entries: action.entries, shortened: action.shortened }),
      );
    case "say":
      return stepTo(print(state, action.body));
    default:
      return action satisfies never;
  }
};
