import type { ModelClient } from "../llm/model-client.ts";
import type { ToolSchema } from "../llm/request.ts";
import type { Lease } from "../store/store.ts";
import type { AgentDeps, AgentSpec } from "./agent.ts";
import type { CompressionOutcome, CompressionReason, CompressionWindow } from "./compression/compression.ts";
import type { AgentEventOf } from "./event.ts";
import type { Whereabouts } from "./place.ts";
import { prefacedSystem, type Preface } from "./prompt/preface.ts";
import { rotatePlace } from "./rotate-place.ts";

/** What compressing a conversation needs of its agent. */
export interface CompressingAgent {
  readonly deps: AgentDeps;
  readonly spec: AgentSpec;
  readonly whereabouts: Whereabouts;
  readonly model: ModelClient;
  readonly schemas: readonly ToolSchema[];
  readonly preface: Preface;
}

export interface CompressWish {
  readonly reason: CompressionReason;
  /** What the summary is to dwell on. */
  readonly focus?: string | undefined;
  readonly window: CompressionWindow;
  readonly lease: Lease;
  readonly signal: AbortSignal;
}

/** What became of it: the conversation is in another session, or where it was. */
export type CompressResult =
  | { readonly kind: "rotated"; readonly event: AgentEventOf<"rotated"> }
  | Exclude<CompressionOutcome, { kind: "compressed" }>;

/**
 * Compresses the conversation and goes on in its child session. Call it with the lease held and the transcript fresh. The policy
 * is told what it came to. Throws what the store throws, and then nothing has changed.
 */
export const compressPlace = async (agent: CompressingAgent, wish: CompressWish): Promise<CompressResult> => {
  const { deps, spec, whereabouts, model, schemas } = agent;
  const { reason, focus, window, lease, signal } = wish;
  const { policy } = deps.compression;
  const from = whereabouts.now();
  const messages = [...from.transcript.messages()];
  const outcome = await deps.compression.compress({
    compressible: { system: prefacedSystem(from.systemPrompt, agent.preface), messages, tools: schemas },
    window,
    reason,
    ...(focus === undefined ? {} : { focus }),
    main: model,
    session: from.record,
    signal,
  });
  if (outcome.kind !== "compressed") {
    policy.recordOutcome(outcome);
    return outcome;
  }
  const { place, kept } = await rotatePlace({ deps, spec, model: model.info, lease }, from, outcome);
  whereabouts.moveTo(place);
  policy.recordOutcome(outcome);
  const { before, after, by, because } = outcome;
  deps.log.info("conversation compressed", { from: from.record.id, to: place.record.id, reason, before, after, by });
  return {
    kind: "rotated",
    event: {
      type: "rotated",
      from: from.record.id,
      to: place.record.id,
      reason,
      before,
      after,
      by,
      kept,
      messages: outcome.messages.length,
      ...(because === undefined ? {} : { because }),
    },
  };
};

/** Kept free for the answer: what the model may write, but never more than a quarter of its window. */
const USUAL_ANSWER = 8_000;

/** How large the requests to a model may be. */
export const windowOf = ({ info }: ModelClient): CompressionWindow => ({
  contextWindow: info.contextWindow,
  outputReserve: Math.min(info.maxOutputTokens ?? USUAL_ANSWER, Math.floor(info.contextWindow / 4)),
});
