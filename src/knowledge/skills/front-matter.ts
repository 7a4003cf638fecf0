import { parseDocument, type Document } from "yaml";
import { messageOf } from "../../base/app-error.ts";
import { failure, success, type Result } from "../../base/result.ts";
import type { SkillProblem } from "./skill.ts";

/** The two parts of a SKILL.md, as they stand in the file but for the line ends. */
export interface SplitSkill {
  readonly yaml: string;
  /** The line of the file in which `yaml` begins, from 1. */
  readonly yamlLine: number;
  /** Trimmed. */
  readonly body: string;
}

/** Values of front matter: text, lists and maps of them. */
export type YamlValue = string | readonly YamlValue[] | YamlMap;
export type YamlMap = ReadonlyMap<string, YamlValue>;

/** Front matter that was read. */
export interface FrontMatter {
  readonly fields: YamlMap;
  /** In which line of the file a top-level field stands. */
  readonly lineOf: (field: string) => number | undefined;
  readonly problems: readonly SkillProblem[];
}

/** More is nothing that a person wrote by hand; YAML takes time that grows faster than its text. */
const MAX_FRONT_MATTER = 32 * 1024;
const MAX_DEPTH = 32;

const error = (code: SkillProblem["code"], message: string, line?: number): SkillProblem => ({
  severity: "error",
  code,
  message,
  ...(line === undefined ? {} : { line }),
});

/** Takes a SKILL.md apart at its `---` lines. A byte order mark, CRLF and empty lines at the beginning do not matter. */
export const splitSkill = (text: string): Result<SplitSkill, SkillProblem> => {
  const lines = text.replace(/^\uFEFF/u, "").split(/\r\n|\n|\r/u);
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1 || !isFence(lines[first] ?? "")) {
    return failure(
      error(
        "skill.no_front_matter",
        "SKILL.md must begin with a line `---`, then name and description, then another `---`.",
        1,
      ),
    );
  }
  const end = lines.findIndex((line, index) => index > first && isFence(line));
  if (end === -1) {
    return failure(
      error(
        "skill.unclosed_front_matter",
        "The front matter has no end: a line `---` must stand after its last field.",
        first + 1,
      ),
    );
  }
  const yaml = lines.slice(first + 1, end).join("\n");
  if (yaml.length > MAX_FRONT_MATTER) {
    return failure(
      error(
        "skill.front_matter_too_large",
        `The front matter has ${yaml.length} characters; ${MAX_FRONT_MATTER} are read. Longer text belongs below it.`,
        first + 1,
      ),
    );
  }
  return success({
    yaml,
    yamlLine: first + 2,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  });
};

const isFence = (line: string): boolean => /^---\s*$/u.test(line);

/**
 * Reads front matter. Where YAML takes a text of one line for something else (`description: Tides: hourly`), the text is taken as
 * it stands, and a problem says which line to put in quotes (client-implementation, "Handling malformed YAML").
 */
export const readFrontMatter = ({ yaml, yamlLine }: SplitSkill): Result<FrontMatter, SkillProblem> => {
  const lineAt = (offset: number): number => yamlLine + yaml.slice(0, offset).split("\n").length - 1;
  const lineOf = (field: string): number | undefined => {
    const at = yaml.split("\n").findIndex((line) => new RegExp(`^["']?${escape(field)}["']?\\s*:`, "u").test(line));
    return at === -1 ? undefined : yamlLine + at;
  };
  if (isTooDeep(yaml)) return failure(error("skill.bad_yaml", "The front matter is nested too deeply.", yamlLine));
  const strict = parse(yaml);
  if (strict.ok)
    return strict.value instanceof Map ? success({ fields: strict.value, lineOf, problems: [] }) : notMap(yamlLine);
  const mended = mend(yaml);
  const again = mended === undefined ? undefined : parse(mended.yaml);
  if (mended !== undefined && again?.ok === true && again.value instanceof Map) {
    const problems = mended.lines.map(({ field, line }): SkillProblem => ({
      severity: "warning",
      code: "skill.mended_yaml",
      message: `The value of ${field} is no plain YAML text (a colon or another sign in it); it was read as it stands. Put it in quotes.`,
      line: yamlLine + line,
    }));
    return success({ fields: again.value, lineOf, problems });
  }
  const { message, offset } = strict.error;
  return failure(
    error(
      "skill.bad_yaml",
      `The front matter is no YAML: ${message}`,
      offset === undefined ? yamlLine : lineAt(offset),
    ),
  );
};

const notMap = (line: number): Result<never, SkillProblem> =>
  failure(error("skill.not_a_mapping", "The front matter must be fields with values: `name: …`.", line));

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/gu, String.raw`\$&`);

interface YamlFault {
  readonly message: string;
  readonly offset: number | undefined;
}

/** Every scalar is text, and aliases are refused: what is read is never larger than what was written. */
const parse = (yaml: string): Result<YamlValue | undefined, YamlFault> => {
  try {
    const document: Document = parseDocument(yaml, { schema: "failsafe", logLevel: "silent" });
    const [fault] = document.errors;
    if (fault !== undefined) {
      return failure({ message: fault.message.split(/ at line|\n/u)[0] ?? fault.message, offset: fault.pos[0] });
    }
    return success(document.toJS({ mapAsMap: true, maxAliasCount: 0 }) as YamlValue | undefined);
  } catch (thrown) {
    return failure({ message: messageOf(thrown), offset: undefined });
  }
};

const isTooDeep = (yaml: string): boolean => {
  if (/^ *(?:[-?] +){32,}/mu.test(yaml)) return true;
  let depth = 0;
  for (const character of yaml) {
    if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth = Math.max(0, depth - 1);
    if (depth > MAX_DEPTH) return true;
  }
  return false;
};

interface Mended {
  readonly yaml: string;
  readonly lines: readonly { readonly field: string; readonly line: number }[];
}

/** Fields whose value is one text, so that everything after the colon must belong to it. */
const TEXT_FIELDS = new Set(["name", "description", "license", "compatibility", "version", "allowed-tools"]);

/** Puts the plain values of text fields into quotes; undefined = there is nothing of the kind. Keeps the number of lines. */
const mend = (yaml: string): Mended | undefined => {
  const lines = yaml.split("\n");
  const out: string[] = [];
  const changed: { field: string; line: number }[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const match = /^([A-Za-z-]+):[ \t]+(?![["'{|>])(.+)$/u.exec(line);
    if (match?.[1] === undefined || match[2] === undefined || !TEXT_FIELDS.has(match[1])) {
      out.push(line);
      continue;
    }
    let next = at + 1;
    while (next < lines.length && /^[ \t]+\S/u.test(lines[next] ?? "")) next += 1;
    const value = [match[2], ...lines.slice(at + 1, next)].map((part) => part.trim()).join(" ");
    const isPlain = parse(`value: ${[match[2], ...lines.slice(at + 1, next)].join("\n")}`);
    if (isPlain.ok) {
      out.push(...lines.slice(at, next));
    } else {
      out.push(`${match[1]}: ${JSON.stringify(value)}`, ...lines.slice(at + 1, next).map(() => ""));
      changed.push({ field: match[1], line: at });
    }
    at = next - 1;
  }
  return changed.length === 0 ? undefined : { yaml: out.join("\n"), lines: changed };
};
