import type { AppError } from "../../base/app-error.ts";
import type { Lease } from "../../store/store.ts";
import { compressPlace, windowOf, type CompressResult } from "../compress-place.ts";
import type { CompressionReason } from "../compression/compression.ts";
import type { ToldReason } from "../compression/policy.ts";
import { agentErrors } from "../errors.ts";
import { withPreface } from "../prompt/preface.ts";
import type { TurnState } from "./turn-state.ts";

/** What the next request would carry, in tokens: as the provider counted the last one, with an estimate of what came since. */
export const contextTokens = (state: TurnState): number => {
  const { transcript, systemPrompt } = state.whereabouts.now();
  const counted = transcript.counted();
  const messages = transcript.messages();
  if (counted === undefined) {
    const stored = { system: systemPrompt, messages, tools: state.schemas };
    return state.deps.estimateTokens(withPreface(stored, state.preface));
  }
  const since = messages.slice(counted.messages);
  return since.length === 0
    ? counted.tokens
    : counted.tokens + state.deps.estimateTokens({ system: "", messages: since, tools: [] });
};

/** Compresses the conversation before a call where its policy says so (R-COMP-1); the policy alone compares. */
export const makeRoom = async (state: TurnState, lease: Lease): Promise<void> => {
  const { policy } = state.deps.compression;
  const decision = policy.decide(contextTokens(state), windowOf(state.model));
  if (decision.kind === "wait") {
    if (decision.isNews) await state.emit(notice(WAITS[decision.because]));
    return;
  }
  const result = await compress(state, lease, { reason: "threshold" });
  if (result.kind === "failed") await state.emit(notice(`The conversation could not be compressed: ${result.because}`));
};

/** After a provider said that the request is too long. Undefined = there is room now, ask again. */
export const makeRoomAfterOverflow = async (
  state: TurnState,
  lease: Lease,
  overflow: { readonly attempt: number; readonly contextWindow: number | undefined },
): Promise<AppError | undefined> => {
  const { policy } = state.deps.compression;
  const { model } = state.model.info;
  if (policy.decideOnOverflow(overflow.attempt).kind === "wait") return agentErrors.windowFull({ model });
  const result = await compress(state, lease, { reason: "overflow", contextWindow: overflow.contextWindow });
  if (result.kind === "rotated") return undefined;
  return result.kind === "failed"
    ? agentErrors.windowFull({ model, because: result.because })
    : agentErrors.windowFull({ model });
};

const compress = async (
  state: TurnState,
  lease: Lease,
  { reason, contextWindow }: { readonly reason: CompressionReason; readonly contextWindow?: number | undefined },
): Promise<CompressResult> => {
  const known = windowOf(state.model);
  const window =
    contextWindow === undefined || contextWindow >= known.contextWindow ? known : { ...known, contextWindow };
  await state.emit({ type: "compressing", reason, tokens: contextTokens(state) });
  const result = await compressPlace(state, { reason, window, lease, signal: state.signal });
  if (result.kind === "rotated") await state.emit(result.event);
  return result;
};

const WAITS: Readonly<Record<ToldReason, string>> = {
  cooling_down: "The conversation is long and the last try to compress it failed; it goes on as it is for a while.",
  thrashing:
    "The conversation is long, and compressing it twice hardly made it shorter, so it is left as it is. /compress tries again, /new begins anew.",
};

const notice = (message: string) => ({ type: "notice", code: "agent.compression", message }) as const;
