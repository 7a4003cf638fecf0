import type { SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";

/** What the agent wants to write for its future self; it is not done before the owner has agreed (R-SAFE-3). */
export interface SelfChange {
  /** Grows with time; people name a change by it. */
  readonly id: number;
  /** ms UTC. */
  readonly at: number;
  /** Who can carry it out: `memory`, `skill`, … */
  readonly kind: string;
  readonly session: SessionId | null;
  /** One line for the owner. */
  readonly summary: Redacted<string>;
  /** The kind's own JSON. */
  readonly payload: Redacted<string>;
  readonly state: "pending" | "approved" | "rejected";
  readonly decidedAt: number | null;
}

export type NewSelfChange = Pick<SelfChange, "kind" | "session" | "summary" | "payload">;

export interface SelfChangeFilter {
  readonly kind?: string;
  readonly state?: SelfChange["state"];
  readonly limit: number;
}

/** Changes that wait for the owner's word, and what became of them. */
export interface SelfChangeStore {
  /** Keeps a change as pending; its id. */
  hold(change: NewSelfChange): Promise<number>;
  get(id: number): Promise<SelfChange | undefined>;
  /** Oldest first. */
  list(filter: SelfChangeFilter): Promise<readonly SelfChange[]>;
  /** False = it was decided already, or there is none. */
  decide(id: number, state: "approved" | "rejected"): Promise<boolean>;
}
