import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a process of credentials works with. */
export interface AuthProcessOptions {
  /** The person's directory; the home is `.hermes` in it. */
  readonly userDirectory: string;
  /** The token endpoint by provider. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Run with `pool`, `lease(provider)` (its key) and `nextLine` (the next line of standard input) in scope. */
  readonly script: string;
}

/** Starts another process with the same credentials: real locks, the machine's clock. */
export const startAuthProcess = ({ userDirectory, tokens, script }: AuthProcessOptions): ChildProcess => {
  const program = `
    import { createInterface } from "node:readline";
    import { systemClock } from ${moduleOf("../base/clock.ts")};
    import { createCredentialPool } from ${moduleOf("../llm/auth/pool/create-credential-pool.ts")};
    import { createGhCli } from ${moduleOf("../llm/auth/sources/gh-cli.ts")};
    import { googleFilePath } from ${moduleOf("../llm/auth/vault/add-credential.ts")};
    import { createJsonFiles } from ${moduleOf("../llm/auth/vault/json-files.ts")};
    import { createVault } from ${moduleOf("../llm/auth/vault/vault.ts")};
    import { createHttpClient } from ${moduleOf("../llm/http.ts")};
    import { PROVIDER_ROWS } from ${moduleOf("../llm/providers/rows.ts")};
    const [userDirectory, endpoints] = [process.argv[1], JSON.parse(process.argv[2])];
    const home = userDirectory + "/.hermes";
    const clock = systemClock;
    const vault = createVault({ file: home + "/auth.json", locksDirectory: home + "/locks", clock });
    const json = createJsonFiles();
    const quiet = () => undefined;
    const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
    const pool = createCredentialPool({
      vault, json, clock, http, userDirectory, random: Math.random, redact: (text) => text, strategies: {},
      log: { debug: quiet, info: quiet, warn: (...all) => console.error(...all), error: quiet, child: quiet },
      sources: { providers: {}, rows: PROVIDER_ROWS, variable: () => undefined, userDirectory, googleFile: googleFilePath(vault), json },
      gh: createGhCli({ findProgram: () => undefined, environment: {}, userDirectory, clock }),
      overrides: Object.fromEntries(Object.entries(endpoints).map(([id, token]) => [id, { endpoints: { token } }])),
    });
    const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const nextLine = async () => (await input.next()).value;
    const lease = async (provider) => {
      const outcome = await pool.lease(provider, { exclude: new Set(), signal: new AbortController().signal });
      return outcome.kind === "leased" ? outcome.lease.credential.secret.value : JSON.stringify(outcome);
    };
    ${script}
    process.exit(0);
  `;
  return spawn(process.execPath, ["--input-type=module", "-e", program, userDirectory, JSON.stringify(tokens)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
};

const moduleOf = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
