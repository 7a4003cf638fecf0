/** The sources besides `manual` whose secrets are ours to keep, by provider (compat 3.4, R-CRED-1). */
const OWNED_SOURCES: ReadonlyMap<string, string> = new Map([
  ["anthropic", "hermes_pkce"],
  ["minimax-oauth", "oauth"],
  ["nous", "device_code"],
  ["openai-codex", "device_code"],
  ["xai-oauth", "loopback_pkce"],
]);

/** Whether the file may hold secrets of a provider's source. Everything else is borrowed. */
export const isOwnedSource = (provider: string, source: string): boolean =>
  source === "manual" || source.startsWith("manual:") || OWNED_SOURCES.get(provider) === source;

/** The source under which a provider's first login is kept; undefined where every login is `manual:…`. */
export const loginSourceOf = (provider: string): string | undefined => OWNED_SOURCES.get(provider);
