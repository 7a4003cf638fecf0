import type { ExitCode } from "../../../base/app-error.ts";
import { backupSkills, listBackups, pruneBackups } from "../../../knowledge/skills/curator/backup.ts";
import { rollbackSkills } from "../../../knowledge/skills/curator/rollback.ts";
import { withSkillsFolder } from "../../../knowledge/skills/hub/install-skill.ts";
import type { CommandCall } from "../../command-call.ts";
import { confirm } from "../../confirm.ts";
import { formatBytes } from "../../format.ts";
import { renderTable } from "../../table.ts";
import { inSkills, printJson, textFlag, type SkillsContext } from "../skills/context.ts";

/** `hermes curator backup`. */
export const runBackup = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ app, deps, output, json }): Promise<ExitCode> => {
    const { skills } = deps.places;
    const reason = textFlag(call, "reason") ?? "asked for";
    const backup = await withSkillsFolder(deps, "backing the skills up", async () => {
      const made = await backupSkills(skills, { reason, now: deps.clock.now() });
      await pruneBackups(skills, app.config.section("curator").backup.keep);
      return made;
    });
    if (json) printJson(output, backup);
    else output.stdout(`Backup ${backup.id}: ${backup.files} files, ${formatBytes(backup.bytes)}, in ${backup.file}\n`);
    return 0;
  });

/** `hermes curator rollback [--id BACKUP]`, `--list`. */
export const runRollback = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    if (call.flags["list"] === true) return await showBackups(context);
    const { app, deps, output, json } = context;
    const id = textFlag(call, "id");
    const which = id === undefined ? "the newest backup" : `backup ${id}`;
    const question = `Bring all skills back to ${which}? How they are now is backed up first.`;
    if (call.flags["yes"] !== true && !(await confirm(output, question, "hermes curator rollback"))) return 1;
    const { to, before } = await rollbackSkills(deps, { id, keep: app.config.section("curator").backup.keep });
    if (json) printJson(output, { to: to.id, before: before.id });
    else {
      output.stdout(`The skills are as in ${to.id}. \`hermes curator rollback --id ${before.id}\` takes that back.\n`);
    }
    return 0;
  });

const showBackups = async ({ deps, output, json }: SkillsContext): Promise<ExitCode> => {
  const backups = await listBackups(deps.places.skills);
  if (json) {
    printJson(output, backups);
    return 0;
  }
  if (backups.length === 0) {
    output.stdout("There are no backups.\n");
    return 0;
  }
  const rows = backups.map(({ id, files, bytes, reason }) => [id, String(files), formatBytes(bytes), reason]);
  const headings = ["BACKUP", "FILES", "SIZE", "WHY"].map((heading) => ({ heading }));
  output.stdout(renderTable(headings, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
  return 0;
};
