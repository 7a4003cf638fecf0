import type { Usage } from "../message.ts";
import type { CallPurpose, CapMark, CapPeriod } from "./spend-ledger.ts";

/** What spending is added up over: a day or month of the owner's calendar, a session with the line that it continues, a job. */
export interface SpendScope {
  readonly period: CapPeriod;
  /** `2026-12-01`, `2026-12`, or the id of the session or job. */
  readonly key: string;
}

/** A call before it is made. */
export interface SpendEntry {
  /** ms UTC. */
  readonly at: number;
  /** The owner's local day. The call counts to it, whenever it ends. */
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly purpose: CallPurpose;
  readonly source: string;
  readonly session: string | undefined;
  readonly job: string | undefined;
  /** The most that it is expected to take; micros null = the price is unknown. */
  readonly tokens: number;
  readonly micros: number | null;
}

/** A cap as the book compares it. */
export interface SpendBound {
  readonly scope: SpendScope;
  readonly unit: "tokens" | "micros";
  readonly cap: number;
}

/** How far a bound was used before the call. */
export interface BoundUse {
  readonly bound: SpendBound;
  readonly used: number;
}

/** What became of an entry. `near` and `unpriced` are told with this answer and never again. */
export type BookAnswer =
  | {
      readonly kind: "reserved";
      readonly id: number;
      readonly near: readonly (BoundUse & { readonly percent: CapMark })[];
      readonly unpriced: boolean;
    }
  | { readonly kind: "refused"; readonly at: BoundUse };

/** What a call took, as far as it was counted. */
export interface SpendCount {
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  /** Null = the price is unknown. */
  readonly micros: number | null;
}

/** Sums over some calls. */
export interface SpendSum {
  readonly calls: number;
  /** Calls whose tokens nobody counted: on their way, cut off, or without a count from the provider. */
  readonly uncounted: number;
  /** Calls that ended with an unknown price; `costUsd` is without them. */
  readonly unpriced: number;
  /** What providers counted; a kind that none of these calls had is 0. */
  readonly usage: Required<Usage>;
  readonly costUsd: number;
  /** What caps count: estimates in place of what was not counted. */
  readonly heldTokens: number;
  readonly heldUsd: number;
}

/** Days of the owner's calendar, both included. */
export interface InsightsRange {
  readonly from: string;
  readonly to: string;
  readonly source?: string | undefined;
}

/** Where tokens and money went. The most expensive first; days in order, only those with calls. */
export interface Insights {
  readonly total: SpendSum;
  readonly byModel: readonly (SpendSum & { readonly provider: string; readonly model: string })[];
  readonly bySource: readonly (SpendSum & { readonly source: string })[];
  readonly byDay: readonly (SpendSum & { readonly day: string })[];
}

/** The table of calls. Methods reject with `store.*`. */
export interface SpendBook {
  /** Compares with every bound and writes the entry, or refuses at the first bound that it would pass; one transaction. */
  reserve(entry: SpendEntry, bounds: readonly SpendBound[]): Promise<BookAnswer>;
  /** Puts what was counted in place of the estimate; nothing if the entry ended before. */
  settle(id: number, count: SpendCount): Promise<void>;
  /** Takes the entry out; nothing if it ended before. */
  cancel(id: number): Promise<void>;
  sum(scope: SpendScope): Promise<SpendSum>;
  insights(range: InsightsRange): Promise<Insights>;
}
