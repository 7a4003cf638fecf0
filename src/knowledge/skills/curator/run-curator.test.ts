import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../../testing/fake-clock.ts";
import { createTempHub, skillFiles, writeFiles, type TempHub } from "../../../testing/skill-hub.ts";
import { installSkill, withSkillsFolder } from "../hub/install-skill.ts";
import { readInstalled } from "../hub/installed-skills.ts";
import { prepareSkill } from "../hub/prepare-skill.ts";
import { restoreSkill } from "../hub/remove-skill.ts";
import { readUsage } from "../skill-usage.ts";
import { backupSkills, listBackups, pruneBackups } from "./backup.ts";
import { readCuratorState } from "./curator-state.ts";
import { rollbackSkills } from "./rollback.ts";
import { runCurator } from "./run-curator.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 11, 1, 9, 30);

const options = (hub: TempHub, isDryRun = false) => ({
  staleAfterDays: 30,
  archiveAfterDays: 90,
  keepBackups: 5,
  isDryRun,
  reports: join(hub.skills, "../logs/curator"),
});

/** Skills with the days since their last use; `agent` made those whose name says so. */
const homeWith = (hub: TempHub, days: Readonly<Record<string, number>>): void => {
  for (const name of Object.keys(days)) writeFiles(join(hub.skills, "office", name), skillFiles(name));
  const usage = Object.entries(days).map(([name, count]) => [
    name,
    {
      created_by: name.startsWith("agent") ? "agent" : null,
      last_used_at: new Date(NOW - count * DAY).toISOString(),
      pinned: name.endsWith("pinned"),
    },
  ]);
  writeFileSync(join(hub.skills, ".usage.json"), JSON.stringify(Object.fromEntries(usage)));
};

/** Everything below the skills folder but what a rollback leaves alone. */
const picture = (skills: string): Readonly<Record<string, string>> => {
  const paths = readdirSync(skills, { recursive: true, encoding: "utf8" }).toSorted();
  const kept = paths.filter(
    (path) => !/^(?:\.curator_backups|\.curator_state$|\.hub(?:$|\/(?!lock\.json)))/u.test(path),
  );
  return Object.fromEntries(
    kept.map((path) => {
      const info = lstatSync(join(skills, path));
      // Whoever writes it makes it the owner's alone.
      if (path === ".hub/lock.json") return [path, readFileSync(join(skills, path), "utf8")];
      const mode = (info.mode & 0o7777).toString(8);
      if (info.isSymbolicLink()) return [path, `link ${readlinkSync(join(skills, path))}`];
      if (info.isDirectory()) return [path, `folder ${mode}`];
      return [path, `${mode} ${Math.floor(info.mtimeMs / 1000)} ${readFileSync(join(skills, path)).toString("hex")}`];
    }),
  );
};

const hubAt = (now = NOW): TempHub => createTempHub(createFakeClock({ now }));

test("old skills of the agent are archived or marked, the others stay; backup, report and state say so", async () => {
  await using hub = hubAt();
  homeWith(hub, { "agent-new": 1, "agent-stale": 40, "agent-old": 100, "agent-pinned": 400, mine: 400 });
  const dry = await runCurator(hub.deps, options(hub, true));
  expect(dry.results.map(({ name, kind, outcome }) => [name, kind, outcome])).toEqual([
    ["agent-old", "archive", "planned"],
    ["agent-stale", "mark_stale", "planned"],
  ]);
  expect([await listBackups(hub.skills), (await readCuratorState(hub.skills)).run_count]).toEqual([[], 0]);

  const report = await runCurator(hub.deps, options(hub));
  expect(readdirSync(join(hub.skills, "office")).toSorted()).toEqual([
    "agent-new",
    "agent-pinned",
    "agent-stale",
    "mine",
  ]);
  expect(readdirSync(join(hub.skills, ".archive"))).toContain("agent-old");
  const usage = await readUsage(hub.skills);
  expect([usage.get("agent-old")?.state, usage.get("agent-stale")?.state]).toEqual(["archived", "stale"]);
  expect(await readCuratorState(hub.skills)).toMatchObject({
    run_count: 1,
    last_run_at: new Date(NOW).toISOString(),
    last_run_summary: "1 archived, 1 marked stale",
  });
  expect(JSON.parse(readFileSync(join(report.folder ?? "", "run.json"), "utf8"))).toMatchObject({
    results: [{ name: "agent-old" }, {}],
  });
  const text = readFileSync(join(report.folder ?? "", "REPORT.md"), "utf8");
  expect(text).toContain(
    "agent-old: archived, not used for 100 days; `hermes skills restore agent-old` brings it back",
  );
  expect(text).toContain("mine: not made by the agent");

  // What came back is not archived by the next run, though nobody has used it since.
  await restoreSkill(hub.deps, "agent-old");
  const second = await runCurator(hub.deps, options(hub));
  expect(second.results).toEqual([]);
  expect(existsSync(join(hub.skills, "office/agent-old/SKILL.md"))).toBe(true);
});

