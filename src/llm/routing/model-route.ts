import type { PooledCredential } from "../auth/credential-pool.ts";
import type { ModelInfo } from "../model-info.ts";
import type { ModelTarget } from "../model-target.ts";

/** Where a route's credentials come from. */
export type RouteCredentials =
  /** One key that the settings name for exactly this place, or none where the endpoint asks for nothing. */
  | { readonly kind: "fixed" }
  /** The provider's pool. `optional` = the endpoint may be called without any. */
  | { readonly kind: "pool"; readonly pool: string; readonly optional: boolean };

/** A model at a provider, before a credential is chosen. */
export interface ModelRoute {
  readonly info: ModelInfo;
  readonly credentials: RouteCredentials;
  /** What is called: the address, and even the wire, can depend on the credential. Undefined = the fixed one, or none. */
  targetWith(credential: PooledCredential | undefined): ModelTarget;
}

/** Whether two routes lead to one model of one provider, whatever the address. */
export const isSameModel = ({ info: left }: ModelRoute, { info: right }: ModelRoute): boolean =>
  left.provider === right.provider && left.model === right.model;
