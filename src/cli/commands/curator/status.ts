import type { ExitCode } from "../../../base/app-error.ts";
import { curatorDue, curatorOptions } from "../../../app/curator.ts";
import type { Due } from "../../../knowledge/skills/curator/curator-policy.ts";
import {
  changeCuratorState,
  readCuratorState,
  type CuratorState,
} from "../../../knowledge/skills/curator/curator-state.ts";
import { describeResult } from "../../../knowledge/skills/curator/render-report.ts";
import { curatedSkills, runCurator } from "../../../knowledge/skills/curator/run-curator.ts";
import { listBackups } from "../../../knowledge/skills/curator/backup.ts";
import { withSkillsFolder } from "../../../knowledge/skills/hub/install-skill.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { displayZone } from "../../display-zone.ts";
import { formatTime, plural } from "../../format.ts";
import { inSkills, printJson, type SkillsContext } from "../skills/context.ts";

/** `hermes curator status`. */
export const runStatus = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    const { app, deps, output, json } = context;
    const [state, due, skills, plan, backups] = [
      await readCuratorState(deps.places.skills),
      await curatorDue(app),
      await curatedSkills(deps),
      await runCurator(deps, { ...curatorOptions(app), isDryRun: true }),
      await listBackups(deps.places.skills),
    ];
    const own = skills.filter(({ origin }) => origin === "agent");
    if (json) {
      printJson(output, {
        due: due.kind === "not_due" ? due.why : due.kind,
        ...stateJson(state),
        skills: { total: skills.length, made_by_agent: own.length },
        would: plan.results.map(({ name, kind, idleDays }) => ({ name, kind, idle_days: idleDays })),
        kept: plan.kept,
        pinned: skills.filter(({ usage }) => usage.pinned).map(({ name }) => name),
        backups: backups.length,
      });
      return 0;
    }
    const pinned = skills.filter(({ usage }) => usage.pinned).map(({ name }) => name);
    const lines = [
      dueWords(context, due, state),
      state.last_run_summary === null ? "It has not run yet." : `Last run: ${state.last_run_summary}${where(state)}`,
      `${plural(own.length, "skill")} of ${skills.length} in this home made by the agent; the others are never touched.`,
      ...(pinned.length === 0 ? [] : [`Pinned: ${pinned.join(", ")}`]),
      plan.results.length === 0 ? "A run now would do nothing." : "A run now:",
      ...plan.results.map((result) => `  ${describeResult(result)}`),
      backups[0] === undefined ? "No backups." : `${plural(backups.length, "backup")}, the newest ${backups[0].id}.`,
    ];
    output.stdout(cleanText(`${lines.join("\n")}\n`));
    return 0;
  });

const where = ({ last_report_path: path }: CuratorState): string => (path === null ? "" : ` (${path}/REPORT.md)`);

const stateJson = (state: CuratorState) => ({
  last_run_at: state.last_run_at,
  last_run: state.last_run_summary,
  report: state.last_report_path,
  runs: state.run_count,
  paused: state.paused,
});

const dueWords = ({ app, output }: SkillsContext, due: Due, { last_run_at: last }: CuratorState): string => {
  const { interval_hours: hours, min_idle_hours: idle } = app.config.section("curator");
  switch (due.kind) {
    case "due":
      return "Due: it runs when the next chat ends.";
    case "first":
      return `It has not looked yet; the first run comes ${plural(hours, "hour")} after the next chat.`;
    case "not_due":
      break;
  }
  switch (due.why) {
    case "disabled":
      return "Off (`curator.enabled`).";
    case "paused":
      return "Paused; `hermes curator resume` lets it run again.";
    case "in_use":
      return `Due, but skills were used in the last ${plural(idle, "hour")}.`;
    case "interval": {
      const next = Date.parse(last ?? "") + hours * 3_600_000;
      return `Next run not before ${formatTime(next, displayZone(app, output))}.`;
    }
  }
};

/** `hermes curator pause`. */
export const runPause = (call: CommandCall): Promise<ExitCode> => setPaused(call, true);
/** `hermes curator resume`. */
export const runResume = (call: CommandCall): Promise<ExitCode> => setPaused(call, false);

const setPaused = (call: CommandCall, paused: boolean): Promise<ExitCode> =>
  inSkills(call, async ({ deps, output, json }): Promise<ExitCode> => {
    await withSkillsFolder(deps, "pausing the curator", () => changeCuratorState(deps.places.skills, { paused }));
    if (json) printJson(output, { paused });
    else
      output.stdout(paused ? "Paused: no skill is marked or archived by itself.\n" : "It runs again when it is due.\n");
    return 0;
  });
