import type { Clock } from "../base/clock.ts";
import { calledPlace } from "./called-place.ts";
import type { CredentialPool } from "./auth/credential-pool.ts";
import type { CallLog, CallWork } from "./call.ts";
import type { TokenEstimator } from "./estimate.ts";
import type { CallEvent } from "./event.ts";
import type { HttpClient } from "./http.ts";
import type { LoadImage } from "./images.ts";
import type { CallOptions, ModelClient } from "./model-client.ts";
import type { ModelTarget } from "./model-target.ts";
import type { RepairMemory } from "./repair.ts";
import type { LlmRequest } from "./request.ts";
import type { Routes, TurnPlace } from "./routing/call-on-routes.ts";
import type { SpendLedger } from "./spend/spend-ledger.ts";
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
  /** Shared with whoever else estimates the same messages. */
  readonly estimator: TokenEstimator;
  readonly pool: CredentialPool;
  /** Opened with the first call that someone pays for; undefined = nothing is written and nothing bounded. */
  readonly ledger: (() => Promise<SpendLedger>) | undefined;
}

/** A client of a resolved model and its fallbacks. The wires and what they need are loaded with the first call. */
export const createModelClient = (deps: ModelClientDeps, routes: Routes): ModelClient => {
  const repairs: RepairMemory = new Map();
  let last: { readonly turn: string; readonly place: TurnPlace } | undefined;
  const placeOf = (turn: string | undefined): TurnPlace => {
    const place: TurnPlace = { route: 0, credential: undefined };
    if (turn === undefined) return place;
    if (last?.turn !== turn) last = { turn, place };
    return last.place;
  };
  return {
    info: routes.first.info,
    place: () => calledPlace(routes.first, deps.pool),
    call: async function* (request, options) {
      const { callOnRoutes } = await import("./routing/call-on-routes.ts");
      const routeDeps = await routeDepsOf({ ...deps, repairs }, options);
      yield* callOnRoutes(routeDeps, routes, { work: workOf(request, options), place: placeOf(options.turn) });
    },
  };
};

const workOf = (request: LlmRequest, { signal, charge }: CallOptions) => ({ request, signal, charge });

/** One client's: with what its models refused. */
interface ClientDeps extends ModelClientDeps {
  readonly repairs: RepairMemory;
}

const routeDepsOf = async (deps: ClientDeps, { charge }: CallOptions) => ({
  pool: deps.pool,
  log: deps.log,
  estimator: deps.estimator,
  ledger: charge === undefined ? undefined : await deps.ledger?.(),
  call: (target: ModelTarget, work: CallWork) => callTarget(deps, target, work),
});

async function* callTarget(
  deps: ClientDeps,
  target: ModelTarget,
  work: CallWork,
): AsyncGenerator<CallEvent, void, undefined> {
  const [{ callModel }, wire] = await Promise.all([
    import("./call.ts"),
    loadWire(target.wire, { redact: deps.redact }),
  ]);
  yield* callModel({ ...deps, wire }, target, work);
}
