import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Logger } from "../base/log.ts";
import type { ProviderSettings } from "../config/schema/config.ts";
import { createCredentialBook, type CredentialBook } from "../llm/auth/book/credential-book.ts";
import type {
  CredentialLease,
  CredentialPool,
  LeaseOutcome,
  LeaseWish,
  PooledCredential,
} from "../llm/auth/credential-pool.ts";
import { createCredentialPool, type CredentialPoolDeps } from "../llm/auth/pool/create-credential-pool.ts";
import type { LoginOverride } from "../llm/auth/renew/login-providers.ts";
import { createGhCli } from "../llm/auth/sources/gh-cli.ts";
import { googleFilePath } from "../llm/auth/vault/add-credential.ts";
import { createJsonFiles } from "../llm/auth/vault/json-files.ts";
import { createVault, type Vault } from "../llm/auth/vault/vault.ts";
import { createHttpClient } from "../llm/http.ts";
import { keyValueOf } from "../llm/credential.ts";
import type { Clock } from "../base/clock.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { createTempDirectory } from "./temp-home.ts";
import { PROVIDER_ROWS } from "../llm/providers/rows.ts";

/** What a home of credentials begins with. */
export interface AuthRigOptions {
  /** The content of `auth.json`: an object, or its text. */
  readonly auth?: unknown;
  readonly variables?: Readonly<Record<string, string>>;
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly strategies?: CredentialPoolDeps["strategies"];
  readonly overrides?: Readonly<Record<string, LoginOverride>>;
  readonly aws?: CredentialPoolDeps["aws"];
  readonly random?: () => number;
  readonly lockWaitMs?: number;
  /** A shell script that stands for `gh`. */
  readonly gh?: string;
  readonly clock?: Clock;
}

/** Credentials in a directory of their own: real files, real locks, a fake clock. */
export interface AuthRig extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly home: string;
  readonly userDirectory: string;
  readonly authFile: string;
  readonly vault: Vault;
  readonly pool: CredentialPool;
  readonly book: CredentialBook;
  /** Warnings of the log. */
  readonly warnings: readonly string[];
  /** The same home once more, as another process sees it. */
  again(more?: AuthRigOptions): { readonly pool: CredentialPool & AsyncDisposable; readonly book: CredentialBook };
  /** `auth.json` as it stands. */
  readAuth(): Record<string, unknown>;
  /** The entries of a pool as they stand in the file. */
  readEntries(pool: string): Record<string, unknown>[];
  /** Writes a file under the person's directory. */
  writeUserFile(path: string, content: unknown): void;
}

/** Makes such a home: `await using rig = createAuthRig({ auth: {…} });`. */
export const createAuthRig = (options: AuthRigOptions = {}): AuthRig => {
  const directory = createTempDirectory();
  const home = join(directory.path, ".hermes");
  const authFile = join(home, "auth.json");
  mkdirSync(home, { mode: 0o700 });
  if (options.auth !== undefined) {
    const text = typeof options.auth === "string" ? options.auth : JSON.stringify(options.auth, undefined, 2);
    writeFileSync(authFile, text, { mode: 0o600 });
  }
  const clock = createFakeClock();
  const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
  const warnings: string[] = [];
  const open = (more: AuthRigOptions) => {
    const all = { ...options, ...more };
    const deps = rigDeps(all, { directory: directory.path, clock: all.clock ?? clock, http, warnings });
    return { pool: createCredentialPool(deps), book: createCredentialBook(deps), vault: deps.vault };
  };
  const { pool, book, vault } = open({});
  const readAuth = (): Record<string, unknown> => JSON.parse(readFileSync(authFile, "utf8")) as Record<string, unknown>;
  return {
    clock,
    home,
    userDirectory: directory.path,
    authFile,
    vault,
    pool,
    book,
    warnings,
    again: (more = {}) => open(more),
    readAuth,
    readEntries: (name) =>
      existsSync(authFile)
        ? ((readAuth()["credential_pool"] as Record<string, Record<string, unknown>[]> | undefined)?.[name] ?? [])
        : [],
    writeUserFile: (path, content) => {
      const file = join(directory.path, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    },
    [Symbol.asyncDispose]: async () => {
      await pool[Symbol.asyncDispose]();
      await http.close();
      await directory[Symbol.asyncDispose]();
    },
  };
};

const rigDeps = (
  options: AuthRigOptions,
  parts: {
    readonly directory: string;
    readonly clock: Clock;
    readonly http: CredentialPoolDeps["http"];
    readonly warnings: string[];
  },
): CredentialPoolDeps => {
  const { directory, clock, http } = parts;
  const home = join(directory, ".hermes");
  const vault = createVault({ file: join(home, "auth.json"), locksDirectory: join(home, "locks"), clock });
  const json = createJsonFiles();
  const program = options.gh === undefined ? undefined : writeProgram(directory, options.gh);
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message, fields) => void parts.warnings.push(`${message} ${JSON.stringify(fields ?? {})}`),
    error: () => undefined,
    child: () => log,
  };
  return {
    vault,
    json,
    clock,
    http,
    log,
    random: options.random ?? (() => 0),
    redact: (text) => text,
    userDirectory: directory,
    sources: {
      providers: options.providers ?? {},
      rows: PROVIDER_ROWS,
      variable: (name) => options.variables?.[name],
      userDirectory: directory,
      googleFile: googleFilePath(vault),
      json,
    },
    gh: createGhCli({
      findProgram: () => program,
      environment: { PATH: "/usr/bin:/bin" },
      userDirectory: directory,
      clock,
    }),
    strategies: options.strategies ?? {},
    overrides: options.overrides ?? {},
    ...(options.aws === undefined ? {} : { aws: options.aws }),
    ...(options.lockWaitMs === undefined ? {} : { lockWaitMs: options.lockWaitMs }),
  };
};

const writeProgram = (directory: string, script: string): string => {
  const path = join(directory, "gh");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
};

/** Leases with the usual wish. */
export const leaseFrom = async (
  pool: CredentialPool,
  provider: string,
  wish: Partial<LeaseWish> = {},
): Promise<LeaseOutcome> =>
  await pool.lease(provider, { exclude: new Set(), signal: new AbortController().signal, ...wish });

/** The lease of a provider that has a credential to give; anything else fails the test with its text. */
export const leased = async (
  pool: CredentialPool,
  provider: string,
  wish: Partial<LeaseWish> = {},
): Promise<CredentialLease> => {
  const outcome = await leaseFrom(pool, provider, wish);
  if (outcome.kind !== "leased") throw new Error(`no lease: ${JSON.stringify(outcome)}`);
  return outcome.lease;
};

/** Leases once, gives it back, and tells the key. */
export const nextKey = async (
  pool: CredentialPool,
  provider: string,
  wish: Partial<LeaseWish> = {},
): Promise<string | undefined> => {
  using lease = await leased(pool, provider, wish);
  return valueOf(lease.credential);
};

/** The key or token of a credential. */
export const valueOf = ({ secret }: PooledCredential): string | undefined => keyValueOf(secret);
