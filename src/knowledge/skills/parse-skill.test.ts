import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSkill, type ParsedSkill } from "./parse-skill.ts";
import { parseSkillName } from "./skill-name.ts";

const codes = (parsed: ParsedSkill): readonly string[] => parsed.problems.map(({ code }) => code);
const usable = (parsed: ParsedSkill): Extract<ParsedSkill, { kind: "skill" }> => {
  if (parsed.kind !== "skill") throw new Error(`unusable: ${JSON.stringify(parsed.problems)}`);
  return parsed;
};
const skill = (front: string, body = "Body"): string => `---\n${front}\n---\n${body}\n`;

const VECTORS = join(import.meta.dirname, "../../../../shared/contracts/agentskills/skills-ref-vectors.json");

interface Vector {
  readonly file: string;
  readonly test: string;
  readonly paths: readonly string[];
  readonly skill_md: readonly (string | { readonly source: string })[];
  readonly inputs: readonly string[];
  readonly expect: readonly string[];
}

/** What the reference's words are here. */
const CODE_OF: readonly (readonly [RegExp, string])[] = [
  [/must start with YAML frontmatter/u, "skill.no_front_matter"],
  [/not properly closed/u, "skill.unclosed_front_matter"],
  [/Invalid YAML/u, "skill.bad_yaml"],
  [/must be a YAML mapping/u, "skill.not_a_mapping"],
  [/Missing required field.*name/u, "skill.no_name"],
  [/Missing required field.*description/u, "skill.no_description"],
  [/'lowercase' in e/u, "skill.name_case"],
  [/character limit/u, "skill.name_length"],
  [/start or end with a hyphen/u, "skill.name_hyphens"],
  [/consecutive hyphens/u, "skill.name_double_hyphen"],
  [/invalid characters/u, "skill.name_characters"],
  [/must match skill name/u, "skill.name_mismatch"],
  [/Unexpected fields/u, "skill.unknown_field"],
  [/'1024' in e/u, "skill.description_length"],
  [/'500' in e/u, "skill.compatibility_length"],
];

/** The values that the reference's tests compute. */
const COMPUTED: Readonly<Record<string, string>> = {
  long_name: "a".repeat(70),
  long_desc: "x".repeat(1100),
  long_compat: "x".repeat(550),
  decomposed_name: "cafe\u0301",
};

const textOf = (given: Vector["skill_md"][number]): string =>
  typeof given === "string"
    ? given
    : given.source
        .replace(/^f'|'$/gu, "")
        .replaceAll(/\{(\w+)\}/gu, (_, name: string) => COMPUTED[name] ?? "")
        .replaceAll(String.raw`\n`, "\n");

const vectors = existsSync(VECTORS) ? (JSON.parse(readFileSync(VECTORS, "utf8")) as readonly Vector[]) : [];
const judged = vectors.filter(
  ({ test: name, file, skill_md: files, inputs }) =>
    file !== "test_prompt.py" &&
    !name.includes("find_skill_md") &&
    files.length + inputs.length > 0 &&
    name !== "test_not_a_directory",
);

describe.skipIf(vectors.length === 0)("vectors of the standard (skipped where ../shared is absent)", () => {
  test.each(judged.map((vector) => [`${vector.file} ${vector.test}`, vector] as const))("%s", (_, vector) => {
    const text = vector.skill_md[0] === undefined ? (vector.inputs[0] ?? "") : textOf(vector.skill_md[0]);
    const computed = Object.values(COMPUTED).find((value) => text.includes(`name: ${value}\n`));
    const folder = vector.paths.find((path) => !/skill\.md$/iu.test(path)) ?? computed?.normalize("NFKC");
    const parsed = parseSkill(text, folder === undefined || vector.test === "test_missing_name" ? undefined : folder);
    for (const wanted of vector.expect) {
      const code = CODE_OF.find(([words]) => words.test(wanted))?.[1];
      if (code !== undefined) expect(codes(parsed)).toContain(code);
      else if (wanted === "errors == []") expect(parsed).toMatchObject({ kind: "skill", problems: [] });
      else expectField(wanted, usable(parsed));
    }
  });

  test("every vector is judged here or beside what it is about", () => {
    const elsewhere = vectors.filter((vector) => !judged.includes(vector)).map(({ test: name }) => name);
    expect(elsewhere.toSorted()).toEqual([
      "test_empty_list",
      "test_find_skill_md_accepts_lowercase",
      "test_find_skill_md_prefers_uppercase",
      "test_find_skill_md_returns_none_when_missing",
      "test_missing_skill_md",
      "test_missing_skill_md",
      "test_multiple_skills",
      "test_nonexistent_path",
      "test_not_a_directory",
      "test_single_skill",
      "test_special_characters_escaped",
    ]);
  });
});

