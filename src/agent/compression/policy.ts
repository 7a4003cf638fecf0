import type { Clock } from "../../base/clock.ts";
import type {
  CompressionOutcome,
  CompressionRun,
  CompressionSettings,
  CompressionWindow,
  SummaryFailure,
} from "./compression.ts";
import { thresholdOf } from "./window.ts";

/** Why a conversation is not compressed now. */
export type WaitReason =
  | "disabled"
  | "below_threshold"
  /** The last two runs each saved less than 10 %: another one would, too (R-COMP-1). */
  | "thrashing"
  /** The last run saved less than 10 %, and the request has hardly grown since (B20). */
  | "no_growth"
  | "cooling_down";

/** Reasons that the owner is told of. */
export type ToldReason = Extract<WaitReason, "thrashing" | "cooling_down">;

/** `isNews` = the owner has not been told of this reason yet: true once. */
export type CompressionDecision =
  | { readonly kind: "compress" }
  | { readonly kind: "wait"; readonly because: ToldReason; readonly isNews: boolean }
  | { readonly kind: "wait"; readonly because: Exclude<WaitReason, ToldReason>; readonly isNews: false };

/** What a provider's "too long" is answered with. */
export type OverflowDecision =
  | { readonly kind: "compress" }
  | { readonly kind: "wait"; readonly because: "disabled" | "attempts_used" };

/** The only place that decides whether a conversation is compressed (R-COMP-1). It belongs to one conversation. */
export interface CompressionPolicy {
  /** Asked before every model call, with the estimated tokens of the request. */
  decide(tokens: number, window: CompressionWindow): CompressionDecision;
  /** Asked when the provider said that the request is too long; `attempt` counts from 1 in each turn. */
  decideOnOverflow(attempt: number): OverflowDecision;
  /** Notes what a run came to. */
  record(run: CompressionRun): void;
  /** Notes that a summary could not be had: automatic runs wait for 600, 30 or 60 s. */
  recordFailure(kind: SummaryFailure): void;
  /** Notes all that an outcome says: its run, its failure. A run that came to nothing counts as one that saved nothing. */
  recordOutcome(outcome: CompressionOutcome): void;
  /** The last two runs, the older first: what another process needs in order to decide alike. */
  runs(): readonly CompressionRun[];
}

export interface PolicyDeps {
  readonly settings: Pick<CompressionSettings, "enabled" | "threshold">;
  readonly clock: Pick<Clock, "monotonic">;
  /** Earlier runs of this conversation, the oldest first. */
  readonly history: readonly CompressionRun[];
}

/** So many runs in a row that save too little are enough. */
const RUNS_LOOKED_AT = 2;
/** A run that saves less than this part was hardly worth it. */
const WORTHWHILE = 0.1;
const OVERFLOW_ATTEMPTS = 3;

/** Compat §4.6. */
const COOLDOWN_MS: Readonly<Record<SummaryFailure, number>> = {
  no_provider: 600_000,
  broken_answer: 30_000,
  other: 60_000,
};

/** Whether a run saved enough to be worth a new session. */
export const wasWorthwhile = ({ before, after }: CompressionRun): boolean => before - after >= before * WORTHWHILE;

/** Makes the policy of one conversation. */
export const createCompressionPolicy = ({ settings, clock, history }: PolicyDeps): CompressionPolicy => {
  let runs = history.slice(-RUNS_LOOKED_AT);
  let coolUntil = Number.NEGATIVE_INFINITY;
  const told = new Set<ToldReason>();

  const reasonToWait = (tokens: number): Exclude<WaitReason, "below_threshold"> | undefined => {
    if (!settings.enabled) return "disabled";
    const last = runs.at(-1);
    if (last !== undefined && !wasWorthwhile(last)) {
      if (runs.length === RUNS_LOOKED_AT && !runs.some(wasWorthwhile)) return "thrashing";
      if (tokens < last.after * (1 + WORTHWHILE)) return "no_growth";
    }
    return clock.monotonic() < coolUntil ? "cooling_down" : undefined;
  };

  const wait = (because: WaitReason): CompressionDecision => {
    if (because !== "thrashing" && because !== "cooling_down") return { kind: "wait", because, isNews: false };
    const isNews = !told.has(because);
    told.add(because);
    return { kind: "wait", because, isNews };
  };

  const record = (run: CompressionRun): void => {
    runs = [...runs, { before: run.before, after: run.after }].slice(-RUNS_LOOKED_AT);
    if (wasWorthwhile(run)) told.delete("thrashing");
  };

  const recordFailure = (kind: SummaryFailure): void => {
    coolUntil = clock.monotonic() + COOLDOWN_MS[kind];
    told.delete("cooling_down");
  };

  return {
    decide: (tokens, window) => {
      if (tokens < thresholdOf(settings, window)) return wait("below_threshold");
      const because = reasonToWait(tokens);
      return because === undefined ? { kind: "compress" } : wait(because);
    },
    decideOnOverflow: (attempt) => {
      if (!settings.enabled) return { kind: "wait", because: "disabled" };
      return attempt > OVERFLOW_ATTEMPTS ? { kind: "wait", because: "attempts_used" } : { kind: "compress" };
    },
    record,
    recordFailure,
    recordOutcome: (outcome) => {
      if (outcome.kind === "compressed") record(outcome);
      if (outcome.kind === "too_small") record({ before: outcome.before, after: outcome.before });
      if ((outcome.kind === "compressed" || outcome.kind === "failed") && outcome.failure !== undefined)
        recordFailure(outcome.failure);
    },
    runs: () => runs,
  };
};
