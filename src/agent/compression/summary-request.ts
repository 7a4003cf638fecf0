import type { SummaryFailure } from "./compression.ts";

/** One thing that was said or done in the messages to be taken out; `text` is masked. */
export interface SummaryEntry {
  /** `note` = the program's own words. */
  readonly by: "user" | "assistant" | "call" | "result" | "note";
  readonly text: string;
}

/** What a summary is made of. Nothing in it holds a secret (R-REDACT-1). */
export interface SummaryRequest {
  /** The summary that stands there already: it is brought up to date. */
  readonly earlier?: string;
  /** In their order. */
  readonly entries: readonly SummaryEntry[];
  /** What the summary is to dwell on. */
  readonly focus?: string;
  /** Most tokens that the summary is to have. */
  readonly maxTokens: number;
}

/** A summary, or why there is none. */
export type SummaryAnswer =
  | { readonly kind: "summary"; readonly text: string }
  | { readonly kind: "failed"; readonly failure: SummaryFailure; readonly because: string }
  | { readonly kind: "aborted" };

/** Writes a summary. Must not throw, whatever happens to its call; must not ask for more than its own model's window holds. */
export type Summarise = (request: SummaryRequest, options: { readonly signal: AbortSignal }) => Promise<SummaryAnswer>;
