import type { Message } from "../../llm/message.ts";
import type { ToolSchema } from "../../llm/request.ts";

/** Settings of `compression` (compat §3.2), as values. */
export interface CompressionSettings {
  readonly enabled: boolean;
  /** Part of the window at which a conversation is compressed. */
  readonly threshold: number;
  /** Part of the threshold that the tail may take. */
  readonly targetRatio: number;
  /** The tail has at least this many messages. */
  readonly protectLastN: number;
  /** This many messages at the beginning are never summarised. */
  readonly protectFirstN: number;
  /** A summary that fails leaves the conversation as it is; otherwise a static one is put in its place. */
  readonly abortOnSummaryFailure: boolean;
}

/** How large the model's requests may be, in tokens. */
export interface CompressionWindow {
  readonly contextWindow: number;
  /** Kept free for the answer. */
  readonly outputReserve: number;
}

/** What is compressed: the request as it would be sent now. */
export interface Compressible {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
}

/** Why a conversation is compressed. `overflow` = the provider said that the request is too long. */
export type CompressionReason = "threshold" | "overflow" | "manual";

/** What one compression came to; sizes are estimated tokens of the whole request. */
export interface CompressionRun {
  readonly before: number;
  readonly after: number;
}

/** Why no model wrote a summary: nobody could be asked; what came was no usable summary; anything else. */
export type SummaryFailure = "no_provider" | "broken_answer" | "other";

/** What became of a wish to compress. */
export type CompressionOutcome =
  /** `messages` is the child's whole transcript: what is kept of the beginning, the summary, the tail. */
  | (CompressionRun & {
      readonly kind: "compressed";
      readonly messages: readonly Message[];
      /** Who wrote the summary. `static` = no model could; a list of what happened stands in its place. */
      readonly by: "model" | "static" | "pruning";
      /** Why no model wrote it, where one should have. */
      readonly because?: string;
      /** Set with `because` where a model was asked in vain: the policy waits before it asks again. */
      readonly failure?: SummaryFailure;
    })
  /** Nothing can be left out, or what would be written is no smaller than `before`. */
  | { readonly kind: "too_small"; readonly before: number }
  | { readonly kind: "failed"; readonly failure: SummaryFailure; readonly because: string }
  | { readonly kind: "aborted" };
