import type { WireId } from "./message.ts";
import type { ModelInfo } from "./model-info.ts";
import type { WireTarget } from "./wires/wire.ts";

/** Everything that is settled about a model before it is called. */
export interface ModelTarget extends WireTarget {
  readonly wire: WireId;
  readonly info: ModelInfo;
  /** Whether the endpoint is the owner's own machine or network. */
  readonly local: boolean;
  /** Longest time of one attempt, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** The configured limit of silence, in milliseconds; absent = by the size of the request. */
  readonly staleTimeoutMs?: number;
  /** How often a call is attempted in all, at least once. */
  readonly maxAttempts: number;
  /** `model.max_tokens`: the bound of an answer where the request names none. */
  readonly maxOutputTokens?: number;
}
