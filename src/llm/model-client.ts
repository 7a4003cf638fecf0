import type { CallEvent } from "./event.ts";
import type { WireId } from "./message.ts";
import type { LlmRequest } from "./request.ts";

/** Prices per million tokens in US dollars. A price that nobody stated is absent, never 0. */
export interface ModelPrice {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What is known of a model before it is called. */
export interface ModelInfo {
  readonly provider: string;
  readonly model: string;
  readonly wire: WireId | "practice";
  /** Tokens that fit a request and its answer together. */
  readonly contextWindow: number;
  readonly contextWindowFrom: "config" | "catalogue" | "endpoint" | "assumed";
  readonly maxOutputTokens?: number;
  readonly price?: ModelPrice;
}

/** One model that can be called: a configured provider's, or the embedded practice model. */
export interface ModelClient {
  readonly info: ModelInfo;
  /** Never throws; the last event is `done`, `failed` or `aborted`. */
  call(request: LlmRequest, options: { readonly signal: AbortSignal }): AsyncIterable<CallEvent>;
}
