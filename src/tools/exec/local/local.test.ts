import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { assert, asyncProperty, integer, string } from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import {
  createExecRig,
  eventually,
  openDescriptors,
  pidsWithArgument,
  runInShell,
  uniqueSleep,
} from "../../../testing/exec-rig.ts";
import { createLocalBackend } from "./local.ts";

const onLinux = process.platform === "linux";

/** Ends what a test left behind on purpose. */
const endLater = (argument: string): void =>
  onTestFinished(() => {
    for (const pid of pidsWithArgument(argument)) process.kill(pid, "SIGKILL");
  });

describe("output", () => {
  test("standard output and error come in their order, reopened or not", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { output, report } = await runInShell(
      rig,
      "echo 1; echo 2 >&2; echo 3 > /dev/stdout; echo 4 > /dev/stderr; echo 5 | tee /dev/stderr",
    );
    expect(output).toBe("1\n2\n3\n4\n5\n5\n");
    expect(report.outcome).toEqual({ kind: "exited", code: 0 });
  });

  test("B25: the bytes of a here-document are the argument's", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const body = 'head = f"Authorization: Bearer {tok}"\nMAX_TOKENS=4096\nsk_bulk = 3\n\ttab \\ "q" \'s\' $x `y` é\r\n';
    await runInShell(rig, `cat > out.txt <<'END'\n${body}END\n`);
    expect(readFileSync(`${temp.path}/out.txt`, "utf8")).toBe(body);
  });

  test("any text passes through a quoted word unchanged", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await assert(
      asyncProperty(string({ unit: "grapheme", maxLength: 200 }), async (text) => {
        const word = text.replaceAll("\0", "").replaceAll("'", `'\\''`);
        const { output } = await runInShell(rig, `printf %s '${word}'`);
        expect(output).toBe(text.replaceAll("\0", ""));
      }),
      { numRuns: 12, verbose: true },
    );
  });

  test("standard input is empty, and there is no terminal to ask on", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { output } = await runInShell(rig, "cat; read x; echo $?; (: < /dev/tty) 2>/dev/null || echo no tty");
    expect(output).toBe("1\nno tty\n");
  });

  test("what a process substitution prints after the shell's end is kept", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    expect((await runInShell(rig, "exec > >(sed s/a/b/) 2>&1; echo ah")).output).toBe("bh\n");
  });

  test("a terminal is there when asked for", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { output, report } = await runInShell(rig, "tty; stty size; echo $TERM; export KEPT=1; exit 7", {
      terminal: true,
    });
    expect(output).toMatch(/^\/dev\/\S+\r\n24 80\r\nxterm-256color\r\n$/);
    expect(report.outcome).toEqual({ kind: "exited", code: 7 });
    expect((await runInShell(rig, "echo $KEPT")).output).toBe("1\n");
  });
});

describe.skipIf(!onLinux)("B46: a child that keeps the pipe open", () => {
  const forms = {
    "a job": (sleep: string) => `${sleep} & echo up`,
    "a session of its own": (sleep: string) => `setsid ${sleep} </dev/null & disown; echo up`,
    "a subshell that would write later": (sleep: string) => `(${sleep}; echo late) & echo up`,
  };
  test.each(Object.entries(forms))("%s", async (_name, form) => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "true");
    const before = openDescriptors();
    const sleep = uniqueSleep();
    endLater(sleep.seconds);
    // The sleeper takes an hour: to come back at all is to come back at the shell's end.
    const { output, report } = await runInShell(rig, form(sleep.command));
    expect(output).toBe("up\n");
    expect(report.outcome).toEqual({ kind: "exited", code: 0 });
    expect(pidsWithArgument(sleep.seconds)).toHaveLength(1);
    expect(report.laterOutputPath).toBeDefined();
    await eventually("descriptors are closed", () => openDescriptors() === before);
  });

  test("what it writes later does not end it, and is kept outside of this program", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const sleep = uniqueSleep();
    endLater(sleep.seconds);
    const { report } = await runInShell(rig, `mkfifo go; (read < go; echo late; exec ${sleep.command}) & echo up`);
    const later = report.laterOutputPath ?? "";
    await runInShell(rig, "echo > go");
    await eventually(
      "the late line is in the file",
      () => existsSync(later) && readFileSync(later, "utf8") === "late\n",
    );
    await eventually("it lives on", () => pidsWithArgument(sleep.seconds).length === 1);
    expect(statSync(later).mode & 0o777).toBe(0o600);
  });
});

