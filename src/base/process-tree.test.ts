import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { PS_ARGUMENTS, parseLinuxStat, parsePsTable, parseWindowsTable, readProcess } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";
import { findMembers, isAlive, killTree, processStartTime } from "./process-tree.ts";

/** Starts a bash script in its own group; it prints one line of pids when it is ready. */
const startScript = async (script: string): Promise<{ child: ChildProcess; pids: number[] }> => {
  const child = spawn("bash", ["--norc", "-c", script], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  return { child, pids: String(line).trim().split(/\s+/).map(Number) };
};

const livingOf = async (pids: readonly number[]): Promise<number[]> => {
  const rows = await Promise.all(pids.map((pid) => readProcess(pid)));
  return rows.flatMap((row) => (row === undefined ? [] : [row.pid]));
};

test("start times tell a process from another one with its pid", async () => {
  const own = await processStartTime(process.pid);
  expect(own).toBeTypeOf("string");
  expect(await isAlive(process.pid, own!)).toBe(true);
  expect(await isAlive(process.pid, "another")).toBe(false);
  const child = spawn("true");
  await once(child, "close");
  expect(await processStartTime(child.pid!)).toBe(undefined);
});

test("a whole tree ends: children, a child in its own session, an orphan of the group, one that ignores SIGTERM", async () => {
  const { child, pids } = await startScript(`
    sleep 100 & a=$!
    setsid bash --norc -c 'sleep 100 & wait' & b=$!
    ( sleep 100 & echo $! >&3 ) 3>/dev/null
    bash --norc -c 'trap "" TERM; while :; do sleep 1; done' & d=$!
    until [ "$(ps -o sid= -p $b | tr -d " ")" = "$b" ] && [ -n "$(pgrep -P $b)" ]; do sleep 0.02; done
    echo $$ $a $b $(pgrep -P $b) $(pgrep -g $$ -x sleep) $d
    wait
  `);
  expect(pids.length).toBeGreaterThanOrEqual(7);
  expect(await livingOf(pids)).toEqual(pids);
  const outcome = await killTree(child.pid!, { clock: systemClock, graceMs: 200 });
  expect(outcome).toEqual({ survivors: [] });
  expect(await livingOf(pids)).toEqual([]);
});

test("a stopped process gets to run its SIGTERM handler", async () => {
  const { child } = await startScript(
    `trap 'echo bye; exit 7' TERM; echo $$; kill -STOP $$; while :; do sleep 0.05; done`,
  );
  const closed = once(child, "close");
  const said = once(child.stdout!, "data");
  await killTree(child.pid!, { clock: systemClock, graceMs: 10_000 });
  expect(String((await said)[0]).trim()).toBe("bye");
  expect((await closed)[0]).toBe(7);
});

test("what a dead root left in its group ends too; a reused pid is left alone", async () => {
  const { child, pids } = await startScript(`sleep 100 >/dev/null & echo $!; exit 0`);
  await once(child, "exit");
  expect(await livingOf(pids)).toEqual(pids);
  await killTree(child.pid!, { clock: systemClock, graceMs: 0 });
  expect(await livingOf(pids)).toEqual([]);

  const other = await startScript(`echo $$; sleep 100`);
  await killTree(other.child.pid!, { clock: systemClock, graceMs: 0, startTime: "earlier" });
  expect(await livingOf(other.pids)).toEqual(other.pids);
  await killTree(other.child.pid!, { clock: systemClock, graceMs: 0 });
  expect(await livingOf(other.pids)).toEqual([]);
});

test("membership follows parents, groups and sessions, and does not reach into the caller's own group", () => {
  const row = ([pid, parent, group, session]: readonly [number, number, number, number]): ProcessRow => ({
    pid,
    parent,
    group,
    session,
    startTime: `t${pid}`,
  });
  const table = [
    row([10, 1, 10, 10]), // the caller
    row([20, 10, 10, 10]), // root, in the caller's group
    row([21, 20, 21, 10]), // child with a group of its own
    row([22, 1, 21, 10]), // orphan in that group
    row([23, 22, 23, 23]), // its child in a new session
    row([24, 1, 99, 23]), // orphan in that session
    row([30, 10, 10, 10]), // the caller's other child
  ];
  const pidsOf = (known: ReadonlyMap<number, string | undefined>): number[] =>
    findMembers(table, known).map((member) => member.pid);
  expect(pidsOf(new Map([[20, undefined]]))).toEqual([20, 21, 22, 23, 24]);
  expect(pidsOf(new Map([[20, "other"]]))).toEqual([]);
  expect(
    pidsOf(
      new Map([
        [20, "other"],
        [21, "t21"],
      ]),
    ),
  ).toEqual([21, 22, 23, 24]);
});

test("/proc: names with spaces and parentheses do not shift the fields; zombies do not count", () => {
  const fields = "20 7 6 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000";
  const stat = `42 (a) (b c) S ${fields}`;
  expect(parseLinuxStat(stat, "0a1b2c3d-rest")).toEqual({
    pid: 42,
    parent: 20,
    group: 7,
    session: 6,
    startTime: "0a1b2c3d-987654",
  });
  expect(parseLinuxStat(`42 (x) Z ${fields}`, "b")).toBe(undefined);
  expect(parseLinuxStat("", "b")).toBe(undefined);
  if (process.platform !== "linux") return;
  expect(parseLinuxStat(readFileSync("/proc/self/stat", "utf8"), "b")?.pid).toBe(process.pid);
});

test("ps: columns with any padding; the real command's output has this process in it", () => {
  expect(
    parsePsTable("    1     0     1 Ss   Mon Dec  1 09:00:01 2026\n  77  1  77 Z+   Mon Dec  1 09:00:02 2026    \n\n"),
  ).toEqual([{ pid: 1, parent: 0, group: 1, session: 1, startTime: "Mon Dec  1 09:00:01 2026" }]);
  const rows = parsePsTable(execFileSync("ps", [...PS_ARGUMENTS], { encoding: "utf8", env: { LC_ALL: "C" } }));
  expect(rows.find((row) => row.pid === process.pid)?.parent).toBe(process.ppid);
});

test("Windows: a parent that is younger than its child is a reused pid", () => {
  const text = "4 0 134000000000000000\r\n100 4 134000000000000005\r\n200 100 134000000000000001\r\nnoise\r\n";
  expect(parseWindowsTable(text).map((row) => [row.pid, row.parent])).toEqual([
    [4, 0],
    [100, 4],
    [200, 0],
  ]);
});