test("an installed skill is left alone, even under a name that the agent once used", async () => {
  await using hub = hubAt();
  writeFileSync(
    join(hub.skills, ".usage.json"),
    JSON.stringify({ tide: { created_by: "agent", created_at: "2020-01-01T00:00:00Z" } }),
  );
  writeFiles(join(hub.sources, "tide"), skillFiles("tide"));
  await using candidate = await prepareSkill(
    hub.deps,
    { source: { kind: "folder", path: join(hub.sources, "tide") } },
    new AbortController().signal,
  );
  await installSkill(hub.deps, candidate, { replace: false });
  expect((await runCurator(hub.deps, options(hub))).kept).toEqual([{ name: "tide", because: "not_made_by_agent" }]);
});

test("a link to a folder elsewhere is never archived", async () => {
  await using hub = hubAt();
  writeFiles(join(hub.sources, "agent-far"), skillFiles("agent-far"));
  symlinkSync(join(hub.sources, "agent-far"), join(hub.skills, "agent-far"));
  writeFileSync(
    join(hub.skills, ".usage.json"),
    JSON.stringify({ "agent-far": { created_by: "agent", created_at: "2020-01-01T00:00:00Z" } }),
  );
  expect((await runCurator(hub.deps, options(hub))).results).toEqual([]);
  expect(existsSync(join(hub.sources, "agent-far/SKILL.md"))).toBe(true);
});

test("nothing is changed when the backup cannot be written", async () => {
  await using hub = hubAt();
  homeWith(hub, { "agent-old": 100 });
  writeFileSync(join(hub.skills, ".curator_backups"), "in the way");
  await expect(runCurator(hub.deps, options(hub))).rejects.toMatchObject({ code: "curator.backup_failed" });
  expect(existsSync(join(hub.skills, "office/agent-old"))).toBe(true);
});

