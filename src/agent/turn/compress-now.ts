import { compressPlace, windowOf } from "../compress-place.ts";
import { agentErrors } from "../errors.ts";
import { contextTokens } from "./make-room.ts";
import type { TurnOutcome } from "./run-turn.ts";
import { takeSession } from "./take-session.ts";
import type { TurnState } from "./turn-state.ts";

/** Compresses the conversation because the owner wants it; neither threshold nor cooldown counts. Throws `agent.session_busy`, `store.*`. */
export const compressNow = async (state: TurnState, focus: string | undefined): Promise<TurnOutcome> => {
  const { lease, rotated } = await takeSession(state);
  try {
    if (rotated !== undefined) await state.emit(rotated);
    await state.emit({ type: "compressing", reason: "manual", tokens: contextTokens(state) });
    const wish = { reason: "manual", focus, window: windowOf(state.model), lease, signal: state.signal } as const;
    const result = await compressPlace(state, wish);
    switch (result.kind) {
      case "rotated":
        await state.emit(result.event);
        return DONE;
      case "too_small":
        await state.emit({ type: "notice", code: "agent.nothing_to_compress", message: NOTHING });
        return DONE;
      case "failed":
        return { status: "failed", text: "", error: agentErrors.notCompressed({ because: result.because }) };
      case "aborted":
        return { status: "interrupted", text: "" };
    }
  } finally {
    await lease.release();
  }
};

const DONE: TurnOutcome = { status: "completed", text: "" };

const NOTHING = "There is nothing to compress: the conversation would not become shorter.";
