import type { ToolResult } from "../../agent/tool.ts";
import { findSkills } from "../../knowledge/skills/find-skills.ts";
import { withheld } from "../../knowledge/skills/offer-skills.ts";
import type { Skill } from "../../knowledge/skills/skill.ts";
import { sliceCharacters } from "../../base/slice-characters.ts";
import { answer } from "../tool-answer.ts";
import type { SkillToolDeps } from "./skill-tool-deps.ts";
import type { SkillsListArgs } from "./skills-list.ts";

const DESCRIPTION_CHARACTERS = 200;
const MOST_LINES = 200;
const ALL: ReadonlySet<string> = new Set();

/** The work of `skills_list`. Looks at the folders anew. */
export const listSkills = async (
  deps: SkillToolDeps,
  { query = "", category = "" }: SkillsListArgs,
): Promise<ToolResult> => {
  const { skills, problems } = await findSkills(deps.library);
  const offer = { disabled: deps.disabled(), platform: deps.platform, tools: ALL, toolsets: ALL };
  const hidden = new Set(["disabled", "platform", "suspicious", "person_only"]);
  const offered = skills.filter((skill) => !hidden.has(withheld(skill, offer) ?? ""));
  const words = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  const group = category.trim().toLowerCase();
  const found = offered.filter((skill) => isIn(skill, group) && words.every((word) => textOf(skill).includes(word)));
  const broken = problems
    .filter(({ severity }) => severity === "error")
    .map(({ file, message }) => `Not usable: ${file}: ${message}`);
  const lines = found.slice(0, MOST_LINES).map(lineOf);
  const more = found.length > MOST_LINES ? [`… and ${found.length - MOST_LINES} more; narrow it with query.`] : [];
  if (lines.length === 0)
    lines.push(offered.length === 0 ? "There are no skills." : "No skill fits. Without arguments all are listed.");
  return answer([...lines, ...more, ...broken.slice(0, 20)].join("\n"));
};

const isIn = ({ group, tags }: Skill, category: string): boolean =>
  category === "" ||
  group.toLowerCase() === category ||
  group.toLowerCase().startsWith(`${category}/`) ||
  tags.some((tag) => tag.toLowerCase() === category);

const textOf = ({ name, description, group, tags }: Skill): string =>
  [name, description, group, ...tags].join(" ").toLowerCase();

const lineOf = ({ name, group, description, requires }: Skill): string => {
  const text =
    description.length <= DESCRIPTION_CHARACTERS
      ? description
      : `${sliceCharacters(description, 0, DESCRIPTION_CHARACTERS - 1)}…`;
  const needs = [...requires.toolsets, ...requires.tools];
  return `${name}${group === "" ? "" : ` [${group}]`}: ${text}${needs.length === 0 ? "" : ` (needs ${needs.join(", ")})`}`;
};
