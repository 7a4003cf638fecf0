import { messageOf } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { ChatAction, StepContext } from "./chat-action.ts";
import type { ChatConfig } from "./chat-config.ts";
import type { ChatSession } from "./chat-session.ts";
import { type ChatState, initialState, notice } from "./chat-state.ts";
import type { HistoryFile } from "./input/history-file.ts";
import { performEffect, type TerminalActions } from "./perform-effect.ts";
import { step } from "./step.ts";
import { createTaskGroup } from "./task-group.ts";
import { createTurnRunner } from "./turn-runner.ts";
import { FRAME_MS } from "./view/spinner.ts";

/** What the controller works with. */
export interface ControllerDeps {
  readonly session: ChatSession;
  readonly config: ChatConfig;
  readonly clock: Clock;
  readonly history: HistoryFile;
  readonly userHome: string;
  readonly columns: () => number;
  /** For how long (ms) after an approval question appeared letters still go to the input box. */
  readonly graceMs: number;
  readonly terminal: TerminalActions;
}

/** The running chat: a state that can be watched, and the only way to change it. */
export interface ChatController {
  readonly state: () => ChatState;
  /** Calls `listener` after every change and every tick of the spinner; returns what ends that. */
  subscribe(listener: () => void): () => void;
  dispatch(action: ChatAction): void;
  /** Shows the banner and what was said before, and begins to listen. */
  start(): Promise<void>;
  /** Resolves when the person leaves. */
  readonly left: Promise<void>;
  /** Stops a running turn, ends every loop, closes the session. */
  close(): Promise<void>;
}

/** How long work that was told to stop is waited for when the chat closes. */
const CLOSE_WAIT_MS = 5000;

/** Joins the pure state to the session, the clock and the files. */
export const createChatController = (deps: ControllerDeps): ChatController => {
  const { session, clock } = deps;
  const closing = new AbortController();
  const left = Promise.withResolvers<void>();
  const listeners = new Set<() => void>();
  let state = initialState({ display: deps.config, streaming: deps.config.streaming });
  let ticking = false;

  const notify = (): void => {
    for (const listener of listeners) listener();
  };

  const dispatch = (action: ChatAction): void => {
    if (closing.signal.aborted) return;
    const next = step(state, action, contextOf(deps));
    state = next.state;
    // An emptied screen must be empty before anything new is drawn on it.
    const clears = next.effects.filter((effect) => effect.kind === "clear_screen");
    for (const effect of clears) performEffect(effect, effectDeps);
    notify();
    for (const effect of next.effects) if (effect.kind !== "clear_screen") performEffect(effect, effectDeps);
    if (state.turn !== undefined && !ticking) tasks.start(tick());
  };

  const tasks = createTaskGroup((error) => dispatch({ type: "say", body: notice("error", messageOf(error)) }));
  const turns = createTurnRunner(dispatch);
  const { history, terminal, userHome } = deps;
  const effectDeps = { session, history, terminal, userHome, tasks, turns, dispatch, leave: left.resolve };

  /** Draws anew while a turn runs, for the spinner and the clocks in the live part. */
  const tick = async (): Promise<void> => {
    ticking = true;
    while (state.turn !== undefined && !closing.signal.aborted) {
      // Ended by closing, which is no failure.
      await clock.sleep(FRAME_MS, closing.signal).catch(() => undefined);
      notify();
    }
    ticking = false;
  };

  const listen = async (): Promise<void> => {
    for await (const notification of session.notifications()) dispatch({ type: "notification", notification });
  };

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch,
    left: left.promise,
    start: async () => {
      dispatch({ type: "opened", info: session.info(), past: await session.history() });
      tasks.start(listen());
    },
    close: async () => {
      turns.interrupt();
      closing.abort();
      listeners.clear();
      await session.close();
      using wait = clock.deadline(CLOSE_WAIT_MS);
      const given = new Promise<void>((resolve) =>
        wait.signal.addEventListener("abort", () => resolve(), { once: true }),
      );
      await Promise.race([tasks.settled(), given]);
    },
  };
};

const contextOf = (deps: ControllerDeps): StepContext => ({
  now: deps.clock.monotonic(),
  wall: deps.clock.now(),
  columns: deps.columns(),
  commands: deps.session.commands(),
  options: { ...deps.config, graceMs: deps.graceMs },
});
