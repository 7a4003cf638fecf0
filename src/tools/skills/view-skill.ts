import { join } from "node:path";
import type { ToolContext, ToolResult } from "../../agent/tool.ts";
import { skillNamed } from "../../knowledge/skills/apply-change.ts";
import { isSkillFile } from "../../knowledge/skills/check-change.ts";
import { describeChangeFault, describeInnerFault, describeProblems } from "../../knowledge/skills/describe-fault.ts";
import { findSkills } from "../../knowledge/skills/find-skills.ts";
import { innerPath, listInner, readInner } from "../../knowledge/skills/inner-path.ts";
import { withheld } from "../../knowledge/skills/offer-skills.ts";
import { missingNeeds, renderSkill, settingLines } from "../../knowledge/skills/render-skill.ts";
import type { Skill } from "../../knowledge/skills/skill.ts";
import { answer, fault } from "../tool-answer.ts";
import type { SkillToolDeps } from "./skill-tool-deps.ts";
import type { SkillViewArgs } from "./skill-view.ts";

const NONE: ReadonlySet<string> = new Set();

/** The work of `skill_view`. */
export const viewSkill = async (
  deps: SkillToolDeps,
  { name, file_path: path }: SkillViewArgs,
  context: ToolContext,
): Promise<ToolResult> => {
  // Models put the category before the name, as folders stand.
  const found = skillNamed(await findSkills(deps.library), name.trim().split("/").at(-1) ?? name);
  if (!found.ok) return fault(describeChangeFault(found.error));
  const skill = found.value;
  const offer = { disabled: deps.disabled(), platform: deps.platform, tools: NONE, toolsets: NONE };
  const why = withheld(skill, offer);
  if (why === "disabled") return fault(`The owner has switched the skill ${skill.name} off.`);
  if (why === "person_only") return fault(`Only the owner may use the skill ${skill.name}: by typing /${skill.name}.`);
  if (why === "platform") return fault(`The skill ${skill.name} is for ${skill.platforms.join(", ")}.`);
  if (path !== undefined && !isSkillFile(path)) return await viewFile(skill, path);
  const text = await renderSkill(skill, { fillsVariables: deps.fillsVariables, session: context.session });
  if (!text.ok) return fault(`The skill can't be read. ${describeProblems(text.error)}`);
  deps.recordUse(skill.name, "view");
  const { files, isWhole } = await listInner(skill.directory);
  const more = isWhole ? "" : " and more";
  return answer(
    [
      text.value,
      ...(files.length === 0 ? [] : [`Files in it: ${files.join(", ")}${more}.`]),
      ...missingNeeds(skill, deps.hasVariable),
      ...settingLines(skill, deps.settingOf),
    ].join("\n"),
  );
};

const viewFile = async (skill: Skill, path: string): Promise<ToolResult> => {
  const read = await readInner(skill.directory, path);
  if (!read.ok) {
    const { files } = await listInner(skill.directory);
    const known = files.length === 0 ? "It has no other files." : `Its files: ${files.join(", ")}.`;
    return fault(`${describeInnerFault(path, read.error)} ${known}`);
  }
  const text = new TextDecoder("utf-8").decode(read.value);
  if (text.includes("\0") || !Buffer.from(text, "utf8").equals(withoutMark(read.value))) {
    const file = join(skill.directory, ...(innerPath(path) ?? []));
    return answer(`${path} is no text (${read.value.length} bytes). It is at ${file}.`);
  }
  return answer(text);
};

/** The decoder takes a byte order mark away. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
