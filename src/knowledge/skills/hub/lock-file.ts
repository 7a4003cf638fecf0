import { readFile } from "node:fs/promises";
import * as z from "zod";
import { messageOf } from "../../../base/app-error.ts";
import { writeFileAtomic } from "../../../base/atomic-file.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { absent } from "../../../base/system-error.ts";
import { dirname } from "node:path";
import { hubErrors } from "./errors.ts";

/** One entry of lock.json. Unknown members stay: other versions wrote them. */
export const lockEntrySchema = z.looseObject({
  source: z.string(),
  /** What was given to `install`, as it can be given again. */
  identifier: z.string(),
  trust_level: z.string().default("community"),
  scan_verdict: z.string().default(""),
  /** Ours: `sha256:` and 64 digits, see `treeHash`. The existing system's has 16 and counts otherwise. */
  content_hash: z.string().default(""),
  /** Relative to the skills folder, with `/`. */
  install_path: z.string(),
  files: z.array(z.string()).default([]),
  metadata: z
    .looseObject({
      ref: z.string().optional(),
      commit: z.string().optional(),
      archive_sha256: z.string().optional(),
      /** The name that it was given here in place of its own. */
      renamed: z.boolean().optional(),
    })
    .default({}),
  /** ISO 8601, UTC. */
  installed_at: z.string().default(""),
  updated_at: z.string().default(""),
});

/** Where one installed skill came from. */
export type LockEntry = z.output<typeof lockEntrySchema>;

const lockSchema = z.looseObject({
  version: z.number().default(1),
  installed: z.record(z.string(), lockEntrySchema).default({}),
  /** Entries of skills that were uninstalled, under the names of their folders in the archive. */
  archived: z.record(z.string(), lockEntrySchema).default({}),
});

/** The file's content. */
export type LockFile = z.output<typeof lockSchema>;

/** Reads `.hub/lock.json`; one that is not there is empty. Throws `skills.broken_lock_file`. */
export const readLockFile = async (path: string): Promise<LockFile> => {
  const text = await readFile(path, "utf8").catch(absent);
  if (text === undefined) return { version: 1, installed: {}, archived: {} };
  const parsed = parse(text, path);
  for (const [name, { install_path: place }] of [
    ...Object.entries(parsed.installed),
    ...Object.entries(parsed.archived),
  ]) {
    // A path out of a file must not lead anywhere else, whoever wrote it.
    if (isPlainPath(place)) continue;
    throw hubErrors.brokenLockFile({ path, why: `the install_path of "${name}" leads out of the skills folder` });
  }
  return parsed;
};

const parse = (text: string, path: string): LockFile => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw hubErrors.brokenLockFile({ path, why: messageOf(thrown) }, thrown);
  }
  const parsed = lockSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw hubErrors.brokenLockFile({
    path,
    why: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not of its form"}`,
  });
};

const isPlainPath = (path: string): boolean =>
  path !== "" && !path.includes("\\") && path.split("/").every((part) => part !== "" && !part.startsWith("."));

/** Changes one entry (undefined = takes it out). Only under the lock of the skills folder. */
export const changeLockFile = async (path: string, name: string, entry: LockEntry | undefined): Promise<void> => {
  const before = await readLockFile(path);
  await writeLockFile(path, { ...before, installed: withEntry(before.installed, name, entry) });
};

/** Moves an entry out of use together with its folder. Only under the lock of the skills folder. */
export const archiveEntry = async (path: string, name: string, archived: string): Promise<void> => {
  const before = await readLockFile(path);
  await writeLockFile(path, {
    ...before,
    installed: withEntry(before.installed, name, undefined),
    archived: withEntry(before.archived, archived, before.installed[name]),
  });
};

/** The way back. An entry that is unknown, or whose name is taken by now, is left as it is. */
export const restoreEntry = async (path: string, name: string, archived: string): Promise<void> => {
  const before = await readLockFile(path);
  const entry = before.archived[archived];
  if (entry === undefined || Object.hasOwn(before.installed, name)) return;
  await writeLockFile(path, {
    ...before,
    installed: withEntry(before.installed, name, entry),
    archived: withEntry(before.archived, archived, undefined),
  });
};

type Entries = LockFile["installed"];

const withEntry = (entries: Entries, name: string, entry: LockEntry | undefined): Entries => {
  const rest = Object.entries(entries).filter(([other]) => other !== name);
  return Object.fromEntries(entry === undefined ? rest : [...rest, [name, entry] as const]);
};

const writeLockFile = async (path: string, file: LockFile): Promise<void> => {
  await makeFolder(dirname(path));
  await writeFileAtomic(path, `${JSON.stringify(file, undefined, 2)}\n`, { mode: 0o600 });
};
