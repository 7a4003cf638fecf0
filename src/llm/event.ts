import type { AssistantMessage, FinishReason, OpaquePart, Usage } from "./message.ts";
import type { ModelInfo } from "./model-info.ts";
import type { ProviderError } from "./provider-error.ts";
import type { CapMark, CapState } from "./spend/spend-ledger.ts";

/**
 * What a wire decodes from an answer, streaming or not. Tool-call events name the call by `index`, the position of the
 * call in arrival order, which the wire assigns: two calls never share one, whatever the provider sends.
 */
export type WireEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "tool_call"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "tool_arguments"; readonly index: number; readonly delta: string }
  | { readonly type: "opaque"; readonly part: OpaquePart }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "refusal"; readonly text: string }
  | { readonly type: "finish"; readonly reason: FinishReason }
  | { readonly type: "error"; readonly error: ProviderError };

/** The provider has taken the request: an answer, whatever its status, has begun. Once for each attempt that came so far. */
export interface Reached {
  readonly type: "reached";
}

/** A model at a provider, as people name it. */
export type ModelName = Pick<ModelInfo, "provider" | "model">;

/**
 * What `call()` yields. The last event is `done`, `failed` or `aborted`, and none follows it; a call never throws.
 * After `retrying`, `rotated` and `fell_back` everything streamed so far of this call is void.
 */
export type CallEvent =
  | Reached
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "tool_call"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "tool_arguments"; readonly index: number; readonly delta: string }
  /** Nothing has come for a while: what is being waited for, since when, and when it will be given up. */
  | {
      readonly type: "waiting";
      readonly phase: "first_token" | "next_token";
      readonly waitedMs: number;
      readonly limitMs: number;
    }
  /** `leftOut` = the provider refused something that the request can do without, and it is sent again without it. */
  | {
      readonly type: "retrying";
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ProviderError;
      readonly leftOut?: string;
    }
  /** Another credential of the same provider is used, because of `error`. Labels, no secrets. */
  | {
      readonly type: "rotated";
      readonly provider: string;
      readonly from: string;
      readonly to: string;
      readonly error: ProviderError;
    }
  /** Another model answers for the rest of the turn; `error` absent = the first one refused. */
  | { readonly type: "fell_back"; readonly from: ModelName; readonly to: ModelName; readonly error?: ProviderError }
  /** A cap has passed one of its marks. */
  | { readonly type: "cap_near"; readonly cap: CapState; readonly percent: CapMark }
  /** A cap in dollars cannot be held for this model: its price is unknown. Once per model. */
  | ({ readonly type: "unpriced" } & ModelName)
  /** `by` is what answered: after a fallback not the model that was asked first. */
  | { readonly type: "done"; readonly message: AssistantMessage; readonly by: ModelInfo }
  | { readonly type: "failed"; readonly error: ProviderError; readonly partial?: AssistantMessage }
  /** The caller's signal ended the call; `partial` is what had arrived, with `finish: "interrupted"`. */
  | { readonly type: "aborted"; readonly partial?: AssistantMessage };
