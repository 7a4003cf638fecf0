import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import type { ProcessId, SessionId } from "../../../base/ids.ts";
import { parseId } from "../../../base/ids.ts";
import { processStartTime } from "../../../base/process-tree.ts";
import { redactText } from "../../../base/redact/redact-text.ts";
import type { ProcessRecord } from "../../../store/store.ts";
import {
  createExecRig,
  createMemoryProcessStore,
  eventually,
  openDescriptors,
  pidsWithArgument,
  runInShell,
  TEST_SESSION,
  uniqueSleep,
} from "../../../testing/exec-rig.ts";
import type { ExecRig } from "../../../testing/exec-rig.ts";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import type { ProcessView } from "./background-process.ts";
import { trimOutput } from "./process-output.ts";
import type { StartRequest } from "./process-registry.ts";

const onLinux = process.platform === "linux";
const signal = new AbortController().signal;

const start = async (rig: ExecRig, command: string, more: Partial<StartRequest> = {}): Promise<ProcessView> => {
  const launch = await rig.shells.of(TEST_SESSION).launchPoint({}, signal);
  const started = await rig.processes.start({
    session: TEST_SESSION,
    command,
    launch,
    notifyOnComplete: false,
    watchPatterns: [],
    ...more,
  });
  if (started.kind !== "started") throw new Error(started.because);
  return started.process;
};

const stateOf = async (rig: ExecRig, id: ProcessId): Promise<ProcessRecord["state"] | undefined> =>
  (await rig.processes.list()).find((process) => process.id === id)?.state;

describe("background processes", () => {
  test("one starts from the shell's state, its output is read piece by piece, and its end is stored", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "mkfifo go; f() { echo in f; }; export A=1");
    const { id, outputPath } = await start(rig, "f; echo $A $HERMES_SESSION_ID >&2; read < go; echo rest; exit 3");
    await eventually("it has begun", async () => readFileSync(outputPath, "utf8").includes(TEST_SESSION));
    expect((await rig.processes.readNew(id)).text).toBe(`in f\n1 ${TEST_SESSION}\n`);
    expect((await rig.processes.readNew(id)).text).toBe("");
    expect(await stateOf(rig, id)).toEqual({ kind: "running" });
    expect(rig.processes.running()).toBe(1);
    writeFileSync(`${temp.path}/go`, "\n");
    expect(await rig.processes.wait(id, 60_000, signal)).toMatchObject({ kind: "exited", code: 3, signal: null });
    expect((await rig.processes.readNew(id)).text).toBe("rest\n");
    await eventually("its end is stored", async () => (await rig.store.get(id))?.state.kind === "exited");
    expect(statSync(outputPath).mode & 0o777).toBe(0o600);
    expect(rig.processes.running()).toBe(0);
  });

  test("lines are read by number or from the end", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { id } = await start(
      rig,
      "printf '0%%\\r50%%\\r100%%\\n'; for i in 2 3 4 5; do echo line $i; done; printf six",
    );
    await rig.processes.wait(id, 60_000, signal);
    expect(await rig.processes.readLines(id, { offset: 1, limit: 2 })).toEqual({ lines: ["100%", "line 2"], first: 1 });
    expect(await rig.processes.readLines(id, { offset: 5, limit: 9 })).toEqual({ lines: ["line 5", "six"], first: 5 });
    expect(await rig.processes.readLines(id, { offset: undefined, limit: 2 })).toEqual({
      lines: ["line 5", "six"],
      first: undefined,
    });
    expect(await rig.processes.readLines(id, { offset: 99, limit: 2 })).toEqual({ lines: [], first: 99 });
  });

  test("it is written to, and ends when its input is closed", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { id } = await start(rig, "while read line; do echo got $line; done; echo over");
    expect(rig.processes.write(id, "one\ntw")).toBe(true);
    expect(rig.processes.pendingInput(id)).toBe("tw");
    expect(rig.processes.write(id, "o\n")).toBe(true);
    expect(rig.processes.pendingInput(id)).toBe("");
    expect(rig.processes.closeInput(id)).toBe(true);
    expect(rig.processes.write(id, "x")).toBe(false);
    await rig.processes.wait(id, 60_000, signal);
    expect((await rig.processes.readNew(id)).text).toBe("got one\ngot two\nover\n");
    expect(rig.processes.closeInput(id)).toBe(false);
  });

  test("on a terminal it is typed to", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { id, terminal } = await start(rig, "stty -echo; tty; read line; echo got $line; cat", {
      terminal: { columns: 80, rows: 24 },
    });
    expect(terminal).toBe(true);
    let seen = "";
    await eventually("it has a terminal", async () =>
      (seen += (await rig.processes.readNew(id)).text).startsWith("/dev/"),
    );
    rig.processes.write(id, "hello\r");
    await eventually("it answers", async () =>
      (seen += (await rig.processes.readNew(id)).text).includes("got hello\n"),
    );
    rig.processes.closeInput(id);
    expect(await rig.processes.wait(id, 60_000, signal)).toMatchObject({ kind: "exited", code: 0 });
  });

  test.skipIf(!onLinux)("kill ends everything that it started; a wait ends with its time or its signal", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const sleep = uniqueSleep();
    const { id } = await start(rig, `trap '' TERM; setsid ${sleep.command} & ${sleep.command}; :`);
    await eventually("both sleep", () => pidsWithArgument(sleep.seconds).length === 2);
    expect(await rig.processes.wait(id, 20, signal)).toEqual({ kind: "running" });
    expect(await rig.processes.wait(id, 60_000, AbortSignal.abort())).toEqual({ kind: "running" });
    expect(await rig.processes.kill(id)).toMatchObject({ kind: "exited", code: null, signal: "SIGKILL" });
    expect(pidsWithArgument(sleep.seconds)).toEqual([]);
    expect(await rig.processes.kill(id)).toMatchObject({ kind: "exited" });
  });

  test("all of one session are ended, others left", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const mine = await start(rig, "sleep 3600");
    const other = await start(rig, "sleep 3600", { session: "other" as SessionId });
    expect(await rig.processes.killAll(TEST_SESSION)).toBe(1);
    expect((await stateOf(rig, mine.id))?.kind).toBe("exited");
    expect(await stateOf(rig, other.id)).toEqual({ kind: "running" });
    expect(await rig.processes.killAll()).toBe(1);
  });

  test.skipIf(!onLinux)("nothing of an ended one stays open", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "true");
    const before = openDescriptors();
    for (const more of [{}, { terminal: { columns: 80, rows: 24 } }]) {
      const { id } = await start(rig, "echo x", more);
      await rig.processes.wait(id, 60_000, signal);
    }
    await eventually("descriptors are closed", () => openDescriptors() <= before);
  });

  test("one that cannot be started is refused with the reason", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const launch = { ...(await rig.shells.of(TEST_SESSION).launchPoint({}, signal)), cwd: "/no/such/folder" };
    const started = await rig.processes.start({
      session: TEST_SESSION,
      command: "true",
      launch,
      notifyOnComplete: false,
      watchPatterns: [],
    });
    expect(started).toMatchObject({ kind: "refused", because: expect.stringContaining("ENOENT") });
    expect(await rig.processes.list()).toEqual([]);
  });
});

