import { constants } from "node:fs";
import { access, link, lstat, realpath, rename, rm } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname, join, relative, sep } from "node:path";
import { absent, isMissing } from "../../base/system-error.ts";
import { isInside } from "../../base/is-inside.ts";
import { checkpointErrors } from "./errors.ts";

import { nulEnded, recordsOf } from "./run-git.ts";
import type { Project, ShadowStore } from "./shadow-store.ts";
import type { SnapshotModes } from "./snapshot-record.ts";

export interface TreeRequest {
  readonly project: Project;
  /** Everything that is not ignored, or only `paths`. */
  readonly whole: boolean;
  /** Relative paths that must be in it if they are files, ignored or not. */
  readonly paths: readonly string[];
  /** A commit whose tree it begins with, instead of the project's kept index (or nothing, if not whole). */
  readonly base?: string;
  readonly signal: AbortSignal;
}

/** A tree object of what is on disk, and an index file that stands for it. Disposing removes the index if it was not taken over. */
export interface BuiltTree extends AsyncDisposable {
  readonly tree: string;
  readonly modes: SnapshotModes;
  readonly index: string;
}

/** Writes the present state of a folder into the store. To be called with the store's lock. */
export const buildTree = async (store: ShadowStore, request: TreeRequest): Promise<BuiltTree> => {
  const index = `${request.project.index}.${randomBytes(6).toString("hex")}`;
  try {
    await fillIndex(store, request, index);
    const tree = await writeTree(store, request, index);
    const built = { tree, index, modes: await modesOf(store, request, index) };
    return { ...built, [Symbol.asyncDispose]: () => removeIndex(index) };
  } catch (error) {
    // The next try goes on where this one stopped.
    if (request.signal.aborted && request.whole && request.base === undefined)
      await rename(index, request.project.index).catch(absent);
    await removeIndex(index);
    throw error;
  }
};

/** Killed while it writes, git leaves a lock file of this index, which is nobody else's. */
const removeIndex = async (index: string): Promise<void> => {
  await rm(index, { force: true });
  await rm(`${index}.lock`, { force: true });
};

/** Objects that the kept index names can be gone after pruning by another program: then it is built anew. */
const writeTree = async (store: ShadowStore, request: TreeRequest, index: string): Promise<string> => {
  const write = () => store.git({ args: ["write-tree"], index, signal: request.signal });
  try {
    return (await write()).stdout.toString("utf8").trim();
  } catch (error) {
    if (request.signal.aborted || !request.whole || request.base !== undefined) throw error;
    await removeIndex(index);
    await rm(request.project.index, { force: true });
    await fillIndex(store, request, index);
    return (await write()).stdout.toString("utf8").trim();
  }
};

const fillIndex = async (store: ShadowStore, request: TreeRequest, index: string): Promise<void> => {
  const { project, signal, base } = request;
  const workTree = project.root;
  if (base !== undefined) await store.git({ args: ["read-tree", base], index, signal });
  // A link, not a copy: git tells from the index's own time which files it must look into, and writes a new one in its place.
  else if (request.whole) await link(project.index, index).catch(absent);
  const changed = request.whole && base === undefined ? await changedFiles(store, request, index) : [];
  const { keep, drop } = await sortOut(store, project.root, [...new Set([...changed, ...request.paths])]);
  if (drop.length > 0)
    await store.git({
      args: ["update-index", "-z", "--force-remove", "--stdin"],
      workTree,
      index,
      input: nulEnded(drop),
      signal,
    });
  const settings = keep.length > MANY_FILES && (await store.packsMany(signal)) ? [ONE_PACK] : [];
  // In pieces, so that what was written is not lost where the time is up. An empty piece makes the index of an empty folder.
  for (let start = 0; start === 0 || start < keep.length; start += PIECE)
    await store.git({
      args: ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"],
      settings,
      workTree,
      index,
      input: nulEnded(keep.slice(start, start + PIECE)),
      signal,
    });
};

/** With more files than this, one pack is much faster to write than a file each; it costs more space until the store is pruned. */
const MANY_FILES = 200;
const PIECE = 1_000;
const ONE_PACK = "core.bigFileThreshold=1";

/** Folders that programs fill by themselves; passed over where nobody said what to ignore. */
const USUALLY_IGNORED = ["node_modules/", "__pycache__/", ".venv/", "venv/", ".tox/", ".mypy_cache/", ".pytest_cache/"];

