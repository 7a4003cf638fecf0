import { readFile } from "node:fs/promises";
import * as z from "zod";
import { messageOf } from "../../../base/app-error.ts";
import { writeFileAtomic } from "../../../base/atomic-file.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { absent } from "../../../base/system-error.ts";
import { dirname } from "node:path";
import { hubErrors } from "./errors.ts";

/** Unknown members stay: other versions wrote them. */
const entrySchema = z.looseObject({
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
export type LockEntry = z.output<typeof entrySchema>;

const lockSchema = z.looseObject({
  version: z.number().default(1),
  installed: z.record(z.string(), entrySchema).default({}),
});

/** The file's content. */
export type LockFile = z.output<typeof lockSchema>;

/** Reads `.hub/lock.json`; one that is not there is empty. Throws `skills.broken_lock_file`. */
export const readLockFile = async (path: string): Promise<LockFile> => {
  const text = await readFile(path, "utf8").catch(absent);
  if (text === undefined) return { version: 1, installed: {} };
  const parsed = parse(text, path);
  for (const [name, { install_path: place }] of Object.entries(parsed.installed)) {
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

/** Changes one entry (undefined = takes it out). The caller holds the lock of the skills folder. */
export const changeLockFile = async (path: string, name: string, entry: LockEntry | undefined): Promise<void> => {
  const before = await readLockFile(path);
  const rest = Object.entries(before.installed).filter(([other]) => other !== name);
  const installed = Object.fromEntries(entry === undefined ? rest : [...rest, [name, entry] as const]);
  await makeFolder(dirname(path));
  await writeFileAtomic(path, `${JSON.stringify({ ...before, installed }, undefined, 2)}\n`, { mode: 0o600 });
};
