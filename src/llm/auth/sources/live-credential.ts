import type { ProviderSettings } from "../../../config/schema/config.ts";
import type { WireCredential } from "../../credential.ts";
import { findProviderEntry, poolOfEntry, type ProviderEntry } from "../../providers/provider-entry.ts";
import type { ProviderRow } from "../../providers/provider-row.ts";
import type { ProviderTable } from "../../providers/provider-table.ts";
import type { JsonFiles } from "../vault/json-files.ts";
import type { AuthType } from "../vault/pool-entry.ts";

/** A secret that somebody else holds and that is there now. */
export interface LiveCredential {
  /** As compat 3.4 names sources. */
  readonly source: string;
  readonly label: string;
  readonly authType: AuthType;
  /** `none` = it is there, but only asking its program tells it. */
  readonly secret: WireCredential;
  /** When it ends, ms UTC. */
  readonly expiresAt?: number | undefined;
  readonly baseUrl?: string | undefined;
}

/** A provider's pool: what is built in, what the owner has configured. */
export interface PoolPlace {
  readonly pool: string;
  readonly row: ProviderRow | undefined;
  readonly entry: ProviderEntry | undefined;
}

/** The providers that there are. */
export interface KnownProviders {
  /** `providers` of the configuration. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly rows: ProviderTable;
}

/** What sources look at. */
export interface SourceContext extends KnownProviders {
  /** A variable of the process or of `.env`. */
  readonly variable: (name: string) => string | undefined;
  /** The owner's own directory, where other programs keep their logins. */
  readonly userDirectory: string;
  /** `<home>/auth/google_oauth.json`. */
  readonly googleFile: string;
  readonly json: JsonFiles;
}

/** Reads what one kind of source has for a pool, without waiting for anything. */
export type SyncSource = (place: PoolPlace, context: SourceContext) => readonly LiveCredential[];

const CUSTOM = "custom:";

/** The provider behind a pool's name; undefined = neither built in nor configured. */
export const placeOfPool = (pool: string, { providers, rows }: KnownProviders): PoolPlace | undefined => {
  const row = pool.startsWith(CUSTOM) ? undefined : rows.find(({ id }) => id === pool);
  const entry = findProviderEntry(providers, pool);
  return row === undefined && entry === undefined ? undefined : { pool, row, entry };
};

/** The pool that a person means: a provider's id, an entry of `providers`, or `custom:<name>`; undefined = there is none. */
export const poolNameOf = (written: string, { providers, rows }: KnownProviders): string | undefined => {
  const id = written.trim().toLowerCase();
  if (!id.startsWith(CUSTOM) && rows.some((row) => row.id === id)) return id;
  return findProviderEntry(providers, id) === undefined ? undefined : poolOfEntry(id);
};

/** Every pool that there can be: the built-in providers', then those of the owner's own endpoints. */
export const poolNames = ({ providers, rows }: KnownProviders): readonly string[] => [
  ...rows.map(({ id }) => id),
  ...Object.keys(providers)
    .filter((key) => !rows.some(({ id }) => id === key.toLowerCase()))
    .map(poolOfEntry),
];
