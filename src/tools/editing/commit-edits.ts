import { readFile, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError, messageOf } from "../../base/app-error.ts";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { isMissing } from "../../base/system-error.ts";
import { describeFileError } from "../files/open-regular.ts";
import { realPathOf } from "../resolve-path.ts";
import type { WritablePath } from "./write-access.ts";

/** One file's change, prepared in memory. `undefined` bytes = the file is not there on that side. */
export interface FileEdit {
  readonly path: WritablePath;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
  /** Permission bits before, to put back on a rollback. */
  readonly modeBefore?: number;
  /** Permission bits to set; absent = those of the file, or the umask's for a new one. */
  readonly modeAfter?: number;
}

/** `failed.why` says what went wrong and in which state the files are now. */
export type CommitOutcome = { readonly kind: "done" } | { readonly kind: "failed"; readonly why: string };

/**
 * Writes all edits or none. Each file is compared with `before` right before it is replaced; when one cannot be written,
 * those already written are put back. What could not be put back is named.
 */
export const commitEdits = async (edits: readonly FileEdit[]): Promise<CommitOutcome> => {
  const done: AppliedEdit[] = [];
  for (const edit of edits) {
    const applied = await applyEdit(edit);
    if (applied.kind === "applied") {
      done.push(applied);
      continue;
    }
    const stuck = await rollBack(done);
    const state = stuck.length === 0 ? "Nothing was changed." : `These could not be put back: ${stuck.join(", ")}.`;
    return { kind: "failed", why: `${applied.why} ${state}` };
  }
  return { kind: "done" };
};

interface AppliedEdit {
  readonly kind: "applied";
  readonly edit: FileEdit;
  /** The topmost folder that was made for it. */
  readonly madeFolder: string | undefined;
}

const applyEdit = async (edit: FileEdit): Promise<AppliedEdit | { readonly kind: "failed"; readonly why: string }> => {
  const { real, shown } = edit.path;
  let madeFolder: string | undefined;
  try {
    if (!(await isAsBefore(edit))) return { kind: "failed", why: `${shown} was changed by somebody else meanwhile.` };
    if (edit.after === undefined) {
      await rm(real);
      return { kind: "applied", edit, madeFolder };
    }
    madeFolder = await makeFolder(dirname(real));
    // A folder on the way may have become a link since the path was checked.
    const resolved = await realPathOf(real);
    if (resolved.kind === "invalid" || resolved.path !== real) {
      await removeFolders(madeFolder, real);
      return { kind: "failed", why: `${shown} leads somewhere else than before.` };
    }
    await writeChecked(real, edit.after, edit.modeAfter);
    return { kind: "applied", edit, madeFolder };
  } catch (error) {
    await removeFolders(madeFolder, real);
    return { kind: "failed", why: whyNotWritten(error, shown) };
  }
};

const whyNotWritten = (error: unknown, shown: string): string => {
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error;
  return cause instanceof AppError ? `${cause.message}.` : describeFileError(cause, shown);
};

const isAsBefore = async ({ path, before }: FileEdit): Promise<boolean> => {
  try {
    const now = await readFile(path.real);
    return before !== undefined && now.equals(before);
  } catch (error) {
    if (isMissing(error)) return before === undefined;
    throw error;
  }
};

const rollBack = async (done: readonly AppliedEdit[]): Promise<readonly string[]> => {
  const stuck: string[] = [];
  for (const { edit, madeFolder } of done.toReversed()) {
    try {
      await restore(edit);
      await removeFolders(madeFolder, edit.path.real);
    } catch (error) {
      stuck.push(`${edit.path.shown} (${messageOf(error)})`); // named to the model, which has to put it right
    }
  }
  return stuck;
};

const restore = async ({ path, before, modeBefore }: FileEdit): Promise<void> => {
  if (before === undefined) return rm(path.real, { force: true });
  return writeChecked(path.real, before, modeBefore);
};

/** The path was checked before it was written to: what takes its place after that must not be followed. */
const writeChecked = (real: string, data: Buffer, mode: number | undefined): Promise<void> =>
  writeFileAtomic(real, data, { links: "refused", ...(mode === undefined ? {} : { mode }) });

/** Removes the folders that were made for a file, from the file upwards to `topmost`, as far as they are empty. */
const removeFolders = async (topmost: string | undefined, file: string): Promise<void> => {
  if (topmost === undefined) return;
  for (let folder = dirname(file); folder.length >= topmost.length; folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return; // in use by somebody else, or gone already: either way not ours to remove
    }
  }
};