describe("backups", () => {
  const rich = (hub: TempHub): void => {
    homeWith(hub, { "agent-a": 1, b: 2 });
    writeFiles(hub.skills, {
      ".hub/lock.json": '{"version":1,"installed":{}}\n',
      [`office/b/references/${"long-name-".repeat(9)}/ünïcode ${"x".repeat(60)}.md`]: "äöü\u0000bytes",
      "office/b/empty.txt": "",
    });
    mkdirSync(join(hub.skills, "office/b/assets"), { mode: 0o750 });
    writeFileSync(join(hub.skills, "office/b/run.sh"), "#!/bin/sh\n");
    chmodSync(join(hub.skills, "office/b/run.sh"), 0o755);
    symlinkSync("run.sh", join(hub.skills, "office/b/link"));
  };

  test("the machine's own tar unpacks a backup to what was there", async () => {
    await using hub = hubAt();
    rich(hub);
    const before = picture(hub.skills);
    const backup = await backupSkills(hub.skills, { reason: "test", now: NOW });
    expect(backup).toMatchObject({ id: "2026-12-01T09-30-00Z", reason: "test" });
    const out = join(hub.sources, "out");
    mkdirSync(out);
    execFileSync("tar", ["-xzpf", backup.file, "-C", out]);
    expect(picture(out)).toEqual(before);
  });

  test("a rollback brings every byte back, and can itself be taken back", async () => {
    await using hub = hubAt();
    rich(hub);
    const before = picture(hub.skills);
    const backup = await backupSkills(hub.skills, { reason: "test", now: NOW });
    renameSync(join(hub.skills, "office/b"), join(hub.skills, "moved"));
    writeFiles(hub.skills, {
      "new/SKILL.md": skillFiles("new")["SKILL.md"]!,
      ".hub/lock.json": '{"version":1,"installed":{},"x":1}\n',
    });
    writeFileSync(join(hub.skills, ".curator_state"), '{"paused":true}');
    const after = picture(hub.skills);

    const back = await rollbackSkills(hub.deps, { id: backup.id, keep: 5 });
    expect(picture(hub.skills)).toEqual(before);
    // The curator's own dates stay, or it would do the same at once.
    expect(await readCuratorState(hub.skills)).toMatchObject({ paused: true });
    await rollbackSkills(hub.deps, { id: back.before.id, keep: 5 });
    expect(picture(hub.skills)).toEqual(after);
    expect(readdirSync(hub.deps.places.quarantine)).toEqual([]);
  });

  test("an exchange that was killed half way is completed by the next command", async () => {
    await using hub = hubAt();
    homeWith(hub, { a: 1, b: 1 });
    const room = join(hub.deps.places.quarantine, `abc-${process.pid}-00000000-0123abcd`);
    writeFiles(room, {
      "skill/office/c/SKILL.md": skillFiles("c")["SKILL.md"]!,
      "swap.json": JSON.stringify({
        outgoing: ["office", ".usage.json"],
        incoming: ["office"],
        lockFile: '{"version":1}',
      }),
    });
    mkdirSync(join(room, "present"));
    // The first of two had been moved away.
    renameSync(join(hub.skills, ".usage.json"), join(room, "present/.usage.json"));
    await withSkillsFolder(hub.deps, "next", async () => undefined);
    expect(readdirSync(join(hub.skills, "office"))).toEqual(["c"]);
    expect(existsSync(join(hub.skills, ".usage.json"))).toBe(false);
    expect(readFileSync(hub.deps.places.lockFile, "utf8")).toBe('{"version":1}');
    expect(await readInstalled(hub.deps.places)).toEqual([]);
    expect(existsSync(room)).toBe(false);
  });

  test("the newest are kept, two of one second do not meet, and an unfinished one is no backup", async () => {
    await using hub = hubAt();
    homeWith(hub, { a: 1 });
    const ids: string[] = [];
    for (const now of [NOW, NOW, NOW + 1000, NOW + 2000])
      ids.push((await backupSkills(hub.skills, { reason: "", now })).id);
    mkdirSync(join(hub.skills, ".curator_backups/.unfinished-x"));
    expect((await listBackups(hub.skills)).map(({ id }) => id)).toEqual(ids.toReversed().toSorted().reverse());
    expect(await pruneBackups(hub.skills, 2)).toHaveLength(2);
    expect((await listBackups(hub.skills)).map(({ id }) => id)).toEqual([ids[3], ids[2]]);
  });

  test("a damaged backup, an unknown one, or none is refused with nothing changed", async () => {
    await using hub = hubAt();
    homeWith(hub, { a: 1 });
    await expect(rollbackSkills(hub.deps, { id: undefined, keep: 5 })).rejects.toMatchObject({
      code: "curator.no_backups",
    });
    const backup = await backupSkills(hub.skills, { reason: "", now: NOW });
    await expect(rollbackSkills(hub.deps, { id: "x", keep: 5 })).rejects.toMatchObject({
      code: "curator.unknown_backup",
    });
    writeFileSync(backup.file, readFileSync(backup.file).subarray(0, 100));
    const before = picture(hub.skills);
    await expect(rollbackSkills(hub.deps, { id: backup.id, keep: 5 })).rejects.toMatchObject({
      code: "curator.broken_backup",
    });
    expect(picture(hub.skills)).toEqual(before);
  });
});