/** What differs from the index, new files included; of nested repositories nothing. */
const changedFiles = async (
  store: ShadowStore,
  { project, signal }: TreeRequest,
  index: string,
): Promise<readonly string[]> => {
  const { root } = project;
  const exclude = join(root, ".git", "info", "exclude");
  const isRepository = (await lstat(join(root, ".git")).catch(absent)) !== undefined;
  const hasExclude = (await lstat(exclude).catch(absent))?.isFile() === true;
  const homes = store.agentHomes.filter((home) => home !== root && isInside(root, home));
  const answer = await store.git({
    args: [
      "ls-files",
      "-z",
      "--others",
      "--modified",
      "--exclude-standard",
      ...(hasExclude ? [`--exclude-from=${exclude}`] : []),
      ...(isRepository ? [] : USUALLY_IGNORED.map((pattern) => `--exclude=${pattern}`)),
      ...homes.map((home) => `--exclude=/${escapePattern(relativeTo(root, home))}/`),
    ],
    workTree: root,
    index,
    signal,
    maxRecords: store.limits.maxFiles,
  });
  return recordsOf(answer.stdout).filter((name) => !name.endsWith("/"));
};

const relativeTo = (root: string, path: string): string => relative(root, path).split(sep).join("/");

const escapePattern = (path: string): string => path.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`);

interface Sorted {
  readonly keep: readonly string[];
  readonly drop: readonly string[];
}

/** Keeps files and links that can be read, within the size limit; a missing one is kept in the list, as git takes it out itself. */
const sortOut = async (store: ShadowStore, root: string, names: readonly string[]): Promise<Sorted> => {
  const keep: string[] = [];
  const drop: string[] = [];
  const isReal = createFolderCheck(root);
  await eachOf(names, async (name) => {
    const fits = (await isReal(dirname(name))) && (await isKeepable(join(root, name), store.limits.maxFileBytes));
    (fits ? keep : drop).push(name);
  });
  return { keep: keep.toSorted(), drop };
};

/** Whether no link stands on the way to a folder; what is beyond one is not there. */
const createFolderCheck = (root: string): ((folder: string) => Promise<boolean>) => {
  const known = new Map<string, Promise<boolean>>();
  return (folder) => {
    const path = join(root, folder);
    const found = known.get(folder) ?? realpath(path).then((real) => real === path, isMissing);
    known.set(folder, found);
    return found;
  };
};

const isKeepable = async (path: string, maxBytes: number): Promise<boolean> => {
  try {
    const found = await lstat(path).catch(absent);
    if (found === undefined || found.isDirectory() || found.isSymbolicLink()) return true;
    if (!found.isFile() || found.size > maxBytes) return false;
    await access(path, constants.R_OK);
    return true;
  } catch {
    // There, but not to be looked at or read.
    return false;
  }
};

const AT_ONCE = 64;

/** Runs `work` over many names, some at a time. */
export const eachOf = async (names: readonly string[], work: (name: string) => Promise<void>): Promise<void> => {
  for (let start = 0; start < names.length; start += AT_ONCE)
    await Promise.all(names.slice(start, start + AT_ONCE).map(work));
};

const EXECUTABLE = "100755";

/** The permission bits of every regular file in the index. Throws `checkpoint.too_many_files`. */
const modesOf = async (store: ShadowStore, request: TreeRequest, index: string): Promise<SnapshotModes> => {
  const { maxFiles } = store.limits;
  const { root } = request.project;
  const answer = await store.git({ args: ["ls-files", "-z", "--stage"], index, signal: request.signal });
  const entries = recordsOf(answer.stdout).map((record) => ({
    executable: record.startsWith(EXECUTABLE),
    regular: record.startsWith("1007") || record.startsWith("1006"),
    path: record.slice(record.indexOf("\t") + 1),
  }));
  if (entries.length > maxFiles) throw checkpointErrors.tooManyFiles({ root, limit: maxFiles });
  const found: { readonly path: string; readonly executable: boolean; readonly mode: number }[] = [];
  await eachOf(
    entries.filter((entry) => entry.regular).map((entry) => entry.path),
    async (path) => {
      const entry = await lstat(join(root, path)).catch(() => undefined); // gone meanwhile, or not to be looked at: no mode to keep
      if (entry?.isFile() !== true) return;
      found.push({ path, executable: (entry.mode & 0o100) !== 0, mode: entry.mode & 0o777 });
    },
  );
  const file = commonest(found.filter((entry) => !entry.executable)) ?? 0o644;
  const exec = commonest(found.filter((entry) => entry.executable)) ?? 0o755;
  const others = found.filter((entry) => entry.mode !== (entry.executable ? exec : file));
  return {
    file,
    exec,
    other: Object.fromEntries(others.map(({ path, mode }) => [path, mode] as const).toSorted(byPath)),
  };
};

const byPath = (left: readonly [string, number], right: readonly [string, number]): number =>
  left[0] < right[0] ? -1 : 1;

const commonest = (entries: readonly { readonly mode: number }[]): number | undefined => {
  const counts = new Map<number, number>();
  for (const { mode } of entries) counts.set(mode, (counts.get(mode) ?? 0) + 1);
  return [...counts].toSorted((left, right) => right[1] - left[1])[0]?.[0];
};
