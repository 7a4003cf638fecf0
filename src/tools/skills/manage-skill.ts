import type { ToolContext, ToolResult } from "../../agent/tool.ts";
import { skillNamed } from "../../knowledge/skills/apply-change.ts";
import { isSkillFile } from "../../knowledge/skills/check-change.ts";
import { describeChangeFault, describeInnerFault, describeProblems } from "../../knowledge/skills/describe-fault.ts";
import { findSkills } from "../../knowledge/skills/find-skills.ts";
import { readInner } from "../../knowledge/skills/inner-path.ts";
import { changeSkill } from "../../knowledge/skills/manage-skills.ts";
import type { ChangeOutcome, SkillChange } from "../../knowledge/skills/skill-change.ts";
import { contentHash } from "../../knowledge/skills/skill-library.ts";
import { failure, success, type Result } from "../../base/result.ts";
import { listLines } from "../editing/patch-words.ts";
import { replaceText } from "../editing/replace-text.ts";
import { answer, fault } from "../tool-answer.ts";
import type { SkillManageArgs } from "./skill-manage.ts";
import type { SkillToolDeps } from "./skill-tool-deps.ts";

/** The work of `skill_manage`. */
export const manageSkill = async (
  deps: SkillToolDeps,
  args: SkillManageArgs,
  context: ToolContext,
): Promise<ToolResult> => {
  const change = await changeOf(deps, { ...args, name: args.name.trim().split("/").at(-1) ?? args.name });
  if (!change.ok) return fault(change.error);
  context.signal.throwIfAborted();
  const outcome = await changeSkill(deps.library, change.value, { session: context.session, holds: deps.holdsChanges });
  if (outcome.kind === "done" && args.action !== "delete") {
    deps.recordUse(change.value.name, args.action === "create" ? "create" : "patch");
  }
  return resultOf(change.value, outcome);
};

/** What a call means as a change, or what to say about it. */
const changeOf = async (deps: SkillToolDeps, args: SkillManageArgs): Promise<Result<SkillChange, string>> => {
  const { action, name } = args;
  const needed = neededFor(args);
  if (needed !== undefined) return failure(`${action} needs ${needed}.`);
  switch (action) {
    case "create":
      return success({ action: "create", name, group: args.category ?? "", text: args.content ?? "" });
    case "edit":
      return success({ action: "write", name, path: "SKILL.md", text: args.content ?? "" });
    case "patch":
      return await patchOf(deps, args);
    case "delete":
      return success({
        action: "delete",
        name,
        ...(args.absorbed_into === undefined || args.absorbed_into === "" ? {} : { absorbedInto: args.absorbed_into }),
      });
    case "write_file":
      return isSkillFile(args.file_path ?? "")
        ? failure("SKILL.md is changed with edit or patch.")
        : success({ action: "write", name, path: args.file_path ?? "", text: args.file_content ?? "" });
    case "remove_file":
      return success({ action: "remove", name, path: args.file_path ?? "" });
  }
};

const NEEDED = {
  create: ["content"],
  edit: ["content"],
  patch: ["old_string", "new_string"],
  delete: [],
  write_file: ["file_path", "file_content"],
  remove_file: ["file_path"],
} as const satisfies Record<SkillManageArgs["action"], readonly (keyof SkillManageArgs)[]>;

const neededFor = (args: SkillManageArgs): string | undefined => {
  const missing = NEEDED[args.action].filter((key) => args[key] === undefined);
  return missing.length === 0 ? undefined : missing.join(" and ");
};

const patchOf = async (deps: SkillToolDeps, args: SkillManageArgs): Promise<Result<SkillChange, string>> => {
  const { name, file_path: path = "SKILL.md", old_string: oldText = "", new_string: newText = "" } = args;
  if (oldText === "") return failure("old_string is empty.");
  const found = skillNamed(await findSkills(deps.library), name);
  if (!found.ok) return failure(describeChangeFault(found.error));
  const read = await readInner(found.value.directory, path);
  if (!read.ok) return failure(describeInnerFault(path, read.error));
  const before = read.value.toString("utf8");
  const replaced = replaceText(before, { oldText, newText, replacesAll: args.replace_all });
  switch (replaced.kind) {
    case "replaced":
      return success({ action: "write", name, path, text: replaced.text, base: contentHash(read.value) });
    case "ambiguous":
      return failure(`old_string stands at ${listLines(replaced.lines)}. Give more of it, or set replace_all.`);
    case "not_found":
      return failure(
        `old_string is not in ${path}.${replaced.nearest === undefined ? "" : ` Nearest:\n${replaced.nearest}`}`,
      );
    case "unshiftable":
      return failure(`old_string is at line ${replaced.line} with other indentation. Give it exactly as it stands.`);
  }
};

const resultOf = (change: SkillChange, outcome: ChangeOutcome): ToolResult => {
  switch (outcome.kind) {
    case "refused":
      return fault(`Nothing was changed. ${describeChangeFault(outcome.fault)}`);
    case "held": {
      const why =
        outcome.because === "setting"
          ? "The owner wants to see such changes first"
          : `The scanner found ${outcome.findings}`;
      return answer(
        `Not done yet: ${why}, so the change waits as ${outcome.id}. The owner can look at it and decide: /skills pending.`,
      );
    }
    case "done":
      return answer(doneWords(change, outcome));
  }
};

const doneWords = (change: SkillChange, outcome: Extract<ChangeOutcome, { kind: "done" }>): string => {
  const copied =
    outcome.copiedFrom === undefined
      ? ""
      : ` The ${outcome.copiedFrom} skill was copied to ${outcome.place} and the copy changed; it is used from now on.`;
  const problems =
    outcome.problems.length === 0 ? "" : ` Not up to the standard: ${describeProblems(outcome.problems)}`;
  const undo = ` The owner can take it back: /skills undo ${outcome.id}.`;
  switch (change.action) {
    case "create":
      return `Made the skill ${change.name} in ${outcome.place}.${problems}${undo}`;
    case "write":
      return `Wrote ${change.path} of ${change.name}.${copied}${problems}${undo}`;
    case "remove":
      return `Removed ${change.path} from ${change.name}.${copied}${undo}`;
    case "delete":
      return `Took the skill ${change.name} out of use; it is kept as .archive/${outcome.place}.${undo}`;
  }
};
