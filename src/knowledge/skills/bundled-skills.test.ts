import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { scanText } from "../scan/scan-text.ts";
import { findSkills } from "./find-skills.ts";
import { parseSkill } from "./parse-skill.ts";
import { skillLines } from "./skill-index.ts";

const roots = { home: "/nowhere", external: [], bundled: join(import.meta.dirname, "../../../skills") };
const { skills, problems } = await findSkills({ roots, cacheFile: undefined, now: () => 0 });

test("R-PROMPT-1 the list of the skills that ship takes at most 350 tokens, and leaves none out", () => {
  const lines = skillLines(skills);
  const tokens = encode(lines).length;
  process.stdout.write(`${skills.length} bundled skills: ${tokens} tokens\n`);
  expect(problems).toEqual([]);
  expect(lines.split("\n")).toHaveLength(skills.length);
  expect(tokens).toBeLessThanOrEqual(350);
});

describe.each(skills.map((skill) => [skill.name, skill] as const))("%s", (name, skill) => {
  const text = readFileSync(skill.file, "utf8");

  test("is up to the standard, of a length that can be read at once, and clean to the scanner", () => {
    expect(parseSkill(text, name)).toMatchObject({ kind: "skill", problems: [] });
    expect(text.split("\n").length).toBeGreaterThanOrEqual(40);
    expect(text.split("\n").length).toBeLessThanOrEqual(120);
    expect(encode(text).length).toBeLessThan(2_000);
    expect(scanText(text)).toEqual([]);
  });

  test("says when to use it, how to check, and what goes wrong", () => {
    expect(skill.description).toMatch(/\bUse (?:for|to|when|after|before)\b/u);
    expect(text).toMatch(/^## (?:\d\. )?(?:Check|Report|Prove)/mu);
    expect(text).toMatch(/^## (?:Pitfalls|Never)/mu);
  });
});
