import type { Skill, ToolNeeds } from "./skill.ts";

/** What decides whether a skill is put forward. */
export interface SkillOffer {
  /** `skills.disabled`. */
  readonly disabled: readonly string[];
  readonly platform: NodeJS.Platform;
  /** Names of the tools and toolsets that the agent may use. */
  readonly tools: ReadonlySet<string>;
  readonly toolsets: ReadonlySet<string>;
}

/** Why a skill is not put forward; `person_only` still is to people. */
export type Withheld = "disabled" | "platform" | "needs_tools" | "not_needed" | "suspicious" | "person_only";

const SYSTEMS: Readonly<Record<string, NodeJS.Platform>> = { macos: "darwin", linux: "linux", windows: "win32" };

/**
 * Whether the model is told of a skill: not if the owner switched it off, if it is for another system, if tools that it needs are
 * missing, or if those are there that it stands in for (compat §13.1). undefined = it is told.
 */
export const withheld = (skill: Skill, offer: SkillOffer): Withheld | undefined => {
  if (offer.disabled.some((name) => name.trim().toLowerCase() === skill.name)) return "disabled";
  if (skill.platforms.length > 0 && !skill.platforms.some((name) => (SYSTEMS[name] ?? name) === offer.platform))
    return "platform";
  if (!has(skill.requires, offer, "every")) return "needs_tools";
  if (has(skill.fallbackFor, offer, "some")) return "not_needed";
  if (skill.problems.some(({ code }) => code === "skill.suspicious_description")) return "suspicious";
  return skill.personOnly ? "person_only" : undefined;
};

const has = (needs: ToolNeeds, { tools, toolsets }: SkillOffer, which: "every" | "some"): boolean => {
  const found = [...needs.tools.map((name) => tools.has(name)), ...needs.toolsets.map((name) => toolsets.has(name))];
  return which === "every" ? found.every(Boolean) : found.some(Boolean);
};

/** The skills that the model is told of. */
export const offeredSkills = (skills: readonly Skill[], offer: SkillOffer): readonly Skill[] =>
  skills.filter((skill) => withheld(skill, offer) === undefined);

/** The skills that a person can call by name: all but the ones that were switched off or are for another system. */
export const callableSkills = (skills: readonly Skill[], offer: SkillOffer): readonly Skill[] =>
  skills.filter((skill) => !["disabled", "platform"].includes(withheld(skill, offer) ?? ""));