describe("names", () => {
  test("an id may be shortened at either end, written without its prefix, or be the pid", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { id, pid } = await start(rig, "sleep 3600");
    for (const name of [id, ` ${id} `, id.slice(0, -3), id.slice("proc_".length), id.slice(-6), String(pid)]) {
      expect(await rig.processes.find(name)).toMatchObject({ kind: "found", process: { id } });
    }
    for (const name of ["", "zzz", "proc_zz"]) expect(await rig.processes.find(name)).toEqual({ kind: "none" });
    const second = await start(rig, "sleep 3600");
    expect(await rig.processes.find("proc_")).toEqual({ kind: "ambiguous", candidates: [id, second.id] });
    expect((await rig.processes.list()).map((process) => process.id)).toEqual([second.id, id]);
  });
});

describe("events", () => {
  test("an end and lines with a pattern are reported, in order, to whoever reads", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await start(rig, "echo quiet");
    const { id } = await start(rig, "echo starting; echo listening on 80; printf 'last ERROR'; exit 2", {
      notifyOnComplete: true,
      watchPatterns: ["listening", "ERROR"],
    });
    const about = { id, session: TEST_SESSION };
    const read: unknown[] = [];
    for await (const event of rig.processes.events) {
      read.push(event);
      if (event.type === "exited") break;
    }
    expect(read).toMatchObject([
      { ...about, type: "matched", pattern: "listening", line: "listening on 80", suppressed: 0 },
      { ...about, type: "matched", pattern: "ERROR", line: "last ERROR" },
      { ...about, type: "exited", code: 2, signal: null, tail: "starting\nlistening on 80\nlast ERROR" },
    ]);
  });

  test("a process that matches all the time is reported at a bounded rate", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { id } = await start(rig, "for i in {1..500}; do echo hit $i; done", {
      watchPatterns: ["hit"],
      notifyOnComplete: true,
    });
    let hits = 0;
    for await (const event of rig.processes.events) {
      if (event.type === "exited") break;
      hits += 1;
    }
    expect(hits).toBe(8);
    expect((await rig.processes.readLines(id, { offset: undefined, limit: 1 })).lines).toEqual(["hit 500"]);
  });
});

