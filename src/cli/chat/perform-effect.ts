import { messageOf } from "../../base/app-error.ts";
import type { ChatAction, Effect } from "./chat-action.ts";
import type { ChatSession } from "./chat-session.ts";
import { notice } from "./chat-state.ts";
import { completePath } from "./input/complete-path.ts";
import type { CompletionTarget } from "./input/completion.ts";
import type { HistoryFile } from "./input/history-file.ts";
import type { TaskGroup } from "./task-group.ts";
import type { TurnRunner } from "./turn-runner.ts";

/** What only the owner of the terminal can do. */
export interface TerminalActions {
  clearScreen(): void;
  copy(text: string): void;
  bell(): void;
  suspend(): Promise<void>;
}

/** What effects are carried out with. */
export interface EffectDeps {
  readonly session: ChatSession;
  readonly history: HistoryFile;
  readonly userHome: string;
  readonly terminal: TerminalActions;
  readonly turns: TurnRunner;
  readonly tasks: TaskGroup;
  readonly dispatch: (action: ChatAction) => void;
  /** The person leaves. */
  readonly leave: () => void;
}

const runCommand = async (deps: EffectDeps, effect: Extract<Effect, { kind: "command" }>): Promise<void> => {
  const options = effect.confirmed === undefined ? {} : { confirmed: effect.confirmed };
  // A command that throws must not leave the chat waiting for its answer.
  const result = await deps.session
    .runCommand(effect.line, options)
    .catch((error: unknown) => ({ kind: "error" as const, message: messageOf(error) }));
  deps.dispatch({ type: "command_done", result });
};

const loadHistory = async ({ history, dispatch }: EffectDeps): Promise<void> => {
  const entries = await history.load().catch((error: unknown) => {
    dispatch({ type: "say", body: notice("warning", `The input history cannot be read: ${messageOf(error)}`) });
    return [];
  });
  dispatch({ type: "history_loaded", entries });
};

const offerPaths = async (deps: EffectDeps, target: CompletionTarget): Promise<void> => {
  const places = { cwd: deps.session.info().cwd, userHome: deps.userHome };
  deps.dispatch({ type: "candidates", target, candidates: await completePath(target.prefix, places) });
};

const showPast = async ({ session, dispatch }: EffectDeps, shortened: boolean): Promise<void> =>
  dispatch({ type: "past", entries: await session.history(), shortened });

const steer = ({ session, dispatch }: EffectDeps, text: string): void => {
  if (!session.steer(text)) dispatch({ type: "steer_refused", text });
};

/** Carries one effect out; what takes time goes on in the task group and reports back through `dispatch`. */
export const performEffect = (effect: Effect, deps: EffectDeps): void => {
  const { session, tasks, terminal, turns } = deps;
  switch (effect.kind) {
    case "send":
      return tasks.start(turns.run((signal) => session.send(effect.text, { signal })));
    case "compress":
      return tasks.start(turns.run((signal) => session.compress(effect.focus, { signal })));
    case "interrupt":
      return turns.interrupt();
    case "abandon":
      return turns.abandon();
    case "steer":
      return steer(deps, effect.text);
    case "command":
      return tasks.start(runCommand(deps, effect));
    case "answer_approval":
      return session.answerApproval(effect.id, effect.answer);
    case "answer_clarify":
      return session.answerClarify(effect.id, effect.answer);
    case "remember":
      return tasks.start(deps.history.append(effect.line));
    case "load_history":
      return tasks.start(loadHistory(deps));
    case "complete_path":
      return tasks.start(offerPaths(deps, effect.target));
    case "show_past":
      return tasks.start(showPast(deps, effect.shortened));
    case "clear_screen":
      return terminal.clearScreen();
    case "copy":
      return terminal.copy(effect.text);
    case "bell":
      return terminal.bell();
    case "suspend":
      return tasks.start(terminal.suspend());
    case "exit":
      return deps.leave();
    default:
      return effect satisfies never;
  }
};
