import type { AppError } from "../../base/app-error.ts";
import type { Config, ProviderSettings } from "../../config/schema/config.ts";
import type { Catalogue } from "../catalogue.ts";
import type { WireId } from "../message.ts";
import type { PooledCredential } from "../auth/credential-pool.ts";
import type { ModelTarget } from "../model-target.ts";
import type { ProviderRow } from "../providers/provider-row.ts";
import type { ProviderTable } from "../providers/provider-table.ts";
import type { ModelRoute } from "../routing/model-route.ts";

/** The sections of the configuration that say which model answers. */
export type ModelSections = Pick<Config, "model" | "providers" | "model_aliases" | "bedrock" | "agent" | "environment">;

/** What a model is resolved from. */
export interface ResolveInput {
  readonly config: ModelSections;
  /** `-m` and `--provider`. */
  readonly flags: { readonly model?: string | undefined; readonly provider?: string | undefined };
  /** A variable of the environment or .env. */
  readonly variable: (name: string) => string | undefined;
  /** The credential that a pool would give first, if it has any (`CredentialPool.peek`). */
  readonly peek: (pool: string) => PooledCredential | undefined;
  readonly catalogue: Catalogue;
  /** Every provider that can be named, in the order in which `auto` looks for a credential. */
  readonly rows: ProviderTable;
}

/** Which model answers: one that can be called, the embedded practice model, or none, with what is missing and what to do. */
export type Resolution =
  /** `target` is what would be called now; `route` is what calls are made by. */
  | { readonly kind: "model"; readonly target: ModelTarget; readonly route: ModelRoute }
  | { readonly kind: "practice" }
  | { readonly kind: "none"; readonly error: AppError };

/** A provider by its id, built in, configured, or both: a configured entry overlays a row of the same id. */
export interface KnownProvider {
  readonly id: string;
  readonly row: ProviderRow | undefined;
  readonly entry: ProviderSettings | undefined;
}

/** What is asked for: a provider (undefined = the first that has a key) and a model's name. */
export interface Wanted {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** An alias's or a fallback's own address. */
  readonly baseUrl: string | undefined;
  /** The variable that holds the key for exactly this place. */
  readonly keyEnv?: string | undefined;
  /** The key for exactly this place. */
  readonly key?: string | undefined;
  /** The HTTP format of exactly this place. */
  readonly wire?: WireId | undefined;
  /** Whether `model:` of the configuration speaks about this provider, so that its address, key and format count. */
  readonly configured: boolean;
}
