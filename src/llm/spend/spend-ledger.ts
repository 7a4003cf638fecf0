import type { Usage } from "../message.ts";

/** What a call was made for. */
export type CallPurpose = "turn" | "title" | "compression" | "memory" | "vision" | "approval" | "test";

/** Who pays for a call, and for what. */
export interface SpendContext {
  readonly purpose: CallPurpose;
  /** The surface or `--source` tag, as in the session's record. */
  readonly source: string;
  readonly session?: string;
  readonly job?: string;
}

/**
 * The most that a call is expected to take, asked for before it is made, so that processes cannot pass a cap together. What is
 * really used counts afterwards: a call that took more than this leaves the cap passed by the difference, and stops the next one.
 */
export interface SpendEstimate {
  readonly provider: string;
  readonly model: string;
  readonly tokens: number;
  /** US dollars; null = the price is unknown. */
  readonly costUsd: number | null;
}

/** What a cap can bound. What never begins anew stands first: of several caps that are reached, that one is named. */
export const CAP_PERIODS = ["session", "job", "month", "day"] as const;
export type CapPeriod = (typeof CAP_PERIODS)[number];

/** What a cap is counted in. */
export const CAP_UNITS = ["usd", "tokens"] as const;
export type CapUnit = (typeof CAP_UNITS)[number];

/** A cap that is reached or near: what is bounded, over which time, how far. Amounts are tokens or US dollars. */
export interface CapState {
  readonly period: CapPeriod;
  readonly unit: CapUnit;
  /** With the estimates of calls that are on their way or were cut off. */
  readonly used: number;
  readonly cap: number;
  /** What the call that was refused was expected to take; absent where none was refused. */
  readonly needs?: number;
  /** When it begins anew, in the owner's local time: `2026-12-02 00:00`; null = never: it ends with its session or job. */
  readonly resets: string | null;
}

/** How much of a cap is used when its owner is told. */
export const CAP_MARKS = [50, 75, 90] as const;
export type CapMark = (typeof CAP_MARKS)[number];

/** A cap whose mark was passed. */
export type CapWarning = CapState & { readonly percent: CapMark };

/** Whether a call may be made. */
export type SpendDecision =
  /**
   * `warn` names caps whose next mark was passed and not yet told: once per cap and period, whatever process tells it.
   * `unpriced` = a cap in dollars stands, but cannot be held for this model, whose price is unknown; true once per model.
   */
  | {
      readonly kind: "allowed";
      readonly reservation: SpendReservation;
      readonly warn: readonly CapWarning[];
      readonly unpriced: boolean;
    }
  /** `describeCapReached` says it in words, with what to do. */
  | { readonly kind: "refused"; readonly cap: CapState };

/** A call on its way. The first of the two that is called ends it; a process that dies leaves its estimate counted. */
export interface SpendReservation {
  /** What the provider counted, and who answered; cost null = the price is unknown. What was not counted stays estimated. */
  settle(used: {
    readonly provider: string;
    readonly model: string;
    readonly usage: Usage;
    readonly costUsd: number | null;
  }): Promise<void>;
  /** The call never reached a provider, or nothing was counted and nothing is owed. */
  cancel(): Promise<void>;
}

/** Where every call's tokens and cost are written, and where caps are held (R-MONEY-1, R-MONEY-2). */
export interface SpendLedger {
  /** Asks before a call; in one transaction, so that no two processes get the same rest of a cap. Rejects with `store.*`. */
  reserve(context: SpendContext, estimate: SpendEstimate): Promise<SpendDecision>;
}
