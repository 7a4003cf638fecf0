import type { ExitCode } from "../../../base/app-error.ts";
import { describeChangeFault } from "../../../knowledge/skills/describe-fault.ts";
import { hubErrors } from "../../../knowledge/skills/hub/errors.ts";
import {
  approvePending,
  listPending,
  rejectPending,
  type PendingChange,
} from "../../../knowledge/skills/pending-changes.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { displayZone } from "../../display-zone.ts";
import { formatTime } from "../../format.ts";
import { inSkills, printJson } from "./context.ts";

/** `hermes skills pending`: what the agent wants to change and the owner has not seen yet. */
export const runPending = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ app, deps, output, json }): Promise<ExitCode> => {
    const pending = await listPending(deps.library);
    if (json) {
      printJson(output, pending);
      return 0;
    }
    if (pending.length === 0) output.stdout("Nothing waits for you.\n");
    for (const each of pending) {
      output.stdout(cleanText(`${describe(each)}, ${formatTime(each.at, displayZone(app, output))}\n`));
      if (each.findings !== "") output.stdout(cleanText(`  suspicious: ${each.findings}\n`));
      if ("text" in each.change) output.stdout(cleanText(each.change.text.replaceAll(/^/gmu, "  | ")).concat("\n"));
    }
    if (pending.length > 0)
      output.stdout("`hermes skills approve ID` makes a change, `hermes skills reject ID` throws it away.\n");
    return 0;
  });

const describe = ({ id, change }: PendingChange): string => {
  switch (change.action) {
    case "create":
      return `${id}  create ${change.name}`;
    case "write":
    case "remove":
      return `${id}  ${change.action} ${change.path} of ${change.name}`;
    case "delete":
      return `${id}  delete ${change.name}`;
  }
};

/** `hermes skills approve ID`. */
export const runApprove = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ deps, output, json }): Promise<ExitCode> => {
    const id = String(call.args[0] ?? "");
    const approved = await approvePending(deps.library, id);
    if (!approved.ok) {
      if (approved.error.kind === "no_such_change") throw hubErrors.noSuchChange({ id });
      throw hubErrors.notApproved({ id, why: describeChangeFault(approved.error) });
    }
    const { change, outcome } = approved.value;
    if (json)
      printJson(output, { id, name: change.name, action: change.action, place: outcome.place, change: outcome.id });
    else output.stdout(cleanText(`Done: ${change.action} ${change.name} (${outcome.place}).\n`));
    return 0;
  });

/** `hermes skills reject ID`. */
export const runReject = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async ({ deps, output, json }): Promise<ExitCode> => {
    const id = String(call.args[0] ?? "");
    const rejected = await rejectPending(deps.library, id);
    if (rejected === undefined) throw hubErrors.noSuchChange({ id });
    if (json) printJson(output, { id, name: rejected.change.name, rejected: true });
    else output.stdout(cleanText(`Thrown away: ${describe(rejected)}.\n`));
    return 0;
  });
