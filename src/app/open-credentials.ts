import { createAwsSource } from "../llm/auth/aws/aws-source.ts";
import type { AppError } from "../base/app-error.ts";
import { createCredentialBook, type CredentialBook } from "../llm/auth/book/credential-book.ts";
import type { CredentialPool } from "../llm/auth/credential-pool.ts";
import { createCredentialPool, type CredentialPoolDeps } from "../llm/auth/pool/create-credential-pool.ts";
import type { PoolStrategy } from "../llm/auth/pool/strategy.ts";
import type { LoginOverride } from "../llm/auth/renew/login-providers.ts";
import { createGhCli } from "../llm/auth/sources/gh-cli.ts";
import { poolNameOf, type KnownProviders } from "../llm/auth/sources/live-credential.ts";
import { googleFilePath } from "../llm/auth/vault/add-credential.ts";
import { createJsonFiles } from "../llm/auth/vault/json-files.ts";
import { createVault } from "../llm/auth/vault/vault.ts";
import type { HttpClient } from "../llm/http.ts";
import { userDirectory } from "../config/environment.ts";
import type { App } from "./app.ts";
import { findProgram } from "./find-program.ts";

/** The credentials of one home. */
export interface Credentials {
  /** What calls take. */
  readonly pool: CredentialPool;
  /** What people do with them. */
  readonly book: CredentialBook;
  /** Why the file of keys and logins cannot be read, if it cannot: what it holds counts as missing until it is mended. */
  readonly problem: () => AppError | undefined;
  /** What sign-ins ask with. */
  readonly http: HttpClient;
  /** What replaces facts of providers' sign-ins, by provider. */
  readonly logins: Readonly<Record<string, LoginOverride>>;
}

/** What an app's credentials are opened with. */
export interface CredentialOptions {
  readonly http: HttpClient;
  /** Replaces facts of providers' sign-ins, e.g. their addresses. */
  readonly logins?: Readonly<Record<string, LoginOverride>>;
}

/** Opens the credentials of an app; no file is read and no program started yet. They end with the app. */
export const openCredentials = (app: App, { http, logins }: CredentialOptions): Credentials => {
  const deps = credentialDeps(app, http, logins);
  const pool = createCredentialPool(deps);
  app.onClose(async () => await pool[Symbol.asyncDispose]());
  const problem = (): AppError | undefined => {
    const read = deps.vault.read();
    return read.kind === "broken" ? read.error : undefined;
  };
  return { pool, book: createCredentialBook(deps), problem, http, logins: deps.overrides ?? {} };
};

const credentialDeps = (
  app: App,
  http: HttpClient,
  logins: Readonly<Record<string, LoginOverride>> = {},
): CredentialPoolDeps => {
  const { clock, config, environment, paths } = app;
  const vault = createVault({ file: paths.auth, locksDirectory: paths.locks, clock });
  const json = createJsonFiles();
  const directory = userDirectory(environment);
  const providers = config.sectionOrDefaults("providers");
  return {
    vault,
    json,
    clock,
    http,
    log: app.log.child({ component: "credentials" }),
    random: Math.random,
    redact: (text) => app.redactor.text(text),
    userDirectory: directory,
    sources: {
      providers,
      rows: app.providerRows,
      variable: (name) => config.secret(name),
      userDirectory: directory,
      googleFile: googleFilePath(vault),
      json,
    },
    gh: createGhCli({
      findProgram: (name) => findProgram(name, environment),
      environment,
      userDirectory: directory,
      clock,
    }),
    aws: createAwsSource({
      region: config.sectionOrDefaults("bedrock").region,
      variable: (name) => config.secret(name),
      userDirectory: directory,
      clock,
    }),
    strategies: strategiesByPool(config.sectionOrDefaults("credential_pool_strategies"), {
      providers,
      rows: app.providerRows,
    }),
    overrides: { ...googleClient((name) => config.secret(name)), ...logins },
  };
};

const strategiesByPool = (
  written: Readonly<Record<string, PoolStrategy | undefined>>,
  known: KnownProviders,
): Readonly<Record<string, PoolStrategy>> =>
  Object.fromEntries(
    Object.entries(written).flatMap(([name, strategy]) =>
      strategy === undefined ? [] : [[poolNameOf(name, known) ?? name, strategy]],
    ),
  );

/** Google's sign-in can be done with a client of the owner's own. */
const googleClient = (variable: (name: string) => string | undefined): Readonly<Record<string, LoginOverride>> => {
  const clientId = variable("HERMES_GEMINI_CLIENT_ID");
  const clientSecret = variable("HERMES_GEMINI_CLIENT_SECRET");
  return {
    "google-gemini-cli": {
      ...(clientId === undefined ? {} : { clientId }),
      ...(clientSecret === undefined ? {} : { clientSecret }),
    },
  };
};
