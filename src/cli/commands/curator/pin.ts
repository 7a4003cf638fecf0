import type { ExitCode } from "../../../base/app-error.ts";
import { hubErrors } from "../../../knowledge/skills/hub/errors.ts";
import { findInHome } from "../../../knowledge/skills/hub/install-skill.ts";
import { noUsage, updateUsage } from "../../../knowledge/skills/skill-usage.ts";
import type { CommandCall } from "../../command-call.ts";
import { inSkills, printJson } from "../skills/context.ts";

/** `hermes curator pin SKILL`. */
export const runPin = (call: CommandCall): Promise<ExitCode> => setPinned(call, true);
/** `hermes curator unpin SKILL`. */
export const runUnpin = (call: CommandCall): Promise<ExitCode> => setPinned(call, false);

const setPinned = (call: CommandCall, pinned: boolean): Promise<ExitCode> =>
  inSkills(call, async ({ deps, output, json }): Promise<ExitCode> => {
    const name = String(call.args[0] ?? "");
    if ((await findInHome(deps.places.skills, name)) === undefined) {
      throw hubErrors.notInHome({ name, why: { kind: "unknown" } });
    }
    await updateUsage(deps.library, (table) => new Map([[name, { ...(table.get(name) ?? noUsage()), pinned }]]));
    if (json) printJson(output, { name, pinned });
    else
      output.stdout(
        pinned ? `${name} is pinned: nothing archives it by itself.\n` : `${name} is not pinned any more.\n`,
      );
    return 0;
  });
