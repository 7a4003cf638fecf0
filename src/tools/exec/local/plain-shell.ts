import { spawn } from "node:child_process";
import type { ChildProcess, StdioOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../base/app-error.ts";
import { createPrivateFile } from "../../../base/private-file.ts";
import { processStartTime } from "../../../base/process-tree.ts";
import type { BackgroundSpec, BackgroundStart, ShellRun } from "../backend.ts";
import type { LocalShellDeps, LocalShell, ShellStart } from "./local-shell.ts";
import { isDirectory } from "../shell/session-shell.ts";
import type { ShellFolders } from "./shell-folders.ts";
import { bashArguments, renderScript } from "../shell/shell-script.ts";
import type { ScriptSpec } from "../shell/shell-script.ts";
import type { ShellEnd } from "./spawn-bash.ts";
import { settlesWithin } from "../wait-within.ts";

/**
 * Shells for systems without named pipes (Windows): the script and the directory that a command ends in travel through
 * private files. As a state may hold secrets and files are no place for them, only the directory lasts from command to
 * command there, as with `terminal.persistent_shell: false`; and there are no terminals.
 */
export interface PlainShells {
  start(run: ShellRun, onOutput: (bytes: Uint8Array) => void): Promise<ShellStart>;
  startInBackground(spec: BackgroundSpec): Promise<BackgroundStart>;
}

/** Makes shells with files in private folders. */
export const createPlainShells = (deps: Omit<LocalShellDeps, "fifos">, folders: ShellFolders): PlainShells => ({
  start: async (run, onOutput) => {
    const started = await spawnPlain(deps.bash, { run, folders, stdio: ["pipe", "pipe", "pipe"] });
    if (started.kind === "spawn_failed") return started;
    const { child, folder, ended, cwdPath } = started;
    child.stdin?.on("error", () => undefined).end(run.stdin ?? "");
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    const drained = Promise.all(
      streams.map((stream) => new Promise<void>((done) => stream.on("data", onOutput).once("close", () => done()))),
    );
    const settle: LocalShell["settle"] = async (drainMs) => {
      await settlesWithin(deps.clock, drained, drainMs);
      for (const stream of streams) stream.destroy();
      const cwd = (await readFile(cwdPath, "utf8").catch(() => "")).trimEnd();
      await rm(folder, { recursive: true, force: true });
      return isDirectory(cwd) ? { saved: { cwd } } : {};
    };
    return { kind: "started", shell: { pid: child.pid ?? 0, ended, settle } };
  },

  startInBackground: async (spec) => {
    let output: number;
    try {
      createPrivateFile(spec.exitPath);
      output = openSync(spec.outputPath, "a", 0o600);
    } catch (thrown) {
      return { kind: "spawn_failed", reason: messageOf(thrown) };
    }
    const started = await spawnPlain(deps.bash, { run: spec, folders, stdio: ["pipe", output, output] });
    closeSync(output);
    if (started.kind === "spawn_failed") return started;
    const { child, folder, ended } = started;
    const input = child.stdin?.on("error", () => undefined);
    if (spec.stdin !== undefined) input?.write(spec.stdin);
    child.unref();
    const exited = ended.then(async (end) => {
      await rm(folder, { recursive: true, force: true });
      return end.kind === "exited" ? { code: end.code, signal: null } : { code: null, signal: end.signal };
    });
    const pid = child.pid ?? 0;
    return {
      kind: "started",
      handle: {
        pid,
        pidStartedAt: (await processStartTime(pid)) ?? "",
        exited,
        write: (text) => {
          if (input?.writable !== true) return false;
          input.write(text);
          return true;
        },
        closeInput: () => void input?.end(),
        release: () => void input?.destroy(),
      },
    };
  },
});

interface PlainSpec {
  readonly run: ShellRun | BackgroundSpec;
  readonly folders: ShellFolders;
  readonly stdio: StdioOptions;
}

type PlainStart =
  | {
      readonly kind: "started";
      readonly child: ChildProcess;
      readonly folder: string;
      readonly cwdPath: string;
      readonly ended: Promise<ShellEnd>;
    }
  | { readonly kind: "spawn_failed"; readonly reason: string };

const spawnPlain = async (bash: string, { run, folders, stdio }: PlainSpec): Promise<PlainStart> => {
  if (run.terminal !== undefined)
    return { kind: "spawn_failed", reason: "there are no terminals for commands on this system; run it without pty" };
  const folder = await folders.make();
  const [scriptPath, cwdPath] = [join(folder, "script"), join(folder, "cwd")];
  const atExit: ScriptSpec["atExit"] =
    "exitPath" in run
      ? { kind: "note_code", path: forBash(run.exitPath) }
      : { kind: "note_directory", path: forBash(cwdPath) };
  await writeFile(scriptPath, renderScript({ command: run.command, exports: run.exports, atExit }), { mode: 0o600 });
  const child = spawn(bash, [...bashArguments(forBash(scriptPath), "interactive" in run && run.interactive === true)], {
    argv0: "bash",
    cwd: run.cwd,
    env: run.environment,
    // A group of its own; on Windows that would open a window, and the tree is found by parents there.
    detached: process.platform !== "win32",
    stdio,
    windowsHide: true,
  });
  const ended = new Promise<ShellEnd>((done) => {
    child.once("exit", (code, signal) =>
      done(signal === null ? { kind: "exited", code: code ?? 1 } : { kind: "signalled", signal }),
    );
  });
  const problem = await new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(error.message)).once("spawn", () => resolve(undefined));
  });
  if (problem === undefined) return { kind: "started", child, folder, cwdPath, ended };
  await rm(folder, { recursive: true, force: true });
  return { kind: "spawn_failed", reason: problem };
};

/** Git's bash takes a drive's path with slashes. */
const forBash = (path: string): string => (process.platform === "win32" ? path.replaceAll("\\", "/") : path);
