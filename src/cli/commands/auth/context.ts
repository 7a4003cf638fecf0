import type { App } from "../../../app/app.ts";
import { createModels, type Models } from "../../../app/open-model.ts";
import type { Credentials } from "../../../app/open-credentials.ts";
import type { ExitCode } from "../../../base/app-error.ts";
import { authErrors } from "../../../llm/auth/errors.ts";
import { poolNameOf, type KnownProviders } from "../../../llm/auth/sources/live-credential.ts";
import { nearProviders } from "../../../llm/providers/near-providers.ts";
import type { CommandCall } from "../../command-call.ts";
import { openApp } from "../../open-app.ts";
import type { Output } from "../../output.ts";

/** What `hermes auth …` works with. */
export interface AuthContext extends Credentials {
  readonly app: App;
  readonly models: Models;
  readonly output: Output;
  readonly isJson: boolean;
  /** Never aborts: Ctrl+C ends these commands as a whole. */
  readonly signal: AbortSignal;
}

/** Runs a command with the home's credentials open. */
export const inCredentials = async (
  { flags, output }: CommandCall,
  run: (context: AuthContext) => Promise<ExitCode>,
): Promise<ExitCode> => {
  await using app = openApp(flags);
  const models = createModels(app);
  const { signal } = new AbortController();
  return await run({ ...models.credentials, app, models, output, isJson: flags.json === true, signal });
};

/** The pool that a person names. Throws `auth.unknown_provider` with the nearest names. */
export const poolNamed = ({ app, book }: AuthContext, written: string): string => {
  const pool = poolNameOf(written, knownProviders(app));
  if (pool !== undefined) return pool;
  // A pool that the file has, but the settings do not know (any more), can still be looked at and emptied.
  const id = written.trim().toLowerCase();
  const pools = book.pools();
  if (pools.includes(id)) return id;
  const nearest = nearProviders(id, [...Object.keys(knownProviders(app).providers), ...pools]);
  throw authErrors.unknownProvider({ provider: written, nearest });
};

/** The providers that can be named. */
export const knownProviders = (app: App): KnownProviders => ({
  providers: app.config.sectionOrDefaults("providers"),
  rows: app.providerRows,
});

/** A provider as people know it. */
export const labelOf = (app: App, pool: string): string =>
  app.providerRows.find(({ id }) => id === pool)?.label ?? pool;
