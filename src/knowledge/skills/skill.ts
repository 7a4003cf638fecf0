import type { Brand } from "../../base/ids.ts";

/**
 * A skill's name, fit to be a folder and a slash command: lower-case letters, digits, hyphens and underscores of any script, in
 * NFKC, at most 64 of them, no reserved name of Windows. Made by `parseSkillName` and `nearestSkillName` only.
 */
export type SkillName = Brand<string, "SkillName">;

/** Where a skill comes from, the strongest first: of one name, the first is used. */
export const SKILL_SOURCES = ["home", "external", "bundled"] as const;
export type SkillSource = (typeof SKILL_SOURCES)[number];

/** Something in a skill's file or folder that is not as it should be. */
export interface SkillProblem {
  /** `error` = the skill cannot be used; `warning` = it is used, though it is not up to the standard. */
  readonly severity: "error" | "warning";
  /** Stable: `skill.bad_yaml`, … */
  readonly code: SkillProblemCode;
  /** What is wrong and what to do, in a sentence or two. */
  readonly message: string;
  /** In SKILL.md, from 1. */
  readonly line?: number;
}

export type SkillProblemCode =
  | "skill.no_front_matter"
  | "skill.unclosed_front_matter"
  | "skill.front_matter_too_large"
  | "skill.bad_yaml"
  | "skill.mended_yaml"
  | "skill.not_a_mapping"
  | "skill.no_name"
  | "skill.name_case"
  | "skill.name_length"
  | "skill.name_hyphens"
  | "skill.name_double_hyphen"
  | "skill.name_characters"
  | "skill.name_reserved"
  | "skill.name_mismatch"
  | "skill.no_description"
  | "skill.description_length"
  | "skill.compatibility_length"
  | "skill.unknown_field"
  | "skill.bad_field"
  | "skill.not_utf8"
  | "skill.suspicious"
  | "skill.suspicious_description"
  | "skill.too_large"
  | "skill.unreadable"
  | "skill.leads_outside"
  | "skill.too_many"
  | "skill.too_deep";

/** A problem with the file that has it, absolute. */
export interface LocatedProblem extends SkillProblem {
  readonly file: string;
}

/** A variable that a skill needs in the environment. */
export interface RequiredVariable {
  readonly name: string;
  readonly help: string | undefined;
  readonly requiredFor: string | undefined;
}

/** A setting that a skill reads, `skills.config.<key>` (compat §13.1). */
export interface SkillSetting {
  readonly key: string;
  readonly description: string | undefined;
  readonly default: string | undefined;
}

/** What a skill's front matter says. Everything is text: `version: 1.0` is "1.0". */
export interface SkillFields {
  readonly name: SkillName;
  /** Whole, on one line; never empty. */
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly allowedTools?: string;
  readonly version?: string;
  /** `metadata` where it holds text; deeper parts of it are read into the members below. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  /** Of `metadata.hermes.category`. */
  readonly category?: string;
  /** Systems that it works on: `macos`, `linux`, `windows`; empty = all. */
  readonly platforms: readonly string[];
  readonly requiredVariables: readonly RequiredVariable[];
  readonly requiredFiles: readonly string[];
  readonly settings: readonly SkillSetting[];
  /** Offered only if all of these are granted. */
  readonly requires: ToolNeeds;
  /** Offered only if none of these is granted. */
  readonly fallbackFor: ToolNeeds;
  /** `disable-model-invocation`: only the person may use it, as `/name`. */
  readonly personOnly: boolean;
  /** The names of fields that nothing here reads. They stay in the file. */
  readonly unknownFields: readonly string[];
}

/** Toolsets and tools, by name. */
export interface ToolNeeds {
  readonly toolsets: readonly string[];
  readonly tools: readonly string[];
}

/** A skill that can be used. */
export interface Skill extends SkillFields {
  readonly source: SkillSource;
  /** Its folder, absolute, without links. */
  readonly directory: string;
  /** Its SKILL.md, absolute. */
  readonly file: string;
  /** The folders between the source's root and its own, joined by `/`; else the front matter's category; else empty. */
  readonly group: string;
  readonly problems: readonly SkillProblem[];
}
