import { findInvisible } from "../scan/invisible.ts";
import type { ScanFinding } from "../scan/scan-rule.ts";
import { describeFindings, scanText } from "../scan/scan-text.ts";
import { type FrontMatter, readFrontMatter, splitSkill, type YamlMap } from "./front-matter.ts";
import { mapsAt, mapAt, textAt, textsAt, wordsAt } from "./front-matter-values.ts";
import { nameProblems, nearestSkillName } from "./skill-name.ts";
import type { SkillFields, SkillName, SkillProblem, ToolNeeds } from "./skill.ts";

/** What a SKILL.md holds, or why there is nothing to work with. */
export type ParsedSkill =
  | {
      readonly kind: "skill";
      readonly fields: SkillFields;
      /** The instructions below the front matter, trimmed. */
      readonly body: string;
      /** Warnings only; none = the file is up to the standard. */
      readonly problems: readonly SkillProblem[];
    }
  | { readonly kind: "unusable"; readonly problems: readonly SkillProblem[] };

/** The standard's limits, in characters. */
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;

/** Fields of the standard, of compat §13.1, and the one of client-implementation, "Filtering". */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
  "version",
  "platforms",
  "required_environment_variables",
  "required_credential_files",
  "disable-model-invocation",
]);

/**
 * Reads a SKILL.md (`../shared/contracts/agentskills`): as much as can be used, with everything that is not up to the standard as
 * problems. The one rule for reading, editing and installing. `folder` is the name of the folder that holds it. Pure.
 */
export const parseSkill = (text: string, folder?: string): ParsedSkill => {
  const split = splitSkill(text);
  if (!split.ok) return { kind: "unusable", problems: [split.error] };
  const front = readFrontMatter(split.value);
  if (!front.ok) return { kind: "unusable", problems: [front.error] };
  const problems = [
    ...front.value.problems,
    ...fieldProblems(front.value),
    ...descriptionProblems(front.value),
    ...hiddenProblems(text),
  ];
  const named = chooseName(front.value, folder);
  const description = oneLine(textAt(front.value.fields, "description") ?? "");
  problems.push(...named.problems);
  if (description === "") {
    problems.push({
      severity: "error",
      code: "skill.no_description",
      message: "The field `description` is missing: it says what the skill is for and when to use it.",
      ...place(front.value, "description"),
    });
  }
  if (named.name === undefined || description === "") return { kind: "unusable", problems };
  const fields = fieldsOf(front.value.fields, { name: named.name, description });
  return { kind: "skill", fields, body: split.value.body, problems };
};

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();

const place = (front: FrontMatter, field: string): { readonly line: number } | undefined => {
  const line = front.lineOf(field);
  return line === undefined ? undefined : { line };
};

interface ChosenName {
  readonly name: SkillName | undefined;
  readonly problems: readonly SkillProblem[];
}

/** A name that cannot be one is bent into the nearest that can; the folder's stands in for a missing one. */
const chooseName = (front: FrontMatter, folder: string | undefined): ChosenName => {
  const given = textAt(front.fields, "name")?.trim() ?? "";
  if (given === "") {
    const name = folder === undefined ? undefined : nearestSkillName(folder);
    const severity = name === undefined ? "error" : "warning";
    const instead = name === undefined ? "" : ` Its folder's is used: ${name}.`;
    return {
      name,
      problems: [
        {
          severity,
          code: "skill.no_name",
          message: `The field \`name\` is missing.${instead}`,
          ...place(front, "name"),
        },
      ],
    };
  }
  const problems = [...nameProblems(given, front.lineOf("name"))];
  const name = nearestSkillName(given) ?? (folder === undefined ? undefined : nearestSkillName(folder));
  if (name === undefined) {
    problems.push({
      severity: "error",
      code: "skill.no_name",
      message: "The name holds no letter or digit.",
      ...place(front, "name"),
    });
  } else if (folder !== undefined && folder.normalize("NFKC") !== given.normalize("NFKC")) {
    problems.push({
      severity: "warning",
      code: "skill.name_mismatch",
      message: `The folder is called "${oneLine(folder)}" and the skill "${oneLine(given)}": the standard wants one name.`,
      ...place(front, "name"),
    });
  }
  return { name, problems };
};

