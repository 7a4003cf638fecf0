import { createWriteStream } from "node:fs";
import { lstat, mkdir, open, readdir, readFile, readlink, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import * as z from "zod";
import { messageOf } from "../../../base/app-error.ts";
import { writeFileAtomic } from "../../../base/atomic-file.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { absent } from "../../../base/system-error.ts";
import { parseJson } from "../../../base/parse-json.ts";
import { writeTar, type TarMember } from "../hub/archive/write-tar.ts";
import { isExchanged } from "../hub/swap-tree.ts";
import { curatorErrors } from "./errors.ts";

const noteSchema = z.looseObject({ reason: z.string().catch(""), files: z.int().catch(0) });

/** One backup of the skills folder. */
export interface SkillsBackup {
  /** Its folder's name: the time in UTC. */
  readonly id: string;
  /** The archive, absolute. */
  readonly file: string;
  readonly reason: string;
  readonly files: number;
  /** Of the archive. */
  readonly bytes: number;
}

const BACKUPS = ".curator_backups";
const ARCHIVE = "skills.tar.gz";
const NOTE = "manifest.json";

/**
 * Packs the skills folder into `.curator_backups/<time>/skills.tar.gz`: skills, archive, usage and lock.json. Backups, the quarantine,
 * logs and the curator's own dates are left out. Only under the lock of the skills folder. `now` in ms UTC. Throws `curator.backup_failed`.
 */
export const backupSkills = async (
  skills: string,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<SkillsBackup> => {
  const all = join(skills, BACKUPS);
  try {
    await makeFolder(all);
    await removeUnfinished(all);
    const id = await freeId(all, now);
    const unfinished = join(all, `${UNFINISHED}${id}`);
    await mkdir(unfinished, { mode: 0o700 });
    const counted = { files: 0 };
    const file = join(unfinished, ARCHIVE);
    await pipeline(
      Readable.from(writeTar(members(skills, counted))),
      createGzip(),
      createWriteStream(file, { mode: 0o600 }),
    );
    await syncFile(file);
    const note = { id, reason, created_at: new Date(now).toISOString(), files: counted.files };
    await writeFileAtomic(join(unfinished, NOTE), `${JSON.stringify(note, undefined, 2)}\n`, { mode: 0o600 });
    // Complete when it can be seen.
    await rename(unfinished, join(all, id));
    const place = join(all, id, ARCHIVE);
    return { id, file: place, reason, files: counted.files, bytes: (await stat(place)).size };
  } catch (thrown) {
    throw curatorErrors.backupFailed({ why: messageOf(thrown) }, thrown);
  }
};

const UNFINISHED = ".unfinished-";

const removeUnfinished = async (all: string): Promise<void> => {
  for (const name of await readdir(all)) {
    if (name.startsWith(UNFINISHED)) await rm(join(all, name), { recursive: true, force: true });
  }
};

/** `2026-12-01T09-30-00Z`; with a number where two fall into one second. */
const freeId = async (all: string, now: number): Promise<string> => {
  const stamp = `${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
  const taken = new Set(await readdir(all));
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? stamp : `${stamp}-${count}`;
    if (!taken.has(id)) return id;
  }
};

const syncFile = async (path: string): Promise<void> => {
  await using file = await open(path, "r+");
  await file.sync();
};

/** Everything that a rollback brings back, folders before what is in them. */
async function* members(skills: string, counted: { files: number }): AsyncGenerator<TarMember> {
  for (const name of (await readdir(skills)).sort()) {
    if (isExchanged(name)) yield* membersAt(skills, name, counted);
  }
  const lockFile = ".hub/lock.json";
  if ((await lstat(join(skills, lockFile)).catch(absent)) !== undefined) yield* membersAt(skills, lockFile, counted);
}

async function* membersAt(skills: string, path: string, counted: { files: number }): AsyncGenerator<TarMember> {
  const at = join(skills, path);
  const info = await lstat(at);
  const shared = { path, mode: info.mode & 0o7777, mtime: info.mtimeMs / 1000 };
  if (info.isDirectory()) {
    yield { ...shared, kind: "folder" };
    for (const name of (await readdir(at)).sort()) yield* membersAt(skills, `${path}/${name}`, counted);
  } else if (info.isSymbolicLink()) {
    yield { ...shared, kind: "link", target: await readlink(at) };
  } else if (info.isFile()) {
    counted.files += 1;
    yield { ...shared, kind: "file", data: await readFile(at) };
  }
}

/** Every backup, the newest first. */
export const listBackups = async (skills: string): Promise<readonly SkillsBackup[]> => {
  const all = join(skills, BACKUPS);
  const names = ((await readdir(all).catch(absent)) ?? []).filter((name) => !name.startsWith("."));
  const found: SkillsBackup[] = [];
  for (const id of names.sort().reverse()) {
    const file = join(all, id, ARCHIVE);
    const info = await stat(file).catch(absent);
    if (info === undefined) continue;
    const text = (await readFile(join(all, id, NOTE), "utf8").catch(absent)) ?? "{}";
    const note = noteSchema.safeParse(parseJson(text));
    const { reason, files } = note.success ? note.data : { reason: "", files: 0 };
    found.push({ id, file, reason, files, bytes: info.size });
  }
  return found;
};

/** Deletes the oldest backups above `keep`; returns their ids. Only under the lock of the skills folder. */
export const pruneBackups = async (skills: string, keep: number): Promise<readonly string[]> => {
  const tooMany = (await listBackups(skills)).slice(Math.max(1, keep));
  for (const { id } of tooMany) await rm(join(skills, BACKUPS, id), { recursive: true, force: true });
  return tooMany.map(({ id }) => id);
};
