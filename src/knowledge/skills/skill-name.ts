import type { SkillName, SkillProblem } from "./skill.ts";

/** The standard's limit, in characters. */
export const MAX_NAME_LENGTH = 64;

/** A reserved name stays reserved with any extension on Windows. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)$/u;
const FOLDER_SAFE = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_-]*$/u;

const length = (text: string): number => Array.from(text).length;
const fold = (text: string): string => text.normalize("NFKC").trim();

/** Takes a name as a person, a model or a folder gives it; case does not matter. undefined = no skill can have it. */
export const parseSkillName = (text: string): SkillName | undefined => {
  const name = fold(text).toLowerCase();
  return FOLDER_SAFE.test(name) && length(name) <= MAX_NAME_LENGTH && !RESERVED.test(name)
    ? (name as SkillName)
    : undefined;
};

/** The nearest possible name of a text: what cannot stand in a name becomes a hyphen. undefined = nothing is left. */
export const nearestSkillName = (text: string): SkillName | undefined => {
  const joined = fold(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_-]+/gu, "-")
    .replaceAll(/^[-\p{M}]+|-+$/gu, "");
  const cut = Array.from(joined).slice(0, MAX_NAME_LENGTH).join("").replace(/-+$/u, "");
  return parseSkillName(RESERVED.test(cut) ? `${cut}-skill` : cut);
};

/** What the standard has against a name (specification, "name field"); empty = it may be used as it is. */
export const nameProblems = (text: string, line?: number): readonly SkillProblem[] => {
  const name = fold(text);
  const found: SkillProblem[] = [];
  const add = (code: SkillProblem["code"], message: string): void => {
    found.push({ severity: "warning", code, message, ...(line === undefined ? {} : { line }) });
  };
  if (name !== name.toLowerCase()) add("skill.name_case", `The name "${shown(name)}" must be in lower case.`);
  if (length(name) > MAX_NAME_LENGTH)
    add("skill.name_length", `The name has ${length(name)} characters; ${MAX_NAME_LENGTH} are allowed.`);
  if (/^-|-$/u.test(name)) add("skill.name_hyphens", "The name begins or ends with a hyphen.");
  if (name.includes("--")) add("skill.name_double_hyphen", "The name has two hyphens in a row.");
  if (/[^\p{L}\p{N}\p{M}-]/u.test(name))
    add("skill.name_characters", `The name "${shown(name)}" may hold letters, digits and hyphens only.`);
  if (RESERVED.test(name.toLowerCase())) add("skill.name_reserved", `"${shown(name)}" is a device name on Windows.`);
  return found;
};

/** For messages: nothing that a terminal could take for a command, and not endless. */
const shown = (name: string): string =>
  Array.from(name.replaceAll(/\p{C}/gu, "?"))
    .slice(0, MAX_NAME_LENGTH + 1)
    .join("");
