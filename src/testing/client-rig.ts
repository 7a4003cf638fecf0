import type { CredentialPool } from "../llm/auth/credential-pool.ts";
import { createModelClient, type ModelClientDeps } from "../llm/create-model-client.ts";
import { createTokenEstimator } from "../llm/estimate.ts";
import type { ModelClient } from "../llm/model-client.ts";
import type { ModelTarget } from "../llm/model-target.ts";
import type { ModelRoute } from "../llm/routing/model-route.ts";
import { createFakeClock } from "./fake-clock.ts";

/** The route of one target with its own credential. */
export const routeOf = (target: ModelTarget): ModelRoute => ({
  info: target.info,
  credentials: { kind: "fixed" },
  targetWith: () => target,
});

const refuse = (): never => {
  throw new Error("this test has no pool of credentials");
};

/** A pool that nothing may ask. */
const NO_POOL: CredentialPool = { peek: refuse, lease: refuse, renew: refuse, rest: refuse };

/** Everything a client is made with, for tests: a fake clock, no images, no chance, no ledger. */
export const clientDeps = (deps: Pick<ModelClientDeps, "http"> & Partial<ModelClientDeps>): ModelClientDeps => ({
  clock: createFakeClock(),
  loadImage: () => Promise.resolve(undefined),
  log: { warn: () => undefined },
  redact: (text) => text,
  random: () => 0,
  estimator: createTokenEstimator(),
  pool: NO_POOL,
  ledger: undefined,
  ...deps,
});

/** A client of one target without fallbacks. */
export const clientOf = (
  target: ModelTarget,
  deps: Pick<ModelClientDeps, "http"> & Partial<ModelClientDeps>,
): ModelClient => createModelClient(clientDeps(deps), { first: routeOf(target), fallbacks: () => [] });
