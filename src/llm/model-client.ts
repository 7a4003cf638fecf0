import type { CalledPlace } from "./called-place.ts";
import type { CallEvent } from "./event.ts";
import type { ModelInfo } from "./model-info.ts";
import type { LlmRequest } from "./request.ts";
import type { SpendContext } from "./spend/spend-ledger.ts";

/** For whom and how long a call is made. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** Who pays; absent only where nothing can be owed (the practice model, tests). */
  readonly charge?: SpendContext;
  /** Calls of one turn stay with the route and the credential that worked last; absent = a call of its own. */
  readonly turn?: string;
}

/** One model that can be called: a configured provider's with its fallbacks, or the embedded practice model. */
export interface ModelClient {
  /** The model that was chosen; where another one answered, `done` and the message say so. */
  readonly info: ModelInfo;
  /** Where the chosen model is called as things stand; absent where nothing is connected (the practice model). */
  readonly place?: () => CalledPlace;
  /** Never throws; the last event is `done`, `failed` or `aborted`. */
  call(request: LlmRequest, options: CallOptions): AsyncIterable<CallEvent>;
}
