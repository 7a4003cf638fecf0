import type { ExitCode } from "../../../base/app-error.ts";
import { curatorOptions } from "../../../app/curator.ts";
import type { CuratorReport } from "../../../knowledge/skills/curator/curator-report.ts";
import { describeResult } from "../../../knowledge/skills/curator/render-report.ts";
import { runCurator } from "../../../knowledge/skills/curator/run-curator.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { confirm } from "../../confirm.ts";
import { plural } from "../../format.ts";
import { wholeNumber } from "../../whole-number.ts";
import { inSkills, printJson, type SkillsContext } from "../skills/context.ts";

/** `hermes curator run [--dry-run]`: exit code 1 = something could not be done. */
export const runNow = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context) => {
    const isDryRun = call.flags["dryRun"] === true;
    return show(context, await runCurator(context.deps, { ...curatorOptions(context.app), isDryRun }));
  });

/** `hermes curator prune --days N`: archives what the agent made and nobody used for so long. */
export const runPrune = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    const days = wholeNumber("--days", call.flags["days"]);
    const usual = curatorOptions(context.app);
    const options = { ...usual, archiveAfterDays: days, staleAfterDays: Math.min(usual.staleAfterDays, days) };
    const plan = await runCurator(context.deps, { ...options, isDryRun: true });
    const isAsked = call.flags["yes"] === true || call.flags["dryRun"] === true || plan.results.length === 0;
    if (call.flags["dryRun"] === true) return show(context, plan);
    if (!isAsked) {
      for (const result of plan.results) context.output.stderr(cleanText(`${describeResult(result)}\n`));
      const question = `Change ${plural(plan.results.length, "skill")}?`;
      if (!(await confirm(context.output, question, "hermes curator prune"))) return 1;
    }
    return show(context, await runCurator(context.deps, { ...options, isDryRun: false }));
  });

const show = ({ output, json }: SkillsContext, report: CuratorReport): ExitCode => {
  const hasFailed = report.results.some(({ outcome }) => outcome === "failed");
  if (json) {
    printJson(output, {
      started_at: report.startedAt,
      dry_run: report.isDryRun,
      results: report.results.map(({ name, kind, idleDays, outcome, detail }) => ({
        name,
        kind,
        idle_days: idleDays,
        outcome,
        detail: detail ?? null,
      })),
      kept: report.kept,
      backup: report.backup?.id ?? null,
      report: report.folder ?? null,
    });
    return hasFailed ? 1 : 0;
  }
  if (report.results.length === 0) output.stdout("Nothing to do.\n");
  for (const result of report.results) output.stdout(cleanText(`${describeResult(result)}\n`));
  if (report.backup !== undefined) {
    output.stdout(`Backup ${report.backup.id}; \`hermes curator rollback\` brings everything back.\n`);
  }
  return hasFailed ? 1 : 0;
};