describe("bounds", () => {
  test("of much new output the newest 200 KiB are read, and how much was passed over is told", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { id } = await start(rig, "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end");
    await rig.processes.wait(id, 60_000, signal);
    const piece = await rig.processes.readNew(id);
    expect(piece.text).toHaveLength(200 * 1024);
    expect(piece.text.endsWith("x\nend\n")).toBe(true);
    expect(piece.skipped).toBe(1_000_005 - 200 * 1024);
  });

  test("an output file over 50 MiB is cut to its newest part; smaller ones are left alone", async () => {
    await using temp = createTempDirectory();
    const path = `${temp.path}/x.log`;
    writeFileSync(path, "small");
    expect(await trimOutput(path)).toBe(0);
    writeFileSync(path, Buffer.alloc(50 * 1024 * 1024, "x"));
    appendFileSync(path, "newest");
    expect(await trimOutput(path)).toBe(50 * 1024 * 1024 + 6 - 200 * 1024);
    expect(statSync(path).size).toBe(200 * 1024);
    expect(readFileSync(path, "utf8").endsWith("xnewest")).toBe(true);
  });

  test("64 are followed; ended ones make room, running ones do not", async () => {
    await using temp = createTempDirectory();
    const store = createMemoryProcessStore();
    const started = (await processStartTime(process.pid)) ?? "";
    for (let at = 0; at < 63; at += 1)
      await store.put(
        record(`proc_r${String(at).padStart(2, "0")}`, {
          pid: process.pid,
          pidStartedAt: started,
          outputPath: temp.path,
        }),
      );
    const rig = createExecRig({ directory: temp.path, store });
    await rig.processes.reconcile();
    expect(rig.processes.running()).toBe(63);
    const { id } = await start(rig, "true");
    await rig.processes.wait(id, 60_000, signal);
    const last = await start(rig, "sleep 3600");
    expect(await rig.processes.find(id)).toEqual({ kind: "none" });
    await expect(start(rig, "true")).rejects.toThrow("64 background processes run already");
    await rig.processes.kill(last.id);
    await rig.processes.close();
    await rig.backend.close();
  });
});

const record = (id: string, more: Partial<ProcessRecord>): ProcessRecord => {
  const parsed = parseId("proc", id);
  if (parsed === undefined) throw new Error(id);
  return {
    id: parsed,
    session: TEST_SESSION,
    command: redactText("server"),
    cwd: "/",
    pid: 1,
    pidStartedAt: "never",
    startedAt: systemClock.now(),
    outputPath: "/nowhere.log",
    state: { kind: "running" },
    ...more,
  };
};

