import { join } from "node:path";
import { fileStamp } from "../base/file-stamp.ts";
import { createRedactor, type Redactor } from "../base/redact/redact-text.ts";
import type { NamedText } from "../config/named-texts.ts";
import { vaultSecrets } from "../llm/auth/vault/vault-secrets.ts";

/** What a home's secrets are masked by. */
export interface LiveRedactorOptions {
  /** `security.redact_secrets`. */
  readonly enabled: boolean;
  readonly home: string;
  /** The owner's variables and settings. */
  readonly ownValues: readonly NamedText[];
}

/** Secrets that are remembered after they have left their files: the newest ones. */
const MOST = 400;

/**
 * A redactor that knows the home's keys and logins as they are now: one that another process adds, or that is renewed meanwhile, is
 * masked from its first use on. Those that were there before stay known.
 */
export const createLiveRedactor = ({ enabled, home, ownValues }: LiveRedactorOptions): Redactor => {
  if (!enabled) return createRedactor({ enabled });
  const files = [join(home, "auth.json"), join(home, ".anthropic_oauth.json"), join(home, "auth", "google_oauth.json")];
  let secrets: readonly NamedText[] = [];
  let seen = "";
  let redactor: Redactor | undefined;
  const current = (): Redactor => {
    const stamp = files.map(fileStamp).join(" ");
    if (redactor !== undefined && stamp === seen) return redactor;
    seen = stamp;
    const known = new Set(secrets.map(({ value }) => value));
    const found = files.flatMap(vaultSecrets).filter(({ value }) => !known.has(value));
    if (redactor !== undefined && found.length === 0) return redactor;
    secrets = [...found, ...secrets].slice(0, MOST);
    redactor = createRedactor({ enabled, ownValues: [...ownValues, ...secrets] });
    return redactor;
  };
  return {
    enabled: true,
    text: (text) => current().text(text),
    field: (name, value) => current().field(name, value),
    find: (text, from) => current().find(text, from),
  };
};
