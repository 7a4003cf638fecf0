import type { ExitCode } from "../../../base/app-error.ts";
import { listRecords } from "../../../knowledge/skills/change-journal.ts";
import { describeUndoFault } from "../../../knowledge/skills/describe-fault.ts";
import { hubErrors } from "../../../knowledge/skills/hub/errors.ts";
import { undoChange } from "../../../knowledge/skills/manage-skills.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { displayZone } from "../../display-zone.ts";
import { formatTime } from "../../format.ts";
import { renderTable } from "../../table.ts";
import { inSkills, printJson } from "./context.ts";

/** `hermes skills history`: what the agent changed, newest first. */
export const runHistory = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ app, deps, output, json }): Promise<ExitCode> => {
    const records = await listRecords(deps.places.skills);
    if (json) {
      printJson(
        output,
        records.map(({ id, at, session, action, name, path, undone }) => ({
          id,
          at,
          session,
          action,
          name,
          path,
          undone,
        })),
      );
      return 0;
    }
    if (records.length === 0) {
      output.stdout("The agent has not changed any skill.\n");
      return 0;
    }
    const zone = displayZone(app, output);
    const rows = records.map(({ id, at, session, action, name, path, undone }) => [
      id,
      formatTime(at, zone),
      action,
      path === "" ? name : `${name}/${path}`,
      session ?? "you",
      undone ? "undone" : "",
    ]);
    const headings = ["CHANGE", "WHEN", "WHAT", "SKILL", "BY", ""].map((heading) => ({ heading }));
    output.stdout(renderTable(headings, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
    return 0;
  });

/** `hermes skills undo ID`. */
export const runUndo = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ deps, output, json }): Promise<ExitCode> => {
    const id = String(call.args[0] ?? "");
    const undone = await undoChange(deps.library, id);
    if (!undone.ok) throw hubErrors.notUndone({ id, why: describeUndoFault(undone.error) });
    const { action, name } = undone.value;
    if (json) printJson(output, { id, name, action, undone: true });
    else output.stdout(cleanText(`Undone: ${action} ${name}.\n`));
    return 0;
  });
