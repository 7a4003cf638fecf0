import { spawn } from "node:child_process";
import { devNull } from "node:os";
import { checkpointErrors } from "./errors.ts";

/** One run of git in the shadow store. */
export interface GitCall {
  readonly args: readonly string[];
  /** Further settings, `name=value`. */
  readonly settings?: readonly string[];
  /** The folder whose files are looked at. */
  readonly workTree?: string;
  readonly index?: string;
  readonly input?: string | Uint8Array;
  readonly signal: AbortSignal;
  /** NUL-ended records on standard output before the run is given up. */
  readonly maxRecords?: number;
  /** Exit codes that are answers, besides 0. */
  readonly allowed?: readonly number[];
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
}

/** Runs git. Throws `checkpoint.git_failed`, `checkpoint.too_many_files`, or the signal's reason; git has ended then. */
export type Git = (call: GitCall) => Promise<GitAnswer>;

export interface GitPlace {
  /** Absolute path of the program. */
  readonly program: string;
  /** The store, absolute. */
  readonly directory: string;
  readonly path: string;
}

/** Settings that leave no way for anybody's configuration, hooks, filters or conversions. */
const SETTINGS: readonly string[] = [
  "core.fileMode=true",
  "core.symlinks=true",
  "core.autocrlf=false",
  "core.safecrlf=false",
  `core.hooksPath=${devNull}`,
  `core.excludesFile=${devNull}`,
  `core.attributesFile=${devNull}`,
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.quotePath=false",
  // A file may bear any name that its system allows; what is dangerous for another system is never checked out by git here.
  "core.protectNTFS=false",
  "core.protectHFS=false",
  // One flush for many objects.
  "core.fsyncMethod=batch",
  "core.compression=1",
  "gc.auto=0",
  "advice.addEmbeddedRepo=false",
];

const flagsOf = (settings: readonly string[]): readonly string[] => settings.flatMap((setting) => ["-c", setting]);

const FLAGS = flagsOf(SETTINGS);
const STDERR_BYTES = 4_000;
const NAME = "Hermes checkpoints";
const EMAIL = "checkpoints@hermes.invalid";

/** Git bound to one store; sees nothing of the person's or the machine's configuration. */
export const createGit = (place: GitPlace): Git => {
  const environment = {
    PATH: place.path,
    HOME: place.directory,
    LC_ALL: "C",
    GIT_DIR: place.directory,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: NAME,
    GIT_AUTHOR_EMAIL: EMAIL,
    GIT_COMMITTER_NAME: NAME,
    GIT_COMMITTER_EMAIL: EMAIL,
    // Paths are names here, never patterns.
    GIT_LITERAL_PATHSPECS: "1",
  };
  return (call) =>
    new Promise((resolve, reject) => {
      if (call.signal.aborted) {
        reject(call.signal.reason);
        return;
      }
      const child = spawn(place.program, [...FLAGS, ...flagsOf(call.settings ?? []), ...call.args], {
        cwd: call.workTree ?? place.directory,
        env: {
          ...environment,
          ...(call.workTree === undefined ? {} : { GIT_WORK_TREE: call.workTree }),
          ...(call.index === undefined ? {} : { GIT_INDEX_FILE: call.index }),
        },
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
      });
      const chunks: Buffer[] = [];
      let records = 0;
      let errorText = "";
      let failure: unknown;
      const end = (error: unknown): void => {
        failure ??= error;
        child.kill("SIGKILL");
      };
      const onAbort = (): void => end(call.signal.reason);
      call.signal.addEventListener("abort", onAbort, { once: true });
      child.stdout.on("data", (chunk: Buffer) => {
        if (call.maxRecords !== undefined) {
          records += countNuls(chunk);
          if (records > call.maxRecords)
            end(checkpointErrors.tooManyFiles({ root: call.workTree ?? "", limit: call.maxRecords }));
        }
        if (failure === undefined) chunks.push(chunk);
      });
      child.stderr.on("data", (chunk: Buffer) => {
        if (errorText.length < STDERR_BYTES) errorText += chunk.toString("utf8");
      });
      // A git that ends early does not read all of its input; its exit code says why.
      child.stdin.on("error", () => undefined);
      child.stdin.end(call.input ?? "");
      child.once("error", (error) => {
        failure ??= error;
      });
      child.once("close", (code) => {
        call.signal.removeEventListener("abort", onAbort);
        if (failure !== undefined) reject(failure);
        else if (code === 0 || (code !== null && call.allowed?.includes(code) === true))
          resolve({ code, stdout: Buffer.concat(chunks) });
        else reject(gitFailure(call, errorText, code));
      });
    });
};

const gitFailure = (call: GitCall, errorText: string, code: number | null): Error => {
  const why = errorText.trim().split("\n")[0] ?? "";
  return checkpointErrors.gitFailed({
    command: call.args[0] ?? "",
    why: why === "" ? `it ended with code ${code ?? "none"}` : why,
  });
};

const countNuls = (chunk: Buffer): number => {
  let count = 0;
  for (let at = chunk.indexOf(0); at !== -1; at = chunk.indexOf(0, at + 1)) count += 1;
  return count;
};

/** NUL-ended records as text. A name that is no UTF-8 is left out: no tool of the agent can name it. */
export const recordsOf = (bytes: Buffer): readonly string[] => {
  const records: string[] = [];
  for (let start = 0, end = bytes.indexOf(0); end !== -1; start = end + 1, end = bytes.indexOf(0, start)) {
    const text = utf8Of(bytes.subarray(start, end));
    if (text !== undefined) records.push(text);
  }
  return records;
};

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const utf8Of = (bytes: Buffer): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    // Not UTF-8.
    return undefined;
  }
};

/** Names as the input of a `--stdin -z` command. */
export const nulEnded = (names: readonly string[]): string => names.map((name) => `${name}\0`).join("");
