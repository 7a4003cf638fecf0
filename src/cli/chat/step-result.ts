import type { ChatState } from "./chat-state.ts";
import type { Effect } from "./chat-action.ts";

/** A changed state and what must be done because of it. */
export interface Step {
  readonly state: ChatState;
  readonly effects: readonly Effect[];
}

/** A step. */
export const stepTo = (state: ChatState, ...effects: readonly Effect[]): Step => ({ state, effects });
