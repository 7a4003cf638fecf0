import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { messageOf } from "../../base/app-error.ts";
import { absent } from "../../base/system-error.ts";
import { textAt, wordsAt } from "./front-matter-values.ts";
import type { YamlMap } from "./front-matter.ts";
import { readSkillFile } from "./read-skill-file.ts";
import { parseSkillName } from "./skill-name.ts";
import type { SkillName } from "./skill.ts";

/** Several skills under one name (compat §13.1): `skill-bundles/<slug>.yaml`. */
export interface SkillBundle {
  /** The file's name: `/<slug>` loads it. */
  readonly slug: SkillName;
  readonly name: string;
  readonly description: string;
  /** Names as they were written. */
  readonly skills: readonly string[];
  /** Said before the skills. */
  readonly instruction: string;
  readonly file: string;
}

export interface BundleSet {
  readonly bundles: readonly SkillBundle[];
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

const MOST_BUNDLES = 200;

/** Reads the bundles of a home; `directory` is its `skill-bundles/`. Never throws for what stands in it. */
export const findBundles = async (directory: string): Promise<BundleSet> => {
  const names = ((await readdir(directory).catch(absent)) ?? [])
    .filter((name) => /^[^.].*\.ya?ml$/u.test(name))
    .toSorted();
  const bundles: SkillBundle[] = [];
  const problems: { file: string; message: string }[] = [];
  for (const name of names.slice(0, MOST_BUNDLES)) {
    const file = join(directory, name);
    const slug = parseSkillName(name.replace(/\.ya?ml$/u, ""));
    if (slug === undefined) {
      problems.push({ file, message: "Its name can't be a command." });
      continue;
    }
    const read = await readBundle(file);
    if (typeof read === "string") problems.push({ file, message: read });
    else if (!bundles.some((bundle) => bundle.slug === slug)) {
      bundles.push({ ...read, slug, file, name: read.name === "" ? slug : read.name });
    }
  }
  return { bundles, problems };
};

type BundleText = Omit<SkillBundle, "slug" | "file">;

const readBundle = async (file: string): Promise<BundleText | string> => {
  const read = await readSkillFile(file);
  if (!read.ok) return read.error.message;
  try {
    const document = parseDocument(read.value.text, { schema: "failsafe", logLevel: "silent" });
    const [fault] = document.errors;
    if (fault !== undefined) return `It is no YAML: ${fault.message.split("\n")[0] ?? ""}`;
    const map: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 0 });
    if (!(map instanceof Map)) return "It must be fields with values: name, description, skills, instruction.";
    return bundleOf(map as YamlMap);
  } catch (thrown) {
    return `It is no YAML: ${messageOf(thrown)}`;
  }
};

const bundleOf = (map: YamlMap): BundleText | string => {
  const skills = wordsAt(map, "skills");
  if (skills.length === 0) return "It names no skills: `skills:` must be a list of names.";
  return {
    name: textAt(map, "name")?.trim() ?? "",
    description: (textAt(map, "description") ?? "").replaceAll(/\s+/gu, " ").trim(),
    skills,
    instruction: (textAt(map, "instruction") ?? "").trim(),
  };
};