describe.skipIf(!onLinux)("ending a command", () => {
  /** Starts three generations that ignore SIGTERM, the last in a session of its own, and says when all are there. */
  const stubborn = (sleep: string): string =>
    `trap '' TERM; (trap '' TERM; setsid bash -c "trap '' TERM; ${sleep}; :" & ${sleep}; :) & ${sleep}; :`;

  test("a timeout ends the whole tree, grandchildren that ignore SIGTERM and sessions of their own included", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const sleep = uniqueSleep();
    endLater(sleep.seconds);
    const { output, report } = await runInShell(rig, `echo begun; ${stubborn(sleep.command)}`, { timeoutMs: 1_500 });
    expect(output).toBe("begun\n");
    expect(report.outcome).toEqual({ kind: "timed_out", afterMs: 1_500, survivors: [] });
    expect(pidsWithArgument(sleep.seconds)).toEqual([]);
  });

  test("an interrupt does the same, and what was printed is kept", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const sleep = uniqueSleep();
    endLater(sleep.seconds);
    const stop = new AbortController();
    const run = runInShell(rig, `echo begun; ${stubborn(sleep.command)}`, { signal: stop.signal });
    await eventually("all three sleep", () => pidsWithArgument(sleep.seconds).length === 3);
    stop.abort();
    const { output, report } = await run;
    expect(output).toBe("begun\n");
    expect(report.outcome).toEqual({ kind: "aborted", survivors: [] });
    expect(pidsWithArgument(sleep.seconds)).toEqual([]);
  });

  test("an interrupt at any moment leaves neither processes nor descriptors", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "true");
    const before = openDescriptors();
    const sleep = uniqueSleep();
    endLater(sleep.seconds);
    await assert(
      asyncProperty(integer({ min: 0, max: 60 }), async (delayMs) => {
        const stop = new AbortController();
        const run = runInShell(rig, `(${sleep.command}) & ${sleep.command}`, { signal: stop.signal });
        await systemClock.sleep(delayMs);
        stop.abort();
        expect((await run).report.outcome).toEqual({ kind: "aborted", survivors: [] });
        expect(pidsWithArgument(sleep.seconds)).toEqual([]);
      }),
      { numRuns: 8, verbose: true },
    );
    await eventually("descriptors are closed", () => openDescriptors() === before);
  });

  test("what an interrupted command left is not taken over: half a definition would fail every later command", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "kept=before");
    const sleep = uniqueSleep();
    endLater(sleep.seconds);
    const stop = new AbortController();
    const run = runInShell(rig, `kept=after; ${sleep.command}`, { signal: stop.signal });
    await eventually("the command runs", () => pidsWithArgument(sleep.seconds).length > 0);
    stop.abort();
    expect((await run).report.outcome.kind).toBe("aborted");
    const after = await runInShell(rig, "echo $kept");
    expect(after).toMatchObject({ output: "before\n", report: { outcome: { kind: "exited", code: 0 } } });
  });

  test("many commands at once leave one listener, and none when they have ended", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "true");
    const before = process.listenerCount("exit");
    const sleep = uniqueSleep();
    const stop = new AbortController();
    const runs = Array.from({ length: 12 }, () => runInShell(rig, sleep.command, { signal: stop.signal }));
    endLater(sleep.seconds);
    await eventually("all run", () => pidsWithArgument(sleep.seconds).length >= 12);
    expect(process.listenerCount("exit")).toBeLessThanOrEqual(before + 1);
    stop.abort();
    await Promise.all(runs);
    expect(process.listenerCount("exit")).toBeLessThanOrEqual(before);
  });

  test("a program that ends in a hurry takes the command with it that it waits for", async () => {
    await using temp = createTempDirectory();
    const sleep = uniqueSleep();
    endLater(sleep.seconds);
    const module = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `
      const { createLocalBackend } = await import(${module("local.ts")});
      const { systemClock } = await import(${module("../../../base/clock.ts")});
      const directory = ${JSON.stringify(temp.path)};
      const environment = { PATH: process.env.PATH };
      const backend = createLocalBackend({
        clock: systemClock, platform: process.platform, environment, temporaryDirectory: directory, outputDirectory: directory,
      });
      const command = "trap '' TERM INT HUP; echo up; ${sleep.command}; true";
      const run = { command, cwd: directory, environment, exports: {}, save: "cwd" };
      const onOutput = () => process.exit(3);
      await backend.run(run, { signal: new AbortController().signal, timeoutMs: 60_000, onOutput });
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
    const [code] = await once(child, "exit");
    expect(code).toBe(3);
    await eventually("the command is gone", () => pidsWithArgument(sleep.seconds).length === 0);
  });

  test("nothing is started once the signal has aborted", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { report } = await runInShell(rig, "touch made", { signal: AbortSignal.abort() });
    expect(report.outcome).toEqual({ kind: "aborted", survivors: [] });
    expect(existsSync(`${temp.path}/made`)).toBe(false);
  });

  test("a signal is told by name", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { report } = await runInShell(rig, "kill -SEGV $$");
    expect(report.outcome).toEqual({ kind: "signalled", signal: "SIGSEGV" });
  });

  test("terminals are hung up and their processes ended", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const sleep = uniqueSleep();
    endLater(sleep.seconds);
    const { report } = await runInShell(rig, stubborn(sleep.command), { terminal: true, timeoutMs: 1_500 });
    expect(report.outcome.kind).toBe("timed_out");
    expect(pidsWithArgument(sleep.seconds)).toEqual([]);
  });
});

describe.skipIf(!onLinux)("what a command can see", () => {
  test("no descriptor but its own three, and nothing of the state in its argument list", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "export LATER=visible-only-in-the-environment");
    const { output } = await runInShell(
      rig,
      "for fd in /proc/self/fd/*; do readlink $fd; done | grep -c hermes-sh; tr '\\0' ' ' < /proc/$$/cmdline; echo; env | grep -c LATER",
    );
    const [pipes, argv, inEnvironment] = output.split("\n");
    // Standard output goes to `grep` there: only standard error is the command's own.
    expect(pipes).toBe("1");
    expect(argv).not.toContain("LATER");
    expect(inEnvironment).toBe("1");
  });

  test("temporary pipes that a cleaner has removed are made anew", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "true");
    await runInShell(rig, `rm -rf ${temp.path}/.rig/hermes-sh-*`);
    expect((await runInShell(rig, "echo still")).output).toBe("still\n");
  });

  test("many commands at once do not disturb each other", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const runs = Array.from({ length: 12 }, (_, at) => runInShell(rig, `echo ${at}; exit ${at}`));
    for (const [at, { output, report }] of (await Promise.all(runs)).entries()) {
      expect(output).toBe(`${at}\n`);
      expect(report.outcome).toEqual({ kind: "exited", code: at });
    }
  });
});

test("without bash the reason and the fix are told", async () => {
  await using temp = createTempDirectory();
  const backend = createLocalBackend({
    clock: systemClock,
    platform: "win32",
    environment: {},
    temporaryDirectory: temp.path,
    outputDirectory: temp.path,
  });
  expect(backend.check()).toMatchObject({ kind: "unavailable", reason: "bash was not found" });
  const report = await backend.run(
    { command: "true", cwd: temp.path, environment: {}, exports: {}, save: "cwd" },
    { signal: new AbortController().signal, timeoutMs: 1_000, onOutput: () => undefined },
  );
  expect(report.outcome).toMatchObject({ kind: "spawn_failed" });
});
