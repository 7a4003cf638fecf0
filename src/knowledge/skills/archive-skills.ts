import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { failure, success, type Result } from "../../base/result.ts";
import { absent } from "../../base/system-error.ts";
import { parseJson } from "../../base/parse-json.ts";
import { parseSkillName } from "./skill-name.ts";

const noteSchema = z.object({
  name: z.string(),
  /** Where it stood, relative to the home's skills, with `/`. */
  from: z.string(),
  /** ms UTC. */
  at: z.number(),
  because: z.string(),
});

/** A skill that was taken out of use and can come back. */
export interface ArchivedSkill extends z.output<typeof noteSchema> {
  /** Its folder's name in `.archive/`: people name it by this. */
  readonly entry: string;
}

/** Why a skill could not come back. */
export type RestoreFailure = "unknown" | "taken";

const archiveOf = (home: string): string => join(home, ".archive");

/**
 * Moves a skill's folder to `.archive/`, with a note of where it stood. Only under the lock; the folder must be the home's own. The note
 * is written first: a folder without one is restored to the top.
 */
export const archiveFolder = async (
  home: string,
  skill: { readonly name: string; readonly directory: string; readonly because: string; readonly at: number },
): Promise<ArchivedSkill> => {
  await mkdir(archiveOf(home), { recursive: true, mode: 0o700 });
  const stamp = new Date(skill.at).toISOString().replaceAll(/[-:T]/gu, "").slice(0, 14);
  const taken = new Set(await readdir(archiveOf(home)));
  const candidates = [skill.name, `${skill.name}-${stamp}`];
  let entry = candidates.find((name) => !taken.has(name));
  for (let count = 2; entry === undefined; count += 1) {
    const next = `${skill.name}-${stamp}-${count}`;
    if (!taken.has(next)) entry = next;
  }
  const note = {
    name: skill.name,
    from: relative(home, skill.directory).split(sep).join("/"),
    at: skill.at,
    because: skill.because,
  };
  await writeFileAtomic(join(archiveOf(home), `${entry}.json`), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  await rename(skill.directory, join(archiveOf(home), entry));
  return { ...note, entry };
};

/** What stands in the archive, the newest first. */
export const listArchived = async (home: string): Promise<readonly ArchivedSkill[]> => {
  const entries = (await readdir(archiveOf(home), { withFileTypes: true }).catch(absent)) ?? [];
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  const notes = await Promise.all(folders.map(async ({ name }) => await readNote(home, name)));
  return notes.toSorted((left, right) => right.at - left.at);
};

const readNote = async (home: string, entry: string): Promise<ArchivedSkill> => {
  const text = await readFile(join(archiveOf(home), `${entry}.json`), "utf8").catch(absent);
  const note = noteSchema.safeParse(parseJson(text ?? ""));
  // The existing system's archive has no notes.
  return note.success ? { ...note.data, entry } : { entry, name: entry, from: entry, at: 0, because: "" };
};

/** Moves a skill back to where it stood. Only under the lock. */
export const restoreFolder = async (home: string, entry: string): Promise<Result<ArchivedSkill, RestoreFailure>> => {
  if (entry !== basename(entry) || entry.startsWith(".")) return failure("unknown");
  const found = (await listArchived(home)).find((skill) => skill.entry === entry);
  if (found === undefined) return failure("unknown");
  const target = join(home, ...placeOf(found));
  if (existsSync(target)) return failure("taken");
  await makeFolder(dirname(target));
  await rename(join(archiveOf(home), entry), target);
  await rm(join(archiveOf(home), `${entry}.json`), { force: true });
  return success(found);
};

/** The note is a file that anybody may have changed: only folders of names lead out of it. */
const placeOf = ({ from, entry }: ArchivedSkill): readonly string[] => {
  const parts = from.split("/");
  return parts.every((part) => parseSkillName(part) !== undefined) ? parts : [entry];
};
