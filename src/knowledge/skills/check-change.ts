import { MASKS } from "../../base/redact/mask.ts";
import { failure, success, type Result } from "../../base/result.ts";
import { MAX_INNER_FILE } from "./inner-path.ts";
import { parseSkill } from "./parse-skill.ts";
import { MAX_SKILL_FILE } from "./read-skill-file.ts";
import type { ChangeFault } from "./skill-change.ts";
import { nameProblems, parseSkillName } from "./skill-name.ts";
import type { SkillName, SkillProblem } from "./skill.ts";

/** What the standard has against a new skill's text that does not keep it from being used. */
const HARMLESS: ReadonlySet<SkillProblem["code"]> = new Set([
  "skill.unknown_field",
  "skill.suspicious",
  "skill.suspicious_description",
]);

/** A name for a new skill: exactly what the standard allows. */
export const checkNewName = (name: string): Result<SkillName, ChangeFault> => {
  const problems = nameProblems(name);
  const parsed = parseSkillName(name);
  return problems.length > 0 || parsed === undefined ? failure({ kind: "bad_name", problems }) : success(parsed);
};

/** The folders above a new skill: at most two names; none is allowed. */
export const checkGroup = (group: string): Result<readonly string[], ChangeFault> => {
  const parts = group.trim() === "" ? [] : group.trim().split("/");
  const names = parts.flatMap((part) => parseSkillName(part) ?? []);
  return names.length === parts.length && parts.length <= 2 ? success(names) : failure({ kind: "bad_group" });
};

/** The SKILL.md of a new skill must be up to the standard. */
export const checkNewSkill = (text: string, name: SkillName): Result<readonly SkillProblem[], ChangeFault> => {
  const checked = checkSkillText(text, name);
  if (!checked.ok) return checked;
  const severe = checked.value.filter(({ code }) => !HARMLESS.has(code));
  return severe.length > 0 ? failure({ kind: "bad_skill", problems: severe }) : checked;
};

/** The SKILL.md of a skill that exists may have the problems that reading overlooks (B56), but must stay that skill. */
export const checkSkillText = (text: string, name: SkillName): Result<readonly SkillProblem[], ChangeFault> => {
  if (Buffer.byteLength(text) > MAX_SKILL_FILE) return failure({ kind: "too_large", limit: MAX_SKILL_FILE });
  const parsed = parseSkill(text, name);
  if (parsed.kind === "unusable") return failure({ kind: "bad_skill", problems: parsed.problems });
  if (parsed.fields.name !== name) return failure({ kind: "other_name", name: parsed.fields.name });
  return success(parsed.problems);
};

/** Another file of a skill. */
export const checkFileText = (text: string): Result<undefined, ChangeFault> =>
  Buffer.byteLength(text) > MAX_INNER_FILE ? failure({ kind: "too_large", limit: MAX_INNER_FILE }) : success(undefined);

/** A text may not bring a mask that its file did not hold before: it would take the place of the secret, or keep nothing. */
export const bringsMask = (text: string, before: string): boolean =>
  (text.match(MASKS) ?? []).some((mask) => !before.includes(mask));

/** Whether a path inside a skill is its SKILL.md, however it is spelled. */
export const isSkillFile = (path: string): boolean => path.replace(/^(?:\.\/)+/u, "").toLowerCase() === "skill.md";
