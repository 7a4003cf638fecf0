import { estimateTokenCount } from "tokenx";
import { sliceCharacters } from "../../base/slice-characters.ts";
import { findSkills, type FindSkillsDeps } from "./find-skills.ts";
import { offeredSkills, type SkillOffer } from "./offer-skills.ts";
import type { LocatedProblem, Skill } from "./skill.ts";

/** What a session's prompt says about skills. */
export interface SkillIndex {
  /** A line each; empty = there are none. */
  readonly lines: string;
  readonly count: number;
  /** What is wrong with skills of the owner's, for the owner. */
  readonly problems: readonly LocatedProblem[];
}

/** How much of every request the list may take, in tokens. */
export const INDEX_TOKENS = 1_500;
const LINE_CHARACTERS = 100;

/** Reads the skills as they are now and lists those that the model is told of. Called when a session begins, not before. */
export const loadSkillIndex = async (deps: FindSkillsDeps & { readonly offer: SkillOffer }): Promise<SkillIndex> => {
  const { skills, problems } = await findSkills(deps);
  const offered = offeredSkills(skills, deps.offer);
  return { lines: skillLines(offered), count: offered.length, problems };
};

/**
 * The list for the prompt: a name and the first sentence of each, within `budget` tokens. What does not fit has its name only, then is counted.
 * The same text for the same skills.
 */
export const skillLines = (skills: readonly Skill[], budget: number = INDEX_TOKENS): string => {
  const lines: string[] = [];
  let left = budget - REST_TOKENS;
  let next = 0;
  for (; next < skills.length; next += 1) {
    const skill = skills[next];
    if (skill === undefined) break;
    const line = `- ${skill.name}: ${firstSentence(skill.description)}`;
    const tokens = estimateTokenCount(line) + 1;
    // Names of the rest are worth more than whole lines of the first.
    if (tokens + (skills.length - next - 1) * NAME_TOKENS > left && tokens > NAME_TOKENS) break;
    left -= tokens;
    lines.push(line);
  }
  return [...lines, ...restLine(skills.slice(next), left)].join("\n");
};

/** What the last line takes beside names. */
const REST_TOKENS = 12;
const NAME_TOKENS = 6;

const restLine = (rest: readonly Skill[], budget: number): readonly string[] => {
  if (rest.length === 0) return [];
  const names: string[] = [];
  let left = budget;
  for (const { name } of rest) {
    left -= estimateTokenCount(name) + 1;
    if (left < 0) break;
    names.push(name);
  }
  const more = rest.length - names.length;
  const counted = more === 0 ? "" : `${names.length === 0 ? "" : " and "}${more} more`;
  return [`- ${names.join(", ")}${counted} (skills_list says what for)`];
};

/** The beginning of a description that says what a skill is for, on one line. */
export const firstSentence = (description: string): string => {
  const sentence = /^.{15,}?[.!?。](?=\s|$)/u.exec(description)?.[0] ?? description;
  const short =
    sentence.length <= LINE_CHARACTERS ? sentence : `${sliceCharacters(sentence, 0, LINE_CHARACTERS - 1).trimEnd()}…`;
  return short.replaceAll(/\p{C}/gu, "");
};

/** What the prompt says about skills besides the list, for the tools that are granted; empty without `skill_view`. */
export const skillsGuidance = (tools: ReadonlySet<string>): string => {
  if (!tools.has("skill_view")) return "";
  const read = "Before a task that a skill fits, read it with skill_view and follow it.";
  return tools.has("skill_manage")
    ? `${read} When you have worked out how a task of the owner's that will come again is done, offer to keep it as a skill (toolset skills).`
    : read;
};
