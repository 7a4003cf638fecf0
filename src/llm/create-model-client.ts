import type { Clock } from "../base/clock.ts";
import type { CallLog } from "./call.ts";
import type { CallEvent } from "./event.ts";
import type { HttpClient } from "./http.ts";
import type { LoadImage } from "./images.ts";
import type { ModelClient } from "./model-client.ts";
import type { ModelTarget } from "./model-target.ts";
import type { LlmRequest } from "./request.ts";
import type { TokenEstimator } from "./estimate.ts";
import { loadWire } from "./wires/load-wire.ts";

/** What a client of a resolved model is made with. */
export interface ModelClientDeps {
  readonly clock: Clock;
  readonly http: HttpClient;
  readonly loadImage: LoadImage;
  readonly log: CallLog;
  /** Masks secrets in providers' texts. */
  readonly redact: (text: string) => string;
  /** 0 or more and less than 1; chance in the waits between attempts. */
  readonly random: () => number;
  /** Shared with whoever else estimates the same messages; absent = the client keeps its own. */
  readonly estimator?: TokenEstimator;
}

/** A client of one resolved model. The wire and what it needs are loaded with the first call. */
export const createModelClient = (deps: ModelClientDeps, target: ModelTarget): ModelClient => {
  let open: Promise<(request: LlmRequest, signal: AbortSignal) => AsyncIterable<CallEvent>> | undefined;
  return {
    info: target.info,
    call: async function* (request, { signal }) {
      open ??= openCalls(deps, target);
      yield* (await open)(request, signal);
    },
  };
};

const openCalls = async (
  deps: ModelClientDeps,
  target: ModelTarget,
): Promise<(request: LlmRequest, signal: AbortSignal) => AsyncIterable<CallEvent>> => {
  const [{ callModel }, { createTokenEstimator }, wire] = await Promise.all([
    import("./call.ts"),
    import("./estimate.ts"),
    loadWire(target.wire, { redact: deps.redact }),
  ]);
  const callDeps = {
    ...deps,
    wire,
    estimator: deps.estimator ?? createTokenEstimator(),
  };
  return (request, signal) => callModel(callDeps, target, { request, signal });
};
