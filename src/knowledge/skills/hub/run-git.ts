import { spawn } from "node:child_process";
import { once } from "node:events";
import { DeadlineError, type Clock } from "../../../base/clock.ts";
import { killTree } from "../../../base/process-tree.ts";
import { type Environment, variable } from "../../../config/environment.ts";

/** How git is run here. */
export interface GitDeps {
  readonly clock: Clock;
  readonly environment: Environment;
  /** The absolute path of git. */
  readonly program: string;
}

/** One run of git. */
export interface GitRun {
  /** The repository; its parent must exist. */
  readonly repository: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Ends the run, its helpers included. */
  readonly signal: AbortSignal;
  /** Bytes of standard output that are taken; more is a failure. */
  readonly maxBytes: number;
}

/** How it ended. */
export type GitOutcome =
  | { readonly kind: "done"; readonly stdout: Buffer }
  | { readonly kind: "too_long" }
  | { readonly kind: "failed"; readonly why: string };

/** Git's own words are shown up to here. */
const MAX_STDERR = 2_000;

/**
 * Settings for every run: nobody is asked for anything, no credential is looked up or sent, nothing of the owner's configuration and no
 * program of the repository runs, and nothing but https, ssh and files is spoken.
 */
const SETTINGS = [
  "credential.helper=",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "fetch.recurseSubmodules=false",
  "submodule.recurse=false",
  "protocol.allow=never",
  "protocol.https.allow=always",
  "protocol.ssh.allow=always",
  "protocol.file.allow=always",
  "http.followRedirects=initial",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=30",
].flatMap((setting) => ["-c", setting]);

/** What git needs of the person's variables: programs, proxies, certificates, and the agent that holds keys for ssh. */
const PASSED = [
  "PATH",
  "HOME",
  "USERPROFILE",
  "SYSTEMROOT",
  "TMPDIR",
  "TEMP",
  "SSH_AUTH_SOCK",
  "http_proxy",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
  "no_proxy",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
] as const;

const gitEnvironment = (environment: Environment): Record<string, string> => {
  const passed = PASSED.flatMap((name) => {
    const value = variable(environment, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    SSH_ASKPASS_REQUIRE: "never",
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes -oConnectTimeout=20 -oPermitLocalCommand=no -oClearAllForwardings=yes",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
};

/** Runs git with an argument list, never through a shell. Throws the signal's reason. */
export const runGit = async (deps: GitDeps, run: GitRun): Promise<GitOutcome> => {
  run.signal.throwIfAborted();
  const child = spawn(deps.program, [...SETTINGS, "--git-dir", run.repository, ...run.args], {
    env: gitEnvironment(deps.environment),
    stdio: ["pipe", "pipe", "pipe"],
    // A group of its own, so that the helper that talks to the other side ends with it.
    detached: process.platform !== "win32",
  });
  const end = async (): Promise<void> => {
    if (child.pid !== undefined) await killTree(child.pid, { clock: deps.clock, graceMs: 0 });
  };
  const onAbort = (): void => void end();
  run.signal.addEventListener("abort", onAbort, { once: true });
  const pieces: Buffer[] = [];
  let taken = 0;
  let stderr = "";
  child.stdout.on("data", (piece: Buffer) => {
    taken += piece.length;
    if (taken <= run.maxBytes) pieces.push(piece);
    else onAbort();
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    stderr = `${stderr}${piece}`.slice(-MAX_STDERR);
  });
  // It may end without having read what it was given.
  child.stdin.on("error", () => undefined);
  child.stdin.end(run.stdin ?? "");
  try {
    const [code] = (await once(child, "close")) as [number | null];
    run.signal.throwIfAborted();
    if (taken > run.maxBytes) return { kind: "too_long" };
    return code === 0 ? { kind: "done", stdout: Buffer.concat(pieces) } : { kind: "failed", why: inWords(stderr) };
  } finally {
    run.signal.removeEventListener("abort", onAbort);
  }
};

const inWords = (stderr: string): string => {
  const lines = stderr
    .split("\n")
    .map((line) => line.replace(/^(?:fatal|error|remote|warning): /u, "").trim())
    .filter((line) => line !== "");
  const why = lines.slice(0, 2).join("; ");
  return why === "" ? "git gave no reason" : why;
};

/** Whether something ended because its time was over. */
export const isOutOfTime = (thrown: unknown): boolean => thrown instanceof DeadlineError;
