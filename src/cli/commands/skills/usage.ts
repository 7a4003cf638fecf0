import type { ExitCode } from "../../../base/app-error.ts";
import { lastActivity } from "../../../knowledge/skills/curator/curator-policy.ts";
import { noUsage, type SkillUsage } from "../../../knowledge/skills/skill-usage.ts";
import type { CommandCall } from "../../command-call.ts";
import { displayZone } from "../../display-zone.ts";
import { formatTime } from "../../format.ts";
import { renderTable } from "../../table.ts";
import { inSkills, printJson } from "./context.ts";
import { listSkills } from "./list.ts";

/** `hermes skills usage`: how often skills were read and used, the most used first. */
export const runUsage = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    const { app, output, json } = context;
    const { listed, usage } = await listSkills(context);
    const rows = listed
      .map(({ skill }) => ({ name: skill.name, usage: usage.get(skill.name) ?? noUsage() }))
      .toSorted((left, right) => total(right.usage) - total(left.usage));
    if (json) {
      printJson(
        output,
        rows.map(({ name, usage: each }) => ({
          name,
          uses: each.use_count,
          views: each.view_count,
          changes: each.patch_count,
          last: lastActivity(each) === undefined ? null : new Date(lastActivity(each) ?? 0).toISOString(),
          state: each.state,
          pinned: each.pinned,
          made_by: each.created_by,
        })),
      );
      return 0;
    }
    const zone = displayZone(app, output);
    const cells = rows.map(({ name, usage: each }) => {
      const last = lastActivity(each);
      const state = each.pinned ? `${each.state}, pinned` : each.state;
      const when = last === undefined ? "never" : formatTime(last, zone);
      return [name, String(each.use_count), String(each.view_count), String(each.patch_count), when, state];
    });
    const right = (heading: string) => ({ heading, align: "right" as const });
    const columns = [
      { heading: "SKILL" },
      right("USED"),
      right("READ"),
      right("CHANGED"),
      { heading: "LAST" },
      { heading: "STATE" },
    ];
    output.stdout(renderTable(columns, cells, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
    return 0;
  });

const total = ({ use_count: uses, view_count: views }: SkillUsage): number => uses * 1_000 + views;