describe.skipIf(!onLinux)("over a restart", () => {
  /** A program of its own that starts a background process, prints its record, and stays. */
  const PROGRAM = `
    import { createExecRig, TEST_SESSION } from "${new URL("../../../testing/exec-rig.ts", import.meta.url).href}";
    const [directory, command] = process.argv.slice(2);
    const rig = createExecRig({ directory });
    const launch = await rig.shells.of(TEST_SESSION).launchPoint({}, new AbortController().signal);
    const started = await rig.processes.start({ session: TEST_SESSION, command, launch, notifyOnComplete: false, watchPatterns: ["x"] });
    console.log(JSON.stringify(await rig.store.get(started.process.id)));
    if (process.argv[4] === "close") { await rig.processes.close(); await rig.backend.close(); } else setInterval(() => {}, 1000);
  `;

  const runProgram = async (
    directory: string,
    command: string,
  ): Promise<{ record: ProcessRecord; kill: () => Promise<void> }> => {
    writeFileSync(`${directory}/program.mjs`, PROGRAM);
    const child = spawn(process.execPath, [`${directory}/program.mjs`, directory, command], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = await once(child.stdout, "data");
    return {
      record: JSON.parse(String(line)),
      kill: async () => {
        child.kill("SIGKILL");
        await once(child, "exit");
      },
    };
  };

  test("kill -9 of the program leaves the process alive; the next program lists, reads, waits for and ends it", async () => {
    await using temp = createTempDirectory();
    const sleep = uniqueSleep();
    const first = await runProgram(temp.path, `echo before; ${sleep.command} & wait`);
    await first.kill();
    await eventually("it does what it was told", () => pidsWithArgument(sleep.seconds).length === 1);

    const store = createMemoryProcessStore();
    await store.put(first.record);
    await using rig = createExecRig({ directory: temp.path, store });
    await rig.processes.reconcile();
    const { id } = first.record;
    expect(await rig.processes.list()).toMatchObject([{ id, state: { kind: "running" }, acceptsInput: false }]);
    expect((await rig.processes.readNew(id)).text).toBe("before\n");
    expect(rig.processes.write(id, "x")).toBe(false);
    expect(await rig.processes.wait(id, 20, signal)).toEqual({ kind: "running" });
    expect(await rig.processes.kill(id)).toMatchObject({ kind: "exited", code: null });
    expect(pidsWithArgument(sleep.seconds)).toEqual([]);
    expect((await store.get(id))?.state.kind).toBe("exited");
  });

  test("what ended meanwhile is known by its exit code, or lost if it was killed", async () => {
    await using temp = createTempDirectory();
    const done = await runProgram(temp.path, "read || exit 6");
    const killed = await runProgram(temp.path, "exec sleep 3600");
    await done.kill();
    await killed.kill();
    // Without the program its input is at its end.
    await eventually(
      "it notes its code",
      () => readFileSync(done.record.outputPath.replace(".log", ".exit"), "utf8") === "6",
    );
    process.kill(killed.record.pid, "SIGKILL");

    const store = createMemoryProcessStore();
    await store.put(done.record);
    await store.put(killed.record);
    await using rig = createExecRig({ directory: temp.path, store });
    const gone = async (): Promise<boolean> =>
      (await processStartTime(done.record.pid)) === undefined &&
      (await processStartTime(killed.record.pid)) === undefined;
    await eventually("both are gone", gone);
    await rig.processes.reconcile();
    expect(await stateOf(rig, done.record.id)).toMatchObject({ kind: "exited", code: 6 });
    expect(await stateOf(rig, killed.record.id)).toMatchObject({ kind: "lost" });
    expect((await store.get(killed.record.id))?.state.kind).toBe("lost");
  });

  test.each([
    ["exit 0", "0"],
    ["true", "0"],
    ["sleep 0; exit 4", "4"],
    ["set -e; false; true", "1"],
    ["trap 'echo bye' EXIT; (exit 5)", "5"],
    ["kill -TERM $$; sleep 3600", ""],
  ])("the code of `%s` is noted as '%s', for the owner alone", async (command, code) => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const { id, outputPath } = await start(rig, command);
    await rig.processes.wait(id, 60_000, signal);
    const path = outputPath.replace(".log", ".exit");
    expect(readFileSync(path, "utf8")).toBe(code);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("a pid that another process has now is not taken for it, and not ended", async () => {
    await using temp = createTempDirectory();
    const store = createMemoryProcessStore();
    const other = spawn("sleep", ["3600"]);
    onTestFinished(() => void other.kill("SIGKILL"));
    await once(other, "spawn");
    await store.put(record("proc_reused", { pid: other.pid ?? 0 }));
    await using rig = createExecRig({ directory: temp.path, store });
    await rig.processes.reconcile();
    const id = parseId("proc", "proc_reused")!;
    expect(await stateOf(rig, id)).toMatchObject({ kind: "lost" });
    await rig.processes.kill(id);
    expect(other.exitCode).toBeNull();
    expect(other.signalCode).toBeNull();
  });

  test("a program that closes ends though its process runs on", async () => {
    await using temp = createTempDirectory();
    const sleep = uniqueSleep();
    onTestFinished(() => {
      for (const pid of pidsWithArgument(sleep.seconds)) process.kill(pid, "SIGKILL");
    });
    writeFileSync(`${temp.path}/program.mjs`, PROGRAM);
    await promisify(execFile)(process.execPath, [
      `${temp.path}/program.mjs`,
      temp.path,
      `${sleep.command} & wait`,
      "close",
    ]);
    expect(pidsWithArgument(sleep.seconds)).toHaveLength(1);
  });
});