const expectField = (wanted: string, { fields, body }: Extract<ParsedSkill, { kind: "skill" }>): void => {
  const equal = /^(?:props\.|metadata\[')(\w+)(?:'\])? == (.+)$/u.exec(wanted);
  if (equal?.[1] !== undefined && equal[2] !== undefined) {
    const name = { allowed_tools: "allowedTools" }[equal[1]] ?? equal[1];
    expect(fields).toHaveProperty(name, JSON.parse(equal[2].replaceAll("'", '"')));
    return;
  }
  if (wanted.startsWith("d['allowed-tools']")) return; // the same value once more
  const inBody = /^'(.+)' in body$/u.exec(wanted)?.[1];
  if (inBody === undefined) throw new Error(`no rule for: ${wanted}`);
  expect(body).toContain(inBody);
};

describe("lenient reading", () => {
  test("B56 an unquoted colon in a description is taken as it stands, and the problem names line and mending", () => {
    const parsed = usable(parseSkill(skill("name: tide\ndescription: Plots tides: hourly, daily"), "tide"));
    expect(parsed.fields.description).toBe("Plots tides: hourly, daily");
    expect(parsed.problems).toEqual([
      expect.objectContaining({
        severity: "warning",
        code: "skill.mended_yaml",
        line: 3,
        message: expect.stringContaining("quotes"),
      }),
    ]);
  });

  test("B56 so is one that goes on over several lines, and the other fields keep their values", () => {
    const front =
      "name: tide\ndescription: Plots tides: hourly,\n  and: daily\nmetadata:\n  author: Ann\nlicense: MIT: see file";
    const parsed = usable(parseSkill(skill(front), "tide"));
    expect(parsed.fields).toMatchObject({
      description: "Plots tides: hourly, and: daily",
      license: "MIT: see file",
      metadata: { author: "Ann" },
    });
    expect(parsed.problems.map(({ line }) => line)).toEqual([3, 7]);
  });

  test.each(["*.md files", "@mention someone", "`code` first", "%d things", "- a dash", "ends with colon:"])(
    "a description that begins with a sign of YAML is text: %s",
    (description) => {
      expect(usable(parseSkill(skill(`name: a\ndescription: ${description}`), "a")).fields.description).toBe(
        description,
      );
    },
  );

  test("B57 joined emoji are text; hidden characters are named with their place, and the skill still loads", () => {
    for (const honest of ["\u{1F469}\u200D\u{1F4BB} notes", "\u2764\uFE0F\u200D\u{1F525}"]) {
      expect(parseSkill(skill(`name: a\ndescription: ${honest}`), "a").problems).toEqual([]);
    }
    for (const hidden of ["pass\u200Dword", "\u200Dstart", "\u{1F525}\u200Da"]) {
      const parsed = usable(parseSkill(skill(`name: a\ndescription: ${hidden}`), "a"));
      expect(codes(parsed)).toEqual(["skill.suspicious_description", "skill.suspicious"]);
      expect(parsed.problems[1]?.message).toContain("U+200D");
      const inBody = usable(parseSkill(skill("name: a\ndescription: d", hidden), "a"));
      expect(codes(inBody)).toEqual(["skill.suspicious"]);
    }
  });

  test("a byte order mark, CRLF, empty lines before and spaces after the fences do not matter", () => {
    const parsed = usable(
      parseSkill("\uFEFF\r\n\r\n---  \r\nname: a\r\ndescription: d\r\n---\t\r\n\r\nBody\r\nmore\r\n", "a"),
    );
    expect(parsed).toMatchObject({ body: "Body\nmore", problems: [], fields: { name: "a", description: "d" } });
  });

  test("unknown fields and long descriptions stay, with a warning", () => {
    const parsed = usable(parseSkill(skill(`name: a\nmodel: opus\ndescription: ${"long ".repeat(400)}`), "a"));
    expect(codes(parsed)).toEqual(["skill.unknown_field", "skill.description_length"]);
    expect(parsed.fields.unknownFields).toEqual(["model"]);
    expect(parsed.fields.description).toHaveLength(1999);
  });

  test("the fields of compat §13.1 are read", () => {
    const front = [
      "name: a",
      "description: d",
      "version: 1.10",
      "platforms: [macOS, linux]",
      "required_environment_variables:",
      "  - name: API_KEY",
      "    help: from the site",
      "    required_for: sending",
      "  - OTHER",
      "required_credential_files:",
      "  - path: token.json",
      "disable-model-invocation: true",
      "metadata:",
      "  author: Ann",
      "  hermes:",
      "    tags: [mail, home]",
      "    category: office",
      "    requires_toolsets: [web]",
      "    fallback_for_tools: web_search",
      "    config:",
      "      - key: a.folder",
      "        default: ~/x",
    ].join("\n");
    const { fields, problems } = usable(parseSkill(skill(front), "a"));
    expect(problems).toEqual([]);
    expect(fields).toMatchObject({
      version: "1.10",
      platforms: ["macos", "linux"],
      requiredVariables: [
        { name: "OTHER", help: undefined, requiredFor: undefined },
        { name: "API_KEY", help: "from the site", requiredFor: "sending" },
      ],
      requiredFiles: ["token.json"],
      personOnly: true,
      metadata: { author: "Ann" },
      tags: ["mail", "home"],
      category: "office",
      requires: { toolsets: ["web"], tools: [] },
      fallbackFor: { toolsets: [], tools: ["web_search"] },
      settings: [{ key: "a.folder", description: undefined, default: "~/x" }],
    });
  });

  test.each([
    ["My PDF Tools", "my-pdf-tools"],
    ["../../etc/x", "etc-x"],
    ["CON", "con-skill"],
    ["a\u0000b", "a-b"],
    ["---", "the-folder"],
    ["НАВЫК", "навык"],
  ])("a name that cannot be one is bent: %j is %s", (name, bent) => {
    const parsed = usable(parseSkill(skill(`name: ${JSON.stringify(name)}\ndescription: d`), "the-folder"));
    expect(parsed.fields.name).toBe(bent);
    expect(parsed.problems.length).toBeGreaterThan(0);
  });
});

