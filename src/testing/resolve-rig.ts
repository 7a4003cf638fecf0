import { shippedCatalogue } from "../llm/catalogue.ts";
import type { ModelTarget } from "../llm/model-target.ts";
import { resolveModel, type Resolution, type ResolveInput } from "../llm/resolve-model.ts";
import type { PooledCredential } from "../llm/auth/credential-pool.ts";
import { keyCredential } from "../llm/credential.ts";
import type { ProviderRow } from "../llm/providers/provider-row.ts";
import { createProviderTable } from "../llm/providers/provider-table.ts";
import { PROVIDER_ROWS } from "../llm/providers/rows.ts";
import { configSchema, type Config } from "../config/schema/config.ts";

/** The settings, flags and variables that a test resolves a model from; what is absent is the default. */
export interface Given {
  readonly model?: Partial<Config["model"]>;
  readonly providers?: Config["providers"];
  readonly aliases?: Config["model_aliases"];
  readonly bedrock?: Config["bedrock"];
  readonly flags?: { readonly model?: string; readonly provider?: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly times?: Partial<Config["environment"]>;
  readonly retries?: number;
  /** Rows that a plugin adds. */
  readonly addedProviders?: readonly ProviderRow[];
  /** Pools that hold something beside the keys of settings and variables. */
  readonly pools?: Readonly<Record<string, PooledCredential>>;
}

/** What the pools of a home without logins would give: an entry's own key, the variable it names, the row's variables. */
const keyIn = (pool: string, { providers = {}, environment = {} }: Given): PooledCredential | undefined => {
  const id = pool.replace(/^custom:/, "");
  const entry = providers[id];
  const row = PROVIDER_ROWS.find((candidate) => candidate.id === pool);
  const variables = entry?.key_env === undefined ? (row?.keyEnv ?? []) : [entry.key_env];
  const variable = variables.find((name) => environment[name] !== undefined);
  const found = entry?.api_key ?? (variable === undefined ? undefined : environment[variable]);
  if (found === undefined) return undefined;
  const source = entry?.api_key === undefined ? `env:${variable}` : `config:${id}`;
  return { id: "abc123", label: source, source, secret: keyCredential(found.trim()) };
};

const defaults = configSchema.parse({});

/** Resolves a model. */
export const resolve = (given: Given): Resolution => resolveModel(resolveInputOf(given));

/** What a model is resolved from. */
export const resolveInputOf = (given: Given): ResolveInput => ({
  config: {
    ...defaults,
    model: { ...defaults.model, ...given.model },
    providers: given.providers ?? {},
    model_aliases: given.aliases ?? {},
    bedrock: given.bedrock ?? defaults.bedrock,
    agent: { ...defaults.agent, ...(given.retries === undefined ? {} : { api_max_retries: given.retries }) },
    environment: { ...defaults.environment, ...given.times },
  },
  flags: given.flags ?? {},
  variable: (name) => given.environment?.[name],
  peek: (pool) => given.pools?.[pool] ?? keyIn(pool, given),
  catalogue: shippedCatalogue,
  rows: createProviderTable(given.addedProviders),
});

/** The target of a model that can be called; anything else fails the test with its text. */
export const target = (given: Given): ModelTarget => {
  const found = resolve(given);
  if (found.kind !== "model") {
    throw new Error(found.kind === "none" ? `${found.error.code}: ${found.error.message}` : "the practice model");
  }
  return found.target;
};

/** The error of a model that cannot be called. */
export const refusal = (given: Given): { code: string; message: string; hint: string | undefined } => {
  const found = resolve(given);
  if (found.kind !== "none") throw new Error(`resolved to ${found.kind}`);
  return found.error;
};
