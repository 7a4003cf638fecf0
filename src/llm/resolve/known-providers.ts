import { customProviderId } from "../../config/schema/providers.ts";
import { isLocalEndpoint } from "../local-endpoint.ts";
import { PRACTICE } from "../practice/practice-id.ts";
import type { ProviderRow } from "../providers/provider-row.ts";
import { PROVIDER_ROWS } from "../providers/rows.ts";
import { isBuilt } from "../providers/select-wire.ts";
import type { KnownProvider, ResolveInput } from "./resolve-input.ts";

/** The id behind a way of writing it: `custom:<name>` is the entry of that name. */
export const providerIdOf = (written: string): string => {
  const trimmed = written.trim().toLowerCase();
  return trimmed.startsWith("custom:") ? customProviderId(trimmed.slice("custom:".length)) : trimmed;
};

/** The provider of an id; undefined = neither built in nor configured. */
export const findProvider = (written: string, { config }: ResolveInput): KnownProvider | undefined => {
  const id = providerIdOf(written);
  const row = PROVIDER_ROWS.find((candidate) => candidate.id === id);
  const name = Object.keys(config.providers).find((key) => key.toLowerCase() === id);
  const entry = name === undefined ? undefined : config.providers[name];
  return row === undefined && entry === undefined ? undefined : { id: name ?? id, row, entry };
};

/** Whether the models of a built-in provider carry their maker in the name (`maker/model`). */
export const namesCarryMaker = (written: string): boolean =>
  PROVIDER_ROWS.some((row) => row.id === providerIdOf(written) && row.namesCarryMaker === true);

/** Whether this version can call a built-in provider at all. */
export const canBeCalled = (row: ProviderRow): boolean => {
  const callable = row.auth === "api_key" || row.auth === "none";
  if (!callable) return false;
  return row.wire === "by_url" || [row.wire, ...(row.alsoSpeaks ?? [])].some(isBuilt);
};

/** The built-in providers that can be called, for messages. */
export const callableProviderIds = (): readonly string[] => PROVIDER_ROWS.filter(canBeCalled).map((row) => row.id);

/** All ids that can be written. */
export const knownProviderIds = ({ config }: ResolveInput): readonly string[] => [
  ...Object.keys(config.providers),
  ...PROVIDER_ROWS.map((row) => row.id),
  PRACTICE,
];

/** The key of a provider: its entry's own, the variable that the entry names, else the row's variables in their order. */
export const keyOf = ({ row, entry }: KnownProvider, { secret }: ResolveInput): string | undefined => {
  const own = entry?.api_key ?? (entry?.key_env === undefined ? undefined : secret(entry.key_env));
  const candidates = [own, ...(entry?.key_env === undefined ? (row?.keyEnv ?? []).map(secret) : [])];
  return candidates.map((key) => key?.trim()).find((key) => key !== undefined && key !== "");
};

/** The variables that could hold the key, for messages. */
export const keyVariablesOf = ({ row, entry }: KnownProvider): readonly string[] =>
  entry?.key_env === undefined ? (row?.keyEnv ?? []) : [entry.key_env];

/** Whether a provider can do without a key: its servers run on the owner's machine, or the endpoint is the owner's own. */
export const needsKey = ({ row, entry }: KnownProvider, baseUrl: string): boolean => {
  if (entry?.key_env !== undefined) return true;
  return row !== undefined && row.auth === "api_key" && !isLocalEndpoint(baseUrl);
};

/** The built-in provider whose own host an address names. */
export const rowAtAddress = (baseUrl: string): ProviderRow | undefined => {
  const { hostname } = new URL(baseUrl);
  return PROVIDER_ROWS.find((row) => row.baseUrl !== undefined && new URL(row.baseUrl).hostname === hostname);
};

/** `provider: auto`: the first callable row, in the order of the table, whose key is set. */
export const firstWithKey = (input: ResolveInput): KnownProvider | undefined =>
  PROVIDER_ROWS.filter((row) => row.auth === "api_key" && canBeCalled(row))
    .map((row) => findProvider(row.id, input))
    .find((known) => known !== undefined && keyOf(known, input) !== undefined);

/** A provider whose key is set but whose format this version does not speak: better named than "no model". */
export const firstUncallableWithKey = ({ secret }: ResolveInput): ProviderRow | undefined =>
  PROVIDER_ROWS.find((row) => row.auth === "api_key" && !canBeCalled(row) && row.keyEnv.some((name) => secret(name)));
