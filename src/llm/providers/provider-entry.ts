import { customProviderId } from "../../config/schema/providers.ts";
import type { ProviderSettings } from "../../config/schema/config.ts";

/** An entry of `providers` in the configuration, under the name that its owner wrote. */
export interface ProviderEntry {
  readonly id: string;
  readonly settings: ProviderSettings;
}

/** The id behind a way of writing it: letters of any case, dashes for blanks, and `custom:<name>` for the entry of that name. */
export const providerIdOf = (written: string): string => customProviderId(written.trim().replace(/^custom:/i, ""));

/** The name of an entry's pool of credentials (compat 3.4). */
export const poolOfEntry = (id: string): string => `custom:${providerIdOf(id)}`;

/** The entry that somebody means; undefined = there is none. */
export const findProviderEntry = (
  providers: Readonly<Record<string, ProviderSettings>>,
  written: string,
): ProviderEntry | undefined => {
  const wanted = providerIdOf(written);
  const id = Object.keys(providers).find((key) => customProviderId(key) === wanted);
  const settings = id === undefined ? undefined : providers[id];
  return id === undefined || settings === undefined ? undefined : { id, settings };
};
