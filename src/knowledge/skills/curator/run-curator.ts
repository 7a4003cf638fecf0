import { join } from "node:path";
import { messageOf } from "../../../base/app-error.ts";
import { writeFileAtomic } from "../../../base/atomic-file.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { findSkills } from "../find-skills.ts";
import { readLockFile } from "../hub/lock-file.ts";
import { withSkillsFolder } from "../hub/install-skill.ts";
import type { HubDeps } from "../hub/prepare-skill.ts";
import { moveToArchive } from "../hub/remove-skill.ts";
import { noUsage, readUsage, updateUsage, type SkillUsage, type UsageTable } from "../skill-usage.ts";
import { realpath } from "node:fs/promises";
import { absent } from "../../../base/system-error.ts";
import { isInside } from "../../../base/is-inside.ts";
import { backupSkills, pruneBackups } from "./backup.ts";
import { planCuration, type CuratedSkill, type CuratorStep, type CuratorTimes } from "./curator-policy.ts";
import type { CuratorReport, CuratorResult } from "./curator-report.ts";
import { renderReport } from "./render-report.ts";
import { changeCuratorState, readCuratorState } from "./curator-state.ts";

/** How a run goes. */
export interface CuratorRunOptions extends CuratorTimes {
  /** Backups that are kept; undefined = none is made. */
  readonly keepBackups: number | undefined;
  /** Only says what would be done; nothing is changed, nor noted as a run. */
  readonly isDryRun: boolean;
  /** Where the report goes, `logs/curator`. */
  readonly reports: string;
}

/**
 * Marks and archives what is not used any more. One run at a time; a backup is made before the first change, and none is made where
 * nothing is to be done. Throws `curator.backup_failed` with nothing changed, `lock.busy`, `skills.broken_lock_file`.
 */
export const runCurator = async (deps: HubDeps, options: CuratorRunOptions): Promise<CuratorReport> =>
  await withSkillsFolder(deps, "keeping the skills in order", async () => {
    const { places, clock } = deps;
    const now = clock.now();
    const plan = planCuration(await curatedSkills(deps), options, now);
    const startedAt = new Date(now).toISOString();
    const shared = { startedAt, isDryRun: options.isDryRun, kept: plan.kept };
    if (options.isDryRun) {
      const results = plan.steps.map((step) => ({ ...step, outcome: "planned" as const, detail: undefined }));
      return { ...shared, results, backup: undefined, folder: undefined };
    }
    const isBackedUp = plan.steps.length > 0 && options.keepBackups !== undefined;
    const backup = isBackedUp ? await backupSkills(places.skills, { reason: "before a curator run", now }) : undefined;
    if (options.keepBackups !== undefined) await pruneBackups(places.skills, options.keepBackups);
    const results = await carryOut(deps, plan.steps);
    const report = { ...shared, results, backup };
    const folder = await writeReport(options.reports, report);
    const before = await readCuratorState(places.skills);
    await changeCuratorState(places.skills, {
      last_run_at: startedAt,
      run_count: before.run_count + 1,
      last_run_summary: summarise(results),
      last_report_path: folder,
    });
    return { ...report, folder };
  });

/** The skills of the home with their usage and whose they are. Links that lead out of the home are somebody else's. */
export const curatedSkills = async ({ places }: HubDeps): Promise<readonly CuratedSkill[]> => {
  const [usage, { installed }, root] = await Promise.all([
    readUsage(places.skills),
    readLockFile(places.lockFile),
    realpath(places.skills).catch(absent),
  ]);
  if (root === undefined) return [];
  const found = await findSkills({
    roots: { home: places.skills, external: [], bundled: undefined },
    cacheFile: undefined,
    now: () => 0,
  });
  return found.skills
    .filter(({ directory }) => isInside(root, directory))
    .map(({ name }) => ({ name, usage: usageOf(usage, name), origin: originOf(name, usage, installed) }));
};

const usageOf = (usage: UsageTable, name: string): CuratedSkill["usage"] => usage.get(name) ?? noUsage();

const originOf = (
  name: string,
  usage: UsageTable,
  installed: Readonly<Record<string, unknown>>,
): CuratedSkill["origin"] => {
  if (Object.hasOwn(installed, name)) return "installed";
  return usage.get(name)?.created_by === "agent" ? "agent" : "yours";
};

const carryOut = async (deps: HubDeps, steps: readonly CuratorStep[]): Promise<readonly CuratorResult[]> => {
  const results: CuratorResult[] = [];
  for (const step of steps) results.push(await carryOutOne(deps, step));
  const done = results.filter(({ outcome }) => outcome === "done");
  const at = new Date(deps.clock.now()).toISOString();
  await updateUsage(
    deps.library,
    (table) =>
      new Map<string, SkillUsage>(
        done.map(({ name, kind }): [string, SkillUsage] => {
          const usage = table.get(name) ?? noUsage();
          if (kind === "archive") return [name, { ...usage, state: "archived" as const, archived_at: at }];
          return [name, { ...usage, state: kind === "mark_stale" ? ("stale" as const) : ("active" as const) }];
        }),
      ),
  );
  return results;
};

const carryOutOne = async (deps: HubDeps, step: CuratorStep): Promise<CuratorResult> => {
  if (step.kind !== "archive") return { ...step, outcome: "done", detail: undefined };
  try {
    const because = `not used for ${step.idleDays} days`;
    const archived = await moveToArchive(deps, { name: step.name, because });
    if (archived.ok) return { ...step, outcome: "done", detail: archived.value.entry };
    return { ...step, outcome: "failed", detail: "it is not in the home any more" };
  } catch (thrown) {
    // One folder that cannot be moved must not keep the others from being looked after; the report names it.
    return { ...step, outcome: "failed", detail: messageOf(thrown) };
  }
};

const writeReport = async (reports: string, report: Omit<CuratorReport, "folder">): Promise<string> => {
  const folder = join(reports, report.startedAt.slice(0, 19).replaceAll(":", "-"));
  await makeFolder(folder);
  await writeFileAtomic(join(folder, "run.json"), `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o600 });
  await writeFileAtomic(join(folder, "REPORT.md"), renderReport(report), { mode: 0o600 });
  return folder;
};

/** `2 archived, 1 marked stale`; `nothing to do`. */
export const summarise = (results: readonly CuratorResult[]): string => {
  const count = (kind: CuratorStep["kind"]): number =>
    results.filter((result) => result.kind === kind && result.outcome !== "failed").length;
  const parts = [
    [count("archive"), "archived"],
    [count("mark_stale"), "marked stale"],
    [count("mark_active"), "marked active again"],
    [results.filter(({ outcome }) => outcome === "failed").length, "failed"],
  ] as const;
  const said = parts.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`);
  return said.length === 0 ? "nothing to do" : said.join(", ");
};
