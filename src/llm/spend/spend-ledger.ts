import type { Usage } from "../message.ts";

/** What a call was made for. */
export type CallPurpose = "turn" | "title" | "compression" | "vision" | "approval" | "test";

/** Who pays for a call, and for what. */
export interface SpendContext {
  readonly purpose: CallPurpose;
  /** The surface or `--source` tag, as in the session's record. */
  readonly source: string;
  readonly session?: string;
  readonly job?: string;
}

/** What a call is expected to cost before it is made, so that two processes cannot pass a cap together. */
export interface SpendEstimate {
  readonly provider: string;
  readonly model: string;
  readonly tokens: number;
  /** US dollars; null = the price is unknown. */
  readonly costUsd: number | null;
}

/** A cap that is reached or near: what is bounded, over which time, how far. Amounts are tokens or US dollars. */
export interface CapState {
  readonly period: "day" | "month" | "session" | "job";
  readonly unit: "tokens" | "usd";
  readonly used: number;
  readonly cap: number;
}

/** Whether a call may be made. */
export type SpendDecision =
  /** `warn` names caps whose next mark (50, 75, 90 %) was passed and not yet told. */
  | {
      readonly kind: "allowed";
      readonly reservation: SpendReservation;
      readonly warn: readonly (CapState & { readonly percent: 50 | 75 | 90 })[];
    }
  | { readonly kind: "refused"; readonly cap: CapState };

/** A call on its way. Exactly one of the two ends it; a process that dies leaves its estimate counted. */
export interface SpendReservation {
  /** What the provider counted; cost null = the price is unknown. */
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
  /** Asks before a call; in one transaction with everyone else's. */
  reserve(context: SpendContext, estimate: SpendEstimate): Promise<SpendDecision>;
}