describe("hostile front matter", () => {
  test.each([
    ["aliases", "name: a\ndescription: d\nx: &x [1, 1]\ny: &y [*x, *x]\nz: [*y, *y]"],
    ["deep flow", `name: a\ndescription: d\nx: ${"[".repeat(20_000)}`],
    ["deep blocks", `name: a\ndescription: d\nx:\n  ${"- ".repeat(5_000)}1`],
    ["size", `name: a\ndescription: d\nx: ${"y".repeat(40_000)}`],
  ])("%s are refused, not expanded", (_, front) => {
    expect(parseSkill(skill(front), "a").kind).toBe("unusable");
  });

  test("fields named like members of objects are plain fields", () => {
    const { fields } = usable(
      parseSkill(skill("name: a\ndescription: d\nmetadata:\n  __proto__: x\n  constructor: y"), "a"),
    );
    expect(Object.getPrototypeOf(fields.metadata)).toBe(Object.prototype);
    expect(Object.entries(fields.metadata)).toContainEqual(["constructor", "y"]);
  });
});

test("whatever the text, the parser answers, and a name is fit to be a folder", () => {
  const line = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("---", "name: x", "description: a: b", "- x", "x: |", "  y", "&a *a", "metadata: {", "]", "\t"),
  );
  fc.assert(
    fc.property(fc.array(line), fc.string({ unit: "binary" }), (lines, folder) => {
      const parsed = parseSkill(`---\nname: ${lines[0] ?? ""}\n${lines.join("\n")}\n---\nbody`, folder);
      if (parsed.kind === "skill") {
        expect(parseSkillName(parsed.fields.name)).toBe(parsed.fields.name);
        expect(parsed.fields.name).not.toMatch(/[/\\.\p{C}]/u);
        expect(parsed.fields.description).not.toMatch(/[\n\r]/u);
        expect(parsed.problems.every(({ severity }) => severity === "warning")).toBe(true);
      } else expect(parsed.problems.some(({ severity }) => severity === "error")).toBe(true);
    }),
  );
});
