import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tryProcessLock } from "../../base/process-lock.ts";
import { libraryIn } from "../../testing/skill-process.ts";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { createUsageRecorder, readUsage, updateUsage } from "./skill-usage.ts";

const rig = () => {
  const temp = createTempDirectory();
  const library = libraryIn(temp.path);
  mkdirSync(library.roots.home);
  const file = join(library.roots.home, ".usage.json");
  return { library, file, home: library.roots.home, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
};

test("uses are counted; what another process and another version wrote stays", async () => {
  await using temp = rig();
  writeFileSync(
    temp.file,
    JSON.stringify({ old: { use_count: 3, pinned: true, theirs: "x" }, odd: "no record", bad: { use_count: "many" } }),
  );
  const one = createUsageRecorder(temp.library, () => undefined);
  const two = createUsageRecorder(temp.library, () => undefined);
  for (let count = 0; count < 10; count += 1) {
    one.record("old", "use");
    two.record("new", "view");
  }
  await Promise.all([one.settled(), two.settled()]);
  const table = await readUsage(temp.home);
  expect(table.get("old")).toMatchObject({
    use_count: 13,
    pinned: true,
    theirs: "x",
    last_used_at: expect.stringMatching(/Z$/u),
  });
  expect(table.get("new")).toMatchObject({ view_count: 10, use_count: 0, state: "active" });
  expect(table.get("bad")).toMatchObject({ use_count: 0 });
});

test("a table that is broken is an empty one, and a record can be taken out", async () => {
  await using temp = rig();
  writeFileSync(temp.file, "{ half");
  expect((await readUsage(temp.home)).size).toBe(0);
  const recorder = createUsageRecorder(temp.library, () => undefined);
  recorder.record("a", "create");
  await recorder.settled();
  expect((await readUsage(temp.home)).get("a")).toMatchObject({ created_by: "agent" });
  await updateUsage(temp.library, () => new Map([["a", undefined]]));
  expect(JSON.parse(readFileSync(temp.file, "utf8"))).toEqual({});
});

test("counting does not wait for a busy table, and a failure is told, not thrown", async () => {
  await using temp = rig();
  const failures: unknown[] = [];
  const lock = tryProcessLock({ directory: temp.library.locks, name: "skills-usage" });
  const recorder = createUsageRecorder(temp.library, (error) => void failures.push(error));
  recorder.record("a", "use");
  expect((await readUsage(temp.home)).size).toBe(0);
  lock?.release();
  await recorder.settled();
  expect((await readUsage(temp.home)).get("a")).toMatchObject({ use_count: 1 });
  const broken = { ...temp.library, locks: join(temp.file, "none") };
  const failing = createUsageRecorder(broken, (error) => void failures.push(error));
  failing.record("a", "use");
  await failing.settled();
  expect(failures).toHaveLength(1);
});
