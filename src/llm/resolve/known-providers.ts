import { isLocalEndpoint } from "../local-endpoint.ts";
import type { WireId } from "../message.ts";
import { PRACTICE } from "../practice/practice-id.ts";
import type { ProviderRow } from "../providers/provider-row.ts";
import { findProviderEntry, poolOfEntry, providerIdOf } from "../providers/provider-entry.ts";
import type { ProviderTable } from "../providers/provider-table.ts";
import type { PooledCredential } from "../auth/credential-pool.ts";
import type { KnownProvider, ResolveInput } from "./resolve-input.ts";

/** The provider of an id; undefined = neither built in nor configured. */
export const findProvider = (written: string, { config, rows }: ResolveInput): KnownProvider | undefined => {
  const id = providerIdOf(written);
  const row = rows.find((candidate) => candidate.id === id);
  const entry = findProviderEntry(config.providers, id);
  return row === undefined && entry === undefined ? undefined : { id: entry?.id ?? id, row, entry: entry?.settings };
};

/** Whether the models of a built-in provider carry their maker in the name (`maker/model`). */
export const namesCarryMaker = (written: string, { rows }: ResolveInput): boolean =>
  rows.some((row) => row.id === providerIdOf(written) && row.namesCarryMaker === true);

/** Whether this version can call a built-in provider at all. */
export const canBeCalled = ({ auth }: ProviderRow): boolean => auth !== "external_process";

/** The built-in providers that can be called, for messages. */
export const callableProviderIds = ({ rows }: ResolveInput): readonly string[] =>
  rows.filter(canBeCalled).map((row) => row.id);

/** All ids that can be written. */
export const knownProviderIds = ({ config, rows }: ResolveInput): readonly string[] => [
  ...Object.keys(config.providers),
  ...rows.map((row) => row.id),
  PRACTICE,
];

/** The name of a provider's pool of credentials; those of the owner's own endpoints have a prefix (compat 3.4). */
export const poolOf = ({ id, row }: KnownProvider): string => (row === undefined ? poolOfEntry(id) : row.id);

/** The credential that a provider's pool would give first. */
export const credentialOf = (known: KnownProvider, { peek }: ResolveInput): PooledCredential | undefined =>
  peek(poolOf(known));

/** The variables that could hold the key, for messages. */
export const keyVariablesOf = ({ row, entry }: KnownProvider): readonly string[] =>
  entry?.key_env === undefined ? (row?.keyEnv ?? []) : [entry.key_env];

/**
 * Whether a provider must be called with a credential that is known beforehand. Its servers may run on the owner's machine, or the
 * endpoint is the owner's own; credentials of AWS are looked for with the call.
 */
export const needsKey = ({ row, entry }: KnownProvider, baseUrl: string): boolean => {
  if (entry?.key_env !== undefined) return true;
  if (row === undefined || row.auth === "none" || row.auth === "aws") return false;
  return !isLocalEndpoint(baseUrl);
};

/** The built-in provider whose own host an address names. */
export const rowAtAddress = (baseUrl: string, rows: ProviderTable): ProviderRow | undefined => {
  const { hostname } = new URL(baseUrl);
  return rows.find(
    (row) =>
      (row.baseUrl !== undefined && new URL(row.baseUrl).hostname === hostname) || row.hosts?.test(hostname) === true,
  );
};

/** The built-in provider whose models alone are spoken to with a wire, wherever they are. */
export const rowOfWire = (wire: WireId, rows: ProviderTable): ProviderRow | undefined =>
  rows.find((row) => row.wire === wire && row.modelsKnownAnywhere === true);

/** Sources of other programs' logins. */
const OTHER_PROGRAMS = /^(?:gh_cli|claude_code|qwen-cli)$/;

/**
 * `provider: auto`: the first callable row, in the order of the table, that has a credential. Another program's login is not taken
 * without being asked for.
 */
export const firstWithKey = (input: ResolveInput): KnownProvider | undefined =>
  input.rows
    .filter(canBeCalled)
    .map((row) => findProvider(row.id, input))
    .find((known) => known !== undefined && isChosenByItself(known, input));

const isChosenByItself = (known: KnownProvider, input: ResolveInput): boolean => {
  if (known.row?.auth !== "api_key" && known.row?.auth !== "oauth") return false;
  const source = credentialOf(known, input)?.source;
  if (source === undefined || OTHER_PROGRAMS.test(source)) return false;
  // A variable of a provider that knows its callers by a login serves other programs as well: GITHUB_TOKEN.
  return known.row.auth === "api_key" || !source.startsWith("env:");
};
