import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { killTree } from "../../base/process-tree.ts";
import type { InnerResult } from "../../agent/tool.ts";
import { settlesWithin, watchAbort } from "../exec/wait-within.ts";
import type { ExecuteCodeArgs } from "./execute-code.ts";
import { HELD_VARIABLE, JAVASCRIPT_PRELUDE, PYTHON_PRELUDE, SCRIPT_VARIABLE } from "./preludes.ts";
import { serveCalls } from "./serve-calls.ts";

/** What starts scripts of one language. */
export interface ScriptRuntime {
  readonly language: ExecuteCodeArgs["language"];
  /** Absolute. */
  readonly program: string;
}

export interface ScriptRun {
  readonly runtime: ScriptRuntime;
  readonly code: string;
  /** Where it runs; undefined = in a folder of its own that is removed. */
  readonly cwd: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Ends it where it writes, starts programs or goes to the network by itself. */
  readonly held: boolean;
  readonly timeoutMs: number;
  readonly maxCalls: number;
  /** `signal` aborts when the script has ended. */
  readonly call: (name: string, args: unknown, signal: AbortSignal) => Promise<InnerResult>;
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (bytes: Uint8Array) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** How a script ended. */
export type ScriptEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed_out" }
  | { readonly kind: "aborted" }
  | { readonly kind: "abused"; readonly why: string }
  | { readonly kind: "spawn_failed"; readonly why: string };

export interface ScriptReport {
  readonly end: ScriptEnd;
  readonly calls: number;
}

/** Runs a script to its end, whatever ends it; afterwards none of its processes is left. */
export const runScript = async (run: ScriptRun): Promise<ScriptReport> => {
  const folder = await mkdtemp(join(tmpdir(), "hermes-script-"));
  try {
    const files = await writeScript(folder, run);
    const child = start(run, { ...files, cwd: run.cwd ?? folder });
    return await follow(run, child);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

interface ScriptFiles {
  readonly prelude: string;
  readonly script: string;
}

const writeScript = async (folder: string, { runtime, code }: ScriptRun): Promise<ScriptFiles> => {
  const isPython = runtime.language === "python";
  const prelude = join(folder, isPython ? "prelude.py" : "prelude.mjs");
  const script = join(folder, isPython ? "script.py" : "script.mts");
  await writeFile(prelude, isPython ? PYTHON_PRELUDE : JAVASCRIPT_PRELUDE, { mode: 0o600 });
  await writeFile(script, code, { mode: 0o600 });
  return { prelude, script };
};

/** A process that the system cannot end may keep the streams open. */
const LONGEST_DRAIN_MS = 2_000;

/** A shell of the same group that waits for the end of descriptor 4: then we are dead, and so is the group, also where the script spins. */
const WATCHED = '{ read -r _ <&4; kill -9 0; } 3>&- >/dev/null 2>&1 & exec "$@" 4<&-';

const start = (run: ScriptRun, files: ScriptFiles & { readonly cwd: string }): ChildProcess => {
  const { runtime, held } = run;
  const options =
    runtime.language === "python"
      ? ["-B", "-u"]
      : ["--no-warnings", ...(held ? ["--permission", "--allow-fs-read=*"] : [])];
  const argv = [runtime.program, ...options, files.prelude];
  const isWatched = process.platform !== "win32";
  const [program = "", ...args] = isWatched ? ["/bin/sh", "-c", WATCHED, "sh", ...argv] : argv;
  return spawn(program, args, {
    cwd: files.cwd,
    env: {
      ...run.environment,
      [SCRIPT_VARIABLE]: files.script,
      ...(held ? { [HELD_VARIABLE]: "1" } : {}),
    },
    detached: isWatched,
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    windowsHide: true,
  });
};

const follow = async (run: ScriptRun, child: ChildProcess): Promise<ScriptReport> => {
  const { clock, signal } = run;
  const ended = Promise.withResolvers<ScriptEnd>();
  const abuse = Promise.withResolvers<ScriptEnd>();
  child.once("error", (error) => ended.resolve({ kind: "spawn_failed", why: error.message }));
  child.once("exit", (code, name) =>
    ended.resolve(name === null ? { kind: "exited", code: code ?? 1 } : { kind: "signalled", signal: name }),
  );
  child.stdout?.on("data", run.onStdout);
  child.stderr?.on("data", run.onStderr);
  const inner = new AbortController();
  const server =
    child.stdio[3] instanceof Duplex
      ? serveCalls(child.stdio[3], {
          call: (name, args) => run.call(name, args, inner.signal),
          maxCalls: run.maxCalls,
          onAbuse: (why) => abuse.resolve({ kind: "abused", why }),
        })
      : undefined;
  using deadline = clock.deadline(run.timeoutMs);
  using aborted = watchAbort([signal, deadline.signal]);
  const cut = aborted.aborted.then((): ScriptEnd => (signal.aborted ? { kind: "aborted" } : { kind: "timed_out" }));
  const end = await Promise.race([ended.promise, abuse.promise, cut]);
  inner.abort();
  if (child.pid !== undefined) await killTree(child.pid, { clock, graceMs: 0 });
  await settlesWithin(clock, drained(child), LONGEST_DRAIN_MS);
  for (const stream of child.stdio) stream?.destroy();
  await server?.settled();
  return { end, calls: server?.count() ?? 0 };
};

/** Everything that was written before the end; all writers are dead, so the streams end. */
const drained = async (child: ChildProcess): Promise<void> => {
  await Promise.all(
    [child.stdout, child.stderr].map(async (stream) => {
      if (stream === null || stream.readableEnded || stream.destroyed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      stream.once("close", () => resolve()).once("end", () => resolve());
      await promise;
    }),
  );
};
