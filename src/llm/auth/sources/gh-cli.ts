import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Environment } from "../../../config/environment.ts";
import { variable } from "../../../config/environment.ts";
import { keyCredential, NO_CREDENTIAL } from "../../credential.ts";
import type { LiveCredential } from "./live-credential.ts";

/** How GitHub's command line is asked. */
export interface GhCliOptions {
  /** The absolute path of a program on the PATH; undefined = there is none. */
  readonly findProgram: (name: string) => string | undefined;
  readonly environment: Environment;
  readonly userDirectory: string;
  readonly clock: Clock;
}

/** `gh_cli`: the token of GitHub's command line. */
export interface GhCli {
  /** What is known without starting it: that somebody is signed in. */
  peek(): readonly LiveCredential[];
  /** The token, asked for at most every ten minutes. Never throws. */
  read(): Promise<readonly LiveCredential[]>;
  /** The last token was refused: asks again. */
  forget(): void;
}

/** Its answer comes at once; a keyring that waits for a password must not hold a call. */
const ANSWER_MS = 5_000;
const KEPT_MS = 600_000;

const SOURCE = { source: "gh_cli", label: "gh_cli", authType: "oauth" } as const;

/** Makes the source; nothing is started yet. */
export const createGhCli = (options: GhCliOptions): GhCli => {
  let last: { readonly at: number; readonly found: Promise<readonly LiveCredential[]> } | undefined;
  return {
    peek: () => (isSignedIn(options) ? [{ ...SOURCE, secret: NO_CREDENTIAL }] : []),
    read: async () => {
      const now = options.clock.monotonic();
      if (last === undefined || now - last.at >= KEPT_MS) last = { at: now, found: askToken(options) };
      return await last.found;
    },
    forget: () => {
      last = undefined;
    },
  };
};

const isSignedIn = ({ environment, userDirectory, findProgram }: GhCliOptions): boolean => {
  const folder =
    variable(environment, "GH_CONFIG_DIR") ??
    join(variable(environment, "XDG_CONFIG_HOME") ?? join(userDirectory, ".config"), "gh");
  return existsSync(join(folder, "hosts.yml")) && findProgram("gh") !== undefined;
};

const askToken = async ({ clock, environment, findProgram }: GhCliOptions): Promise<readonly LiveCredential[]> => {
  const program = findProgram("gh");
  if (program === undefined) return [];
  // With these set it would answer them; they are sources of their own.
  const { GH_TOKEN: _token, GITHUB_TOKEN: _github, ...rest } = environment;
  using deadline = clock.deadline(ANSWER_MS);
  const token = await new Promise<string>((resolve) => {
    const child = execFile(
      program,
      ["auth", "token", "--hostname", "github.com"],
      { env: { ...rest, GH_PROMPT_DISABLED: "1" }, signal: deadline.signal, killSignal: "SIGKILL", maxBuffer: 65_536 },
      (error, stdout) => resolve(error === null ? stdout.trim() : ""),
    );
    child.stdin?.end();
  });
  // A login of another kind (GitHub Enterprise, an app) would be refused at the first call.
  return /^[A-Za-z0-9_]{20,255}$/.test(token) && !token.startsWith("ghp_")
    ? [{ ...SOURCE, secret: keyCredential(token) }]
    : [];
};
