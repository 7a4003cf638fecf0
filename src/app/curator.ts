import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../base/app-error.ts";
import { tryProcessLock } from "../base/process-lock.ts";
import { isDue, lastActivity, type Due } from "../knowledge/skills/curator/curator-policy.ts";
import type { CuratorReport } from "../knowledge/skills/curator/curator-report.ts";
import { changeCuratorState, readCuratorState } from "../knowledge/skills/curator/curator-state.ts";
import { runCurator, summarise, type CuratorRunOptions } from "../knowledge/skills/curator/run-curator.ts";
import { withSkillsFolder } from "../knowledge/skills/hub/install-skill.ts";
import { readUsage } from "../knowledge/skills/skill-usage.ts";
import type { App } from "./app.ts";
import { openSkillHub, type SkillHub } from "./skill-hub.ts";

const HOUR_MS = 3_600_000;

/** How a run of this home goes, by its settings. */
export const curatorOptions = (app: App): Omit<CuratorRunOptions, "isDryRun"> => {
  const settings = app.config.section("curator");
  return {
    staleAfterDays: settings.stale_after_days,
    archiveAfterDays: settings.archive_after_days,
    keepBackups: settings.backup.enabled ? settings.backup.keep : undefined,
    reports: join(app.paths.logs, "curator"),
  };
};

/** Whether a run of this home is due now. Reads two small files. */
export const curatorDue = async (app: App): Promise<Due> => {
  const settings = app.config.section("curator");
  const [state, usage] = await Promise.all([readCuratorState(app.paths.skills), readUsage(app.paths.skills)]);
  const uses = [...usage.values()].flatMap((each) => lastActivity(each) ?? []);
  return isDue({
    isEnabled: settings.enabled,
    isPaused: state.paused,
    lastRunAt: state.last_run_at === null ? undefined : Date.parse(state.last_run_at),
    lastUseAt: uses.length === 0 ? undefined : Math.max(...uses),
    intervalMs: settings.interval_hours * HOUR_MS,
    minIdleMs: settings.min_idle_hours * HOUR_MS,
    now: app.clock.now(),
  });
};

/**
 * Looks after the skills when a chat has ended, if that is due. Never throws and never waits for another process: what cannot be done now
 * is done after another chat. Returns what to tell the person; undefined = nothing.
 */
export const curateAfterChat = async (app: App): Promise<string | undefined> => {
  try {
    if (!app.config.section("curator").enabled || !existsSync(app.paths.skills)) return undefined;
    const due = await curatorDue(app);
    if (due.kind === "not_due" || isBusy(app)) return undefined;
    const hub = openSkillHub(app, app.paths.home);
    if (due.kind === "first") {
      await noteFirstLook(hub);
      return undefined;
    }
    return inWords(await runCurator(hub.deps, { ...curatorOptions(app), isDryRun: false }));
  } catch (thrown) {
    // The chat is over; that its skills were not looked after is worth a line in the log and no more.
    app.log.warn("the skills could not be looked after", { why: messageOf(thrown) });
    return undefined;
  }
};

const isBusy = (app: App): boolean => {
  const lock = tryProcessLock({ directory: app.paths.locks, name: "skills" });
  lock?.release();
  return lock === undefined;
};

/** The first time only the date is noted: a whole interval passes before anything is moved. */
const noteFirstLook = async ({ deps }: SkillHub): Promise<void> =>
  await withSkillsFolder(deps, "noting when the skills were first looked at", async () => {
    await changeCuratorState(deps.places.skills, { last_run_at: new Date(deps.clock.now()).toISOString() });
  });

const inWords = ({ results }: CuratorReport): string | undefined =>
  results.length === 0 ? undefined : `Skills: ${summarise(results)}. \`hermes curator status\` shows more.`;
