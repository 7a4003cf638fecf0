import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { absent } from "../../base/system-error.ts";
import { parseJson } from "../../base/parse-json.ts";
import { isChangeId } from "./skill-library.ts";

const recordSchema = z.object({
  id: z.string(),
  /** ms UTC. */
  at: z.number(),
  /** The session in which it was made; null = a person did it. */
  session: z.string().nullable(),
  action: z.enum(["create", "write", "remove", "delete"]),
  name: z.string(),
  /** Inside the skill; empty for a whole skill. */
  path: z.string(),
  /** What the file held before, as base64; null = it was not there. */
  before: z.string().nullable(),
  /** SHA-256 of what it held after; null = it was gone. */
  after: z.string().nullable(),
  /** Of a deleted skill: its entry in the archive. */
  entry: z.string().nullable(),
  undone: z.boolean(),
});

/** A change that was made, with what is needed to take it back. Written before the change itself. */
export type ChangeRecord = z.output<typeof recordSchema>;

const MOST_RECORDS = 100;

const folderOf = (home: string): string => join(home, ".changes");

/** Writes a record, and drops the oldest beyond a hundred. Only under the lock. */
export const writeRecord = async (home: string, record: ChangeRecord): Promise<void> => {
  const folder = folderOf(home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomic(join(folder, `${record.id}.json`), JSON.stringify(record), { mode: 0o600 });
  const ids = await idsIn(folder);
  for (const id of ids.slice(0, Math.max(0, ids.length - MOST_RECORDS))) {
    await rm(join(folder, `${id}.json`), { force: true });
  }
};

/** Takes back a record of a change that was not made after all. */
export const dropRecord = async (home: string, id: string): Promise<void> =>
  await rm(join(folderOf(home), `${id}.json`), { force: true });

/** Oldest first: ids sort by time. */
const idsIn = async (folder: string): Promise<readonly string[]> =>
  ((await readdir(folder).catch(absent)) ?? [])
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter(isChangeId)
    .toSorted();

/** The changes that can be looked at, the newest first. A record that is broken is left out. */
export const listRecords = async (home: string): Promise<readonly ChangeRecord[]> => {
  const ids = (await idsIn(folderOf(home))).toReversed();
  const records = await Promise.all(ids.map(async (id) => await readRecord(home, id)));
  return records.filter((record) => record !== undefined);
};

/** One record; undefined = there is none of that id. */
export const readRecord = async (home: string, id: string): Promise<ChangeRecord | undefined> => {
  if (!isChangeId(id)) return undefined;
  const text = await readFile(join(folderOf(home), `${id}.json`), "utf8").catch(absent);
  const parsed = text === undefined ? undefined : recordSchema.safeParse(parseJson(text));
  return parsed?.success === true && parsed.data.id === id ? parsed.data : undefined;
};
