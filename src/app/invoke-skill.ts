import { join } from "node:path";
import { skillNamed } from "../knowledge/skills/apply-change.ts";
import { describeChangeFault, describeProblems } from "../knowledge/skills/describe-fault.ts";
import { skillErrors } from "../knowledge/skills/errors.ts";
import { findSkills, type SkillSet } from "../knowledge/skills/find-skills.ts";
import { listInner } from "../knowledge/skills/inner-path.ts";
import { missingNeeds, renderSkill, settingLines } from "../knowledge/skills/render-skill.ts";
import { findBundles, type SkillBundle } from "../knowledge/skills/skill-bundles.ts";
import { parseSkillName } from "../knowledge/skills/skill-name.ts";
import { failure, success, type Result } from "../base/result.ts";
import type { App } from "./app.ts";
import { skillLibrary, skillSettings } from "./skills.ts";

/** A skill or bundle that a person calls. */
export interface SkillCall {
  readonly name: string;
  /** What was said with it. */
  readonly args: string;
  readonly session: string;
}

/** The message that a call becomes, or why there is none. `used` = the skills in it. */
export type Invoked =
  | { readonly kind: "message"; readonly text: string; readonly used: readonly string[] }
  | { readonly kind: "failed"; readonly message: string; readonly hint?: string };

/**
 * Makes the message of `/name args`: that line, then (for a bundle) its instruction, then each skill as `renderSkill` writes it, with
 * empty lines between. The line stands first so that titles and lists show what the person wrote.
 */
export const invokeSkill = async (app: App, { name, args, session }: SkillCall): Promise<Invoked> => {
  const [set, { bundles }] = await Promise.all([
    findSkills(skillLibrary(app)),
    findBundles(join(app.home.path, "skill-bundles")),
  ]);
  const slug = parseSkillName(name);
  const bundle = bundles.find((candidate) => candidate.slug === slug);
  const blocks = await blocksOf(app, set, { names: bundle?.skills ?? [name], session });
  if (!blocks.ok && bundle === undefined) return { kind: "failed", message: blocks.error, hint: "/skills lists them." };
  if (!blocks.ok) return { kind: "failed", message: `The bundle ${name} can't be used: ${blocks.error}` };
  const line = args === "" ? `/${slug ?? name}` : `/${slug ?? name} ${args}`;
  const text = [line, ...instructionOf(bundle), ...blocks.value.map((block) => block.text)].join("\n\n");
  return { kind: "message", text, used: blocks.value.map((block) => block.name) };
};

const instructionOf = (bundle: SkillBundle | undefined): readonly string[] =>
  bundle === undefined || bundle.instruction === "" ? [] : [bundle.instruction];

interface Block {
  readonly name: string;
  readonly text: string;
}

/** All of the skills, or why one of them is not to be had. */
const blocksOf = async (
  app: App,
  set: SkillSet,
  { names, session }: { readonly names: readonly string[]; readonly session: string },
): Promise<Result<readonly Block[], string>> => {
  const settings = skillSettings(app);
  const blocks: Block[] = [];
  for (const wanted of names) {
    const found = skillNamed(set, wanted.split("/").at(-1) ?? wanted);
    if (!found.ok) return failure(`${wanted}: ${describeChangeFault(found.error)}`);
    const skill = found.value;
    if (settings.disabled().some((off) => off.trim().toLowerCase() === skill.name)) {
      return failure(`${skill.name} is switched off: skills.disabled in config.yaml.`);
    }
    const rendered = await renderSkill(skill, { fillsVariables: settings.fillsVariables, session });
    if (!rendered.ok) return failure(`${skill.name}: ${describeProblems(rendered.error)}`);
    const { files } = await listInner(skill.directory);
    const lines = [
      rendered.value,
      ...(files.length === 0 ? [] : [`Files in it: ${files.join(", ")}.`]),
      ...missingNeeds(skill, settings.hasVariable),
      ...settingLines(skill, settings.settingOf),
    ];
    if (!blocks.some((block) => block.name === skill.name)) blocks.push({ name: skill.name, text: lines.join("\n") });
  }
  return success(blocks);
};

/**
 * `--skills`: the texts that go with the first message; none with `--ignore-rules`. Throws `skill.not_found` for a name that cannot be
 * used.
 */
export const preloadSkills = async (
  app: App,
  names: readonly string[],
  session: string,
): Promise<readonly string[]> => {
  if (names.length === 0 || app.config.section("environment").ignore_rules) return [];
  const set = await findSkills(skillLibrary(app));
  const texts: string[] = [];
  for (const name of names) {
    const blocks = await blocksOf(app, set, { names: [name], session });
    if (!blocks.ok) throw skillErrors.notFound({ name, why: blocks.error });
    texts.push(...blocks.value.map((block) => block.text));
  }
  return texts;
};
