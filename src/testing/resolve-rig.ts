import { shippedCatalogue } from "../llm/catalogue.ts";
import type { ModelTarget } from "../llm/model-target.ts";
import { resolveModel, type Resolution } from "../llm/resolve-model.ts";
import { configSchema, type Config } from "../config/schema/config.ts";

/** The settings, flags and variables that a test resolves a model from; what is absent is the default. */
export interface Given {
  readonly model?: Partial<Config["model"]>;
  readonly providers?: Config["providers"];
  readonly aliases?: Config["model_aliases"];
  readonly flags?: { readonly model?: string; readonly provider?: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly times?: Partial<Config["environment"]>;
  readonly retries?: number;
}

const defaults = configSchema.parse({});

/** Resolves a model. */
export const resolve = (given: Given): Resolution =>
  resolveModel({
    config: {
      ...defaults,
      model: { ...defaults.model, ...given.model },
      providers: given.providers ?? {},
      model_aliases: given.aliases ?? {},
      agent: { ...defaults.agent, ...(given.retries === undefined ? {} : { api_max_retries: given.retries }) },
      environment: { ...defaults.environment, ...given.times },
    },
    flags: given.flags ?? {},
    secret: (name) => given.environment?.[name],
    catalogue: shippedCatalogue,
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
