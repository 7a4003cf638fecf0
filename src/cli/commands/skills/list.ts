import type { ExitCode } from "../../../base/app-error.ts";
import { readUsage, type UsageTable } from "../../../knowledge/skills/skill-usage.ts";
import { findSkills, type SkillSet } from "../../../knowledge/skills/find-skills.ts";
import { readLockFile, type LockFile } from "../../../knowledge/skills/hub/lock-file.ts";
import { callableSkills } from "../../../knowledge/skills/offer-skills.ts";
import type { Skill } from "../../../knowledge/skills/skill.ts";
import type { CommandCall } from "../../command-call.ts";
import { cliErrors } from "../../errors.ts";
import { renderTable } from "../../table.ts";
import { wholeNumber } from "../../whole-number.ts";
import { inSkills, namesOf, printJson, textFlag, type SkillsContext } from "./context.ts";

/** Where a skill comes from, in the words of `--source`. */
export type ListedSource = "hub" | "builtin" | "local" | "external";

/** A skill, with all that lists say of it. */
export interface ListedSkill {
  readonly skill: Skill;
  readonly source: ListedSource;
  readonly isDisabled: boolean;
  readonly isPinned: boolean;
}

const SOURCES: readonly string[] = ["all", "hub", "builtin", "local", "external"];

/** Every skill that is used, with the home's lock file and usage. */
export const listSkills = async ({
  app,
  deps,
}: SkillsContext): Promise<{
  readonly listed: readonly ListedSkill[];
  readonly set: SkillSet;
  readonly usage: UsageTable;
}> => {
  const [set, lock, usage] = await Promise.all([
    findSkills(deps.library),
    readLockFile(deps.places.lockFile),
    readUsage(deps.places.skills),
  ]);
  const disabled = new Set(app.config.section("skills").disabled.map((name) => name.trim().toLowerCase()));
  const listed = set.skills.map((skill) => ({
    skill,
    source: sourceOf(skill, lock),
    isDisabled: disabled.has(skill.name),
    isPinned: usage.get(skill.name)?.pinned === true,
  }));
  return { listed, set, usage };
};

const sourceOf = ({ name, source }: Skill, { installed }: LockFile): ListedSource => {
  if (source === "bundled") return "builtin";
  if (source === "external") return "external";
  return Object.hasOwn(installed, name) ? "hub" : "local";
};

/** `hermes skills list [--source hub|builtin|local|external] [--enabled-only]`. */
export const runList = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    const source = textFlag(call, "source") ?? "all";
    if (!SOURCES.includes(source)) throw cliErrors.usage({ message: `--source is one of ${SOURCES.join(", ")}.` });
    const { listed, set } = await listSkills(context);
    const shown = listed.filter(
      (each) =>
        (source === "all" || each.source === source) && !(call.flags["enabledOnly"] === true && each.isDisabled),
    );
    show(context, shown);
    const errors = set.problems.filter(({ severity }) => severity === "error").length;
    if (errors > 0) context.output.stderr(`! ${errors} cannot be used: see \`hermes skills check\`.\n`);
    return 0;
  });

const show = ({ output, json }: SkillsContext, shown: readonly ListedSkill[]): void => {
  if (json) {
    printJson(output, shown.map(listedJson));
    return;
  }
  if (shown.length === 0) {
    output.stdout("No skills. `hermes skills install SOURCE` brings one in.\n");
    return;
  }
  const rows = shown.map((each) => [
    each.skill.name,
    each.source,
    stateOf(each),
    each.skill.group,
    each.skill.description,
  ]);
  const headings = ["SKILL", "FROM", "STATE", "CATEGORY", "WHAT FOR"].map((heading) => ({ heading }));
  output.stdout(renderTable(headings, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
};

const NOTHING: ReadonlySet<string> = new Set();

const stateOf = ({ skill, isDisabled, isPinned }: ListedSkill): string => {
  if (isDisabled) return "off";
  const anyone = { disabled: [], platform: process.platform, tools: NOTHING, toolsets: NOTHING };
  if (callableSkills([skill], anyone).length === 0) return "other system";
  return isPinned ? "on, pinned" : "on";
};

const listedJson = (each: ListedSkill) => ({
  name: each.skill.name,
  description: each.skill.description,
  source: each.source,
  category: each.skill.group,
  enabled: !each.isDisabled,
  pinned: each.isPinned,
  version: each.skill.version ?? null,
  directory: each.skill.directory,
  problems: each.skill.problems,
});

/** `hermes skills search WORDS`: among the skills that are here; there is no index elsewhere. */
export const runSearch = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    refuseRemote(call);
    const words = namesOf(call).map((word) => word.toLowerCase());
    const limit = wholeNumber("--limit", call.flags["limit"]);
    const { listed } = await listSkills(context);
    const found = listed.filter(({ skill }) => {
      const text = [skill.name, skill.description, skill.group, ...skill.tags].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (!context.json && found.length === 0) {
      context.output.stdout("No skill here has these words. There is no index of others to search in.\n");
      return 1;
    }
    show(context, found.slice(0, limit));
    return found.length === 0 ? 1 : 0;
  });

/** `hermes skills browse [--page N] [--size N]`. */
export const runBrowse = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    refuseRemote(call);
    const page = wholeNumber("--page", call.flags["page"]);
    const size = wholeNumber("--size", call.flags["size"]);
    const { listed } = await listSkills(context);
    const pages = Math.max(1, Math.ceil(listed.length / size));
    if (page > pages) throw cliErrors.usage({ message: `There are ${pages} pages of ${size}.` });
    show(context, listed.slice((page - 1) * size, page * size));
    if (!context.json && pages > 1) context.output.stdout(`Page ${page} of ${pages}.\n`);
    return 0;
  });

/** Indexes of the existing system that nothing here asks. */
const refuseRemote = (call: CommandCall): void => {
  const source = textFlag(call, "source") ?? "all";
  if (source === "all") return;
  throw cliErrors.notBuilt({ what: `An index of skills elsewhere (--source ${source})` });
};
