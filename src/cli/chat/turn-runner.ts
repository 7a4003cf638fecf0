import type { AgentEvent } from "../../agent/event.ts";
import { messageOf } from "../../base/app-error.ts";
import type { ChatAction } from "./chat-action.ts";

/** Runs turns one at a time and passes their events on. */
export interface TurnRunner {
  run(begin: (signal: AbortSignal) => AsyncIterable<AgentEvent>): Promise<void>;
  /** Asks the running turn to stop. */
  interrupt(): void;
  /** Waits for the running turn no longer; its later events are dropped. */
  abandon(): void;
}

interface RunningTurn {
  readonly abort: AbortController;
  abandoned: boolean;
}

/** The turns of a session. */
export const createTurnRunner = (dispatch: (action: ChatAction) => void): TurnRunner => {
  let current: RunningTurn | undefined;
  return {
    run: async (begin) => {
      const turn: RunningTurn = { abort: new AbortController(), abandoned: false };
      current = turn;
      let error: string | undefined;
      try {
        for await (const event of begin(turn.abort.signal)) {
          if (turn.abandoned) return;
          dispatch({ type: "event", event });
        }
      } catch (thrown) {
        error = messageOf(thrown);
      }
      if (turn.abandoned) return;
      current = undefined;
      dispatch({ type: "turn_over", abandoned: false, ...(error === undefined ? {} : { error }) });
    },
    interrupt: () => current?.abort.abort(),
    abandon: () => {
      if (current === undefined) return;
      current.abandoned = true;
      current = undefined;
      dispatch({ type: "turn_over", abandoned: true });
    },
  };
};
