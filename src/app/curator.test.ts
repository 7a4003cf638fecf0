import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tryProcessLock } from "../base/process-lock.ts";
import { readCuratorState } from "../knowledge/skills/curator/curator-state.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { skillFiles, writeFiles } from "../testing/skill-hub.ts";
import { createTempApp } from "../testing/temp-app.ts";
import { curateAfterChat } from "./curator.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 11, 1);
const usage = (usedAt: number): string =>
  JSON.stringify({
    old: { created_by: "agent", last_used_at: "2020-01-01T00:00:00Z" },
    other: { last_used_at: new Date(usedAt).toISOString() },
  });

const prepare = (home: string): void =>
  writeFiles(join(home, "skills"), { "old/SKILL.md": skillFiles("old")["SKILL.md"] ?? "", ".usage.json": usage(0) });

test("the first look only notes the date; a run comes an interval later, and tells what it did", async () => {
  const clock = createFakeClock({ now: NOW });
  await using temp = createTempApp({ clock, prepare });
  const { app } = temp;
  const isThere = (): boolean => existsSync(join(app.paths.skills, "old"));
  expect(await curateAfterChat(app)).toBeUndefined();
  expect(await readCuratorState(app.paths.skills)).toMatchObject({
    last_run_at: new Date(NOW).toISOString(),
    run_count: 0,
  });
  await clock.advance(168 * HOUR - 1);
  expect([await curateAfterChat(app), isThere()]).toEqual([undefined, true]);
  await clock.advance(1);
  expect(await curateAfterChat(app)).toContain("Skills: 1 archived");
  expect(isThere()).toBe(false);
  expect(await curateAfterChat(app)).toBeUndefined();
});

test("it waits while skills are in use, while it is paused or off, and while another process changes skills", async () => {
  const clock = createFakeClock({ now: NOW });
  await using temp = createTempApp({ clock, prepare });
  const { app } = temp;
  await curateAfterChat(app);
  await clock.advance(168 * HOUR);
  const state = join(app.paths.skills, ".curator_state");
  const before = readFileSync(state, "utf8");
  writeFiles(app.paths.skills, { ".usage.json": usage(clock.now() - HOUR) });
  expect(await curateAfterChat(app)).toBeUndefined();
  writeFiles(app.paths.skills, {
    ".usage.json": usage(0),
    ".curator_state": before.replace('"paused": false', '"paused": true'),
  });
  expect(await curateAfterChat(app)).toBeUndefined();
  writeFiles(app.paths.skills, { ".curator_state": before });
  const lock = tryProcessLock({ directory: app.paths.locks, name: "skills" });
  expect(await curateAfterChat(app)).toBeUndefined();
  lock?.release();
  expect(existsSync(join(app.paths.skills, "old"))).toBe(true);
  expect(await curateAfterChat(app)).toContain("1 archived");
});

test("switched off it does not even note the date; a home without skills stays as it is; failures are only logged", async () => {
  await using off = createTempApp({ config: "curator:\n  enabled: false\n", prepare });
  expect(await curateAfterChat(off.app)).toBeUndefined();
  expect(existsSync(join(off.app.paths.skills, ".curator_state"))).toBe(false);
  await using empty = createTempApp();
  expect(await curateAfterChat(empty.app)).toBeUndefined();
  expect(existsSync(empty.app.paths.skills)).toBe(false);
  await using broken = createTempApp({ config: "curator:\n  interval_hours: soon\n", prepare });
  expect(await curateAfterChat(broken.app)).toBeUndefined();
});

test("the settings of merging skills with a model are refused as not built", async () => {
  await using temp = createTempApp({ config: "auxiliary:\n  curator:\n    model: x\n" });
  expect(temp.app.config.problems).toContainEqual(expect.objectContaining({ code: "config.not_in_this_version" }));
});