const fieldProblems = (front: FrontMatter): readonly SkillProblem[] => {
  const { fields } = front;
  const found: SkillProblem[] = [];
  const warn = (code: SkillProblem["code"], field: string, message: string): void => {
    found.push({ severity: "warning", code, message, ...place(front, field) });
  };
  for (const field of fields.keys()) {
    if (!KNOWN_FIELDS.has(field)) warn("skill.unknown_field", field, `Nothing reads the field "${oneLine(field)}".`);
  }
  for (const field of ["name", "description", "license", "compatibility", "version"]) {
    const value = fields.get(field);
    if (value !== undefined && typeof value !== "string")
      warn("skill.bad_field", field, `The field ${field} must be text.`);
  }
  const metadata = fields.get("metadata");
  if (metadata !== undefined && metadata !== "" && !(metadata instanceof Map))
    warn("skill.bad_field", "metadata", "The field metadata must be names with values.");
  const description = lengthOf(textAt(fields, "description"));
  if (description > MAX_DESCRIPTION) {
    warn(
      "skill.description_length",
      "description",
      `The description has ${description} characters; ${MAX_DESCRIPTION} are allowed. Lists show its beginning.`,
    );
  }
  const compatibility = lengthOf(textAt(fields, "compatibility"));
  if (compatibility > MAX_COMPATIBILITY) {
    warn(
      "skill.compatibility_length",
      "compatibility",
      `The field compatibility has ${compatibility} characters; ${MAX_COMPATIBILITY} are allowed.`,
    );
  }
  return found;
};

const lengthOf = (text: string | undefined): number => Array.from(text ?? "").length;

/** What nobody sees may tell the model what nobody wrote (B57): it is named with its place, and joined emoji are none of it. */
const hiddenProblems = (text: string): readonly SkillProblem[] =>
  withFindings(findInvisible(text), (findings) => ({
    severity: "warning",
    code: "skill.suspicious",
    message: `There are characters that nobody sees: ${findings}.`,
  }));

/** The description stands in the prompt unasked, so it may not talk to the model. */
const descriptionProblems = (front: FrontMatter): readonly SkillProblem[] =>
  withFindings(scanText(textAt(front.fields, "description") ?? ""), (findings) => ({
    severity: "warning",
    code: "skill.suspicious_description",
    message: `The description may be meant to steer the model, so it is kept out of the prompt: ${findings}.`,
    ...place(front, "description"),
  }));

const withFindings = (
  findings: readonly ScanFinding[],
  problem: (described: string) => SkillProblem,
): readonly SkillProblem[] => (findings.length === 0 ? [] : [problem(describeFindings(findings))]);

const fieldsOf = (
  fields: YamlMap,
  { name, description }: { readonly name: SkillName; readonly description: string },
): SkillFields => {
  const metadata = mapAt(fields, "metadata");
  const own = mapAt(metadata, "hermes");
  const license = textAt(fields, "license");
  const compatibility = textAt(fields, "compatibility");
  const allowedTools = textAt(fields, "allowed-tools") ?? (wordsAt(fields, "allowed-tools").join(" ") || undefined);
  const version = textAt(fields, "version");
  const category = textAt(own, "category");
  return {
    name,
    description,
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(version === undefined ? {} : { version }),
    ...(category === undefined ? {} : { category: oneLine(category) }),
    metadata: Object.fromEntries(
      Array.from(metadata).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
    ),
    tags: wordsAt(own, "tags"),
    platforms: wordsAt(fields, "platforms").map((platform) => platform.toLowerCase()),
    requiredVariables: requiredVariables(fields),
    requiredFiles: [
      ...textsAt(fields, "required_credential_files"),
      ...mapsAt(fields, "required_credential_files").flatMap((entry) => textAt(entry, "path") ?? []),
    ],
    settings: mapsAt(own, "config").flatMap((entry) => {
      const key = textAt(entry, "key");
      return key === undefined
        ? []
        : [{ key, description: textAt(entry, "description"), default: textAt(entry, "default") }];
    }),
    requires: needs(own, "requires"),
    fallbackFor: needs(own, "fallback_for"),
    personOnly: /^(?:true|yes|on|1)$/iu.test(textAt(fields, "disable-model-invocation") ?? ""),
    unknownFields: Array.from(fields.keys()).filter((field) => !KNOWN_FIELDS.has(field)),
  };
};

const needs = (own: YamlMap, prefix: string): ToolNeeds => ({
  toolsets: wordsAt(own, `${prefix}_toolsets`),
  tools: wordsAt(own, `${prefix}_tools`),
});

/** Entries are names, or names with help (compat §13.1). */
const requiredVariables = (fields: YamlMap): SkillFields["requiredVariables"] => [
  ...textsAt(fields, "required_environment_variables").map((name) => ({
    name,
    help: undefined,
    requiredFor: undefined,
  })),
  ...mapsAt(fields, "required_environment_variables").flatMap((entry) => {
    const name = textAt(entry, "name");
    return name === undefined
      ? []
      : [{ name, help: textAt(entry, "help") ?? textAt(entry, "prompt"), requiredFor: textAt(entry, "required_for") }];
  }),
];
