import { providerIdOf } from "../providers/provider-entry.ts";
import { canBeCalled, credentialOf, findProvider, namesCarryMaker } from "./known-providers.ts";
import type { KnownProvider, ModelSections, ResolveInput, Wanted } from "./resolve-input.ts";

const MAX_ALIAS_STEPS = 8;

/** What the flags and the configuration ask for; `alias_loop` names an alias that leads back to itself. */
export type WantedResult =
  | { readonly kind: "wanted"; readonly wanted: Wanted }
  | { readonly kind: "alias_loop"; readonly alias: string };

const isAuto = (provider: string | undefined): boolean =>
  provider === undefined || provider.trim() === "" || provider.trim().toLowerCase() === "auto";

const nonEmpty = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim();
  return trimmed === "" ? undefined : trimmed;
};

/** Reads what is asked for: flags before the configuration, aliases followed, `provider/model` and `provider:model` taken apart. */
export const readWanted = (input: ResolveInput): WantedResult => {
  const { config, flags } = input;
  const configuredProvider = isAuto(config.model.provider) ? undefined : config.model.provider;
  const flagProvider = isAuto(flags.provider) ? undefined : flags.provider;
  const provider = flagProvider ?? configuredProvider;
  const text =
    nonEmpty(flags.model) ??
    (providerChanged(flagProvider, configuredProvider) ? undefined : nonEmpty(config.model.default));
  const alias = followAliases(text, input);
  if (alias.kind === "alias_loop") return alias;
  const split = splitName(alias, { provider, explicit: flagProvider !== undefined }, input);
  const same =
    split.provider === undefined || (provider !== undefined && providerIdOf(split.provider) === providerIdOf(provider));
  const configured = same && alias.baseUrl === undefined && !providerChanged(flagProvider, configuredProvider);
  return { kind: "wanted", wanted: { ...split, baseUrl: alias.baseUrl, configured } };
};

/** The configured model belongs to the configured provider: another provider is not asked for it. */
const providerChanged = (flag: string | undefined, configured: string | undefined): boolean =>
  flag !== undefined && (configured === undefined || providerIdOf(flag) !== providerIdOf(configured));

interface Aliased {
  readonly kind: "aliased";
  readonly text: string | undefined;
  readonly provider: string | undefined;
  readonly baseUrl: string | undefined;
}

const followAliases = (
  text: string | undefined,
  { config }: ResolveInput,
): Aliased | Extract<WantedResult, { kind: "alias_loop" }> => {
  let found: Aliased = { kind: "aliased", text, provider: undefined, baseUrl: undefined };
  for (let step = 0; step < MAX_ALIAS_STEPS; step += 1) {
    const alias = aliasOf(found.text, config.model_aliases);
    if (alias === undefined || alias.model === found.text) {
      return alias === undefined ? found : { ...found, ...aliasedBy(alias, found) };
    }
    found = { kind: "aliased", text: alias.model, ...aliasedBy(alias, found) };
  }
  return { kind: "alias_loop", alias: text ?? "" };
};

/** Only what the owner wrote is an alias: `constructor` is a member of every object. */
const aliasOf = (
  name: string | undefined,
  aliases: ModelSections["model_aliases"],
): ModelSections["model_aliases"][string] | undefined =>
  name !== undefined && Object.hasOwn(aliases, name) ? aliases[name] : undefined;

const aliasedBy = (
  alias: { readonly provider?: string | undefined; readonly base_url?: string | undefined },
  before: Aliased,
): Pick<Aliased, "provider" | "baseUrl"> => ({
  provider: alias.provider ?? before.provider,
  baseUrl: alias.base_url ?? before.baseUrl,
});

interface Asked {
  readonly provider: string | undefined;
  /** Whether the provider was named by a flag, which nothing in the model's name overrides. */
  readonly explicit: boolean;
}

const splitName = (alias: Aliased, asked: Asked, input: ResolveInput): Pick<Wanted, "provider" | "model"> => {
  const { text } = alias;
  if (asked.explicit) return { provider: asked.provider, model: withoutOwnPrefix(text, asked.provider, input) };
  if (alias.provider !== undefined && text !== undefined) return aliasProvider(alias.provider, text, { asked, input });
  if (text === undefined) return { provider: asked.provider, model: undefined };
  return byColon(text, input) ?? bySlash(text, asked, input) ?? { provider: asked.provider, model: text };
};

/** `maker/model` for a host of many makers reads like `provider/model`: taken whole where the provider itself cannot be called, or has no key. */
const aliasProvider = (
  provider: string,
  model: string,
  { asked, input }: { readonly asked: Asked; readonly input: ResolveInput },
): Pick<Wanted, "provider" | "model"> => {
  const known = findProvider(provider, input);
  const hosted = asked.provider !== undefined && namesCarryMaker(asked.provider, input);
  if (hosted && (known === undefined || !readyToCall(known, input)))
    return { provider: asked.provider, model: `${provider}/${model}` };
  return { provider, model };
};

const readyToCall = (known: KnownProvider, input: ResolveInput): boolean =>
  callable(known) && (known.row?.auth !== "api_key" || credentialOf(known, input) !== undefined);

const callable = ({ row, entry }: KnownProvider): boolean =>
  entry?.base_url !== undefined || row === undefined || canBeCalled(row);

/** `deepseek/deepseek-chat` asked of deepseek is `deepseek-chat`. */
const withoutOwnPrefix = (
  text: string | undefined,
  provider: string | undefined,
  input: ResolveInput,
): string | undefined => {
  if (text === undefined || provider === undefined || namesCarryMaker(provider, input)) return text;
  const own = [`${provider}/`, `${provider}:`].find((prefix) => text.toLowerCase().startsWith(prefix.toLowerCase()));
  return own === undefined ? text : text.slice(own.length);
};

/** `provider:model` and `custom:name:model`; a colon after anything that is no provider is part of the name (`llama3:8b`). */
const byColon = (text: string, input: ResolveInput): Pick<Wanted, "provider" | "model"> | undefined => {
  const [, custom, provider, model] = /^(custom:)?([^:/]+)[:/](.+)$/s.exec(text) ?? [];
  if (provider === undefined || model === undefined) return undefined;
  if (custom === undefined && text[provider.length] === "/") return undefined;
  const written = `${custom ?? ""}${provider}`;
  return findProvider(written, input) === undefined ? undefined : { provider: written, model };
};

/**
 * `provider/model`: an entry of the owner's own always; a built-in provider when none is configured, or it is the configured
 * one; otherwise the slash belongs to the name that the configured provider knows.
 */
const bySlash = (text: string, asked: Asked, input: ResolveInput): Pick<Wanted, "provider" | "model"> | undefined => {
  const slash = text.indexOf("/");
  if (slash <= 0) return undefined;
  const provider = text.slice(0, slash);
  const model = text.slice(slash + 1);
  const known = findProvider(provider, input);
  if (known === undefined || model === "") return undefined;
  if (known.row === undefined) return { provider, model };
  if (asked.provider !== undefined) {
    return providerIdOf(asked.provider) === known.id && !namesCarryMaker(known.id, input)
      ? { provider, model }
      : undefined;
  }
  const openrouter = findProvider("openrouter", input);
  const usable = callable(known) && credentialOf(known, input) !== undefined;
  const hosted = !usable && openrouter !== undefined && credentialOf(openrouter, input) !== undefined;
  return hosted ? { provider: "openrouter", model: text } : { provider, model };
};
