import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import {
  createExecRig,
  eventually,
  pidsWithArgument,
  runInShell,
  TEST_SESSION,
  uniqueSleep,
} from "../../../testing/exec-rig.ts";
import type { ExecRig } from "../../../testing/exec-rig.ts";
import { createTempDirectory } from "../../../testing/temp-home.ts";

const signal = new AbortController().signal;

/** Every private folder is gone. */
const expectNoFiles = (rig: ExecRig): void => {
  const own = rig.outputDirectory.replace(/\/output$/, "");
  expect(readdirSync(own).filter((name) => name.startsWith("hermes-sh-"))).toEqual([]);
};

test("without named pipes commands run, their ends are told, and the directory lasts (nothing else does)", async () => {
  await using temp = createTempDirectory();
  await using rig = createExecRig({ directory: temp.path, plainFiles: true });
  const first = await runInShell(rig, "A=1; echo out; echo err >&2; mkdir 'a b'; cd 'a b'; exit 3");
  expect(first.output.split("\n").sort()).toEqual(["", "err", "out"]);
  expect(first.report.outcome).toEqual({ kind: "exited", code: 3 });
  expect((await runInShell(rig, "echo [$A] ${PWD##*/}; cat; echo $LINENO")).output).toBe("[] a b\n1\n");
  expect((await runInShell(rig, "echo 'open")).report.outcome).toEqual({ kind: "exited", code: 2 });
  expectNoFiles(rig);
});

test.skipIf(process.platform !== "linux")("B46, and a timeout, as with named pipes", async () => {
  await using temp = createTempDirectory();
  await using rig = createExecRig({ directory: temp.path, plainFiles: true });
  const sleep = uniqueSleep();
  onTestFinished(() => {
    for (const pid of pidsWithArgument(sleep.seconds)) process.kill(pid, "SIGKILL");
  });
  expect((await runInShell(rig, `${sleep.command} & echo up`)).output).toBe("up\n");
  expect(pidsWithArgument(sleep.seconds)).toHaveLength(1);
  const { output, report } = await runInShell(rig, `echo so far; sleep 3600`, { timeoutMs: 700 });
  expect(output).toBe("so far\n");
  expect(report.outcome).toMatchObject({ kind: "timed_out", survivors: [] });
  expectNoFiles(rig);
});

test("background processes are written to, read, and their code is noted", async () => {
  await using temp = createTempDirectory();
  await using rig = createExecRig({ directory: temp.path, plainFiles: true });
  const launch = await rig.shells.of(TEST_SESSION).launchPoint({}, signal);
  const started = await rig.processes.start({
    session: TEST_SESSION,
    command: "read x; echo got $x; exit 4",
    launch,
    notifyOnComplete: false,
    watchPatterns: [],
  });
  if (started.kind !== "started") throw new Error(started.because);
  const { id, outputPath } = started.process;
  expect(rig.processes.write(id, "it\n")).toBe(true);
  expect(await rig.processes.wait(id, 60_000, signal)).toMatchObject({ kind: "exited", code: 4 });
  expect((await rig.processes.readNew(id)).text).toBe("got it\n");
  expect(readFileSync(outputPath.replace(".log", ".exit"), "utf8")).toBe("4");
  await eventually("its folder is removed", () =>
    readdirSync(`${temp.path}/.rig`).every((name) => !name.startsWith("hermes-sh-")),
  );
});

test("start-up files, whose state could not be kept, are not read, and listed ones said", async () => {
  await using temp = createTempDirectory();
  writeFileSync(`${temp.path}/.bashrc`, "export READ=1\n");
  await using quiet = createExecRig({ directory: temp.path, plainFiles: true, shell: { sourceBashrc: true } });
  expect(await runInShell(quiet, "echo [$READ]")).toMatchObject({ output: "[]\n", report: { notes: [] } });
  await using told = createExecRig({ directory: temp.path, plainFiles: true, shell: { initFiles: ["~/.bashrc"] } });
  expect((await runInShell(told, "true")).report.notes).toEqual(["shell_init_files are not read on this system"]);
});

test("a terminal is refused with the reason, and so is a program that is not there", async () => {
  await using temp = createTempDirectory();
  await using rig = createExecRig({ directory: temp.path, plainFiles: true });
  const { report } = await runInShell(rig, "tty", { terminal: true });
  expect(report.outcome).toEqual({
    kind: "spawn_failed",
    reason: "there are no terminals for commands on this system; run it without pty",
  });
  const missing = await rig.backend.run(
    { command: "true", cwd: "/no/such/folder", environment: {}, exports: {}, save: "cwd" },
    { signal, timeoutMs: 1_000, onOutput: () => undefined },
  );
  expect(missing.outcome).toMatchObject({ kind: "spawn_failed" });
  expectNoFiles(rig);
});
