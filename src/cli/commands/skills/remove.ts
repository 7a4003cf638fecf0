import type { ExitCode } from "../../../base/app-error.ts";
import { listArchived, type ArchivedSkill } from "../../../knowledge/skills/archive-skills.ts";
import { hubErrors } from "../../../knowledge/skills/hub/errors.ts";
import { readInstalled } from "../../../knowledge/skills/hub/installed-skills.ts";
import { archiveSkill, forgetMissing, restoreSkill } from "../../../knowledge/skills/hub/remove-skill.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { confirm } from "../../confirm.ts";
import { cliErrors } from "../../errors.ts";
import { formatTime } from "../../format.ts";
import { displayZone } from "../../display-zone.ts";
import { renderTable } from "../../table.ts";
import { inSkills, printJson, type SkillsContext } from "./context.ts";

/** `hermes skills uninstall NAME`: to the archive, from where it can come back. */
export const runUninstall = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context) => {
    const name = String(call.args[0] ?? "");
    const [installed] = await readInstalled(context.deps.places, name);
    if (installed?.state === "missing" && (await forgetMissing(context.deps, name))) {
      if (context.json) printJson(context.output, { name, archived: null });
      else context.output.stdout(`${name} was not there any more; it is forgotten.\n`);
      return 0;
    }
    const edited = installed?.state === "edited" ? " You changed it here; the archive keeps that." : "";
    const isAsked = call.flags["yes"] === true;
    if (!isAsked && !(await confirm(context.output, `Uninstall ${name}?${edited}`, `Uninstalling ${name}`))) return 1;
    return await toArchive(context, name, "uninstalled");
  });

/** `hermes skills archive NAME`: takes a skill of this home out of use; `--list` shows what is there. */
export const runArchive = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context) => {
    if (call.flags["list"] === true) return await listArchive(context);
    const [name] = call.args;
    if (typeof name !== "string") throw cliErrors.usage({ message: "Name a skill, or give --list." });
    return await toArchive(context, name, "archived by you");
  });

const toArchive = async ({ deps, output, json }: SkillsContext, name: string, because: string): Promise<ExitCode> => {
  const archived = await archiveSkill(deps, { name, because });
  if (!archived.ok) throw hubErrors.notInHome({ name, why: archived.error });
  const { entry } = archived.value;
  if (json) printJson(output, { name, archived: entry });
  else output.stdout(`${name} is out of use. \`hermes skills restore ${entry}\` brings it back.\n`);
  return 0;
};

/** `hermes curator list-archived`, `hermes skills archive --list`. */
export const runListArchived = (call: CommandCall): Promise<ExitCode> => inSkills(call, listArchive);

const listArchive = async ({ app, deps, output, json }: SkillsContext): Promise<ExitCode> => {
  const archived = await listArchived(deps.places.skills);
  if (json) {
    printJson(output, archived.map(archivedJson));
    return 0;
  }
  if (archived.length === 0) {
    output.stdout("The archive is empty.\n");
    return 0;
  }
  const zone = displayZone(app, output);
  const rows = archived.map(({ entry, from, at, because }) => [
    entry,
    at === 0 ? "" : formatTime(at, zone),
    because,
    from,
  ]);
  const headings = ["ENTRY", "SINCE", "WHY", "FROM"].map((heading) => ({ heading }));
  output.stdout(renderTable(headings, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
  return 0;
};

const archivedJson = ({ entry, name, from, at, because }: ArchivedSkill): Readonly<Record<string, unknown>> => ({
  entry,
  name,
  from,
  archived_at: at === 0 ? null : new Date(at).toISOString(),
  because,
});

/** `hermes skills restore NAME`. */
export const runRestore = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ deps, output, json }): Promise<ExitCode> => {
    const wanted = String(call.args[0] ?? "");
    const restored = await restoreSkill(deps, wanted);
    if (!restored.ok) throw hubErrors.notRestored({ name: wanted, why: restored.error });
    const { name, from } = restored.value;
    if (json) printJson(output, { name, place: from });
    else output.stdout(cleanText(`${name} is back in ${from}.\n`));
    return 0;
  });
