/**
 * A process that changes skills: `node skill-process.ts <folder> <what> <name>`. `create` makes one skill and prints the outcome's kind; `create-many`
 * makes skills until it is killed and prints the name of each that was made.
 */
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { changeSkill } from "../knowledge/skills/manage-skills.ts";
import type { SkillLibrary } from "../knowledge/skills/skill-library.ts";
import { skillText } from "./skill-files.ts";

/** The library of a test's folder. */
export const libraryIn = (folder: string): SkillLibrary => ({
  roots: { home: join(folder, "skills"), external: [join(folder, "external")], bundled: join(folder, "bundled") },
  cacheFile: join(folder, "cache", "skills_index.json"),
  now: () => systemClock.now(),
  locks: join(folder, "locks"),
  clock: systemClock,
});

const [script, folder, what, name] = process.argv.slice(1);

const create = async (library: SkillLibrary, skill: string): Promise<string> => {
  const text = skillText(skill, { body: `Made by ${process.pid}. ${"Many words. ".repeat(2_000)}` });
  const change = { action: "create", name: skill, group: "made", text } as const;
  return (await changeSkill(library, change, { session: null, holds: false })).kind;
};

if (script?.endsWith("skill-process.ts") === true && folder !== undefined && name !== undefined) {
  const library = libraryIn(folder);
  if (what === "create") process.stdout.write(`${await create(library, name)}\n`);
  if (what === "create-many") {
    for (let count = 0; ; count += 1) {
      if ((await create(library, `${name}-${count}`)) === "done") process.stdout.write(`${name}-${count}\n`);
    }
  }
}
