import { readdir } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { isIgnored, rulesAbove, withFolderRules } from "./ignore-rules.ts";
import type { IgnoreRules } from "./ignore-rules.ts";

/** Where to walk, and what to leave out. */
export interface WalkRequest {
  /** An absolute folder. */
  readonly root: string;
  readonly includesHidden: boolean;
  readonly honoursIgnores: boolean;
  readonly signal: AbortSignal;
  /** Told about folders that cannot be read. */
  readonly onUnreadable: (folder: string) => void;
}

/**
 * The ordinary files below a folder as absolute paths, in the order of their paths, one folder read at a time: so a search
 * that has enough stops without having listed the rest. Links are not followed; `.git` is never entered.
 */
export async function* walkFiles(request: WalkRequest): AsyncGenerator<string, void, undefined> {
  const rules = request.honoursIgnores ? await rulesAbove(request.root) : [];
  yield* walkFolder(request, request.root, rules);
}

async function* walkFolder(
  request: WalkRequest,
  folder: string,
  above: IgnoreRules,
): AsyncGenerator<string, void, undefined> {
  request.signal.throwIfAborted();
  const entries = await entriesOf(folder);
  if (entries === undefined) {
    request.onUnreadable(folder);
    return;
  }
  const rules = request.honoursIgnores
    ? await rulesIn(folder, entries, folder === request.root ? above : outerRules(entries, above))
    : above;
  for (const entry of entries) {
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) continue;
    if (entry.name === ".git" || (!request.includesHidden && entry.name.startsWith("."))) continue;
    const path = join(folder, entry.name);
    if (isIgnored(rules, path, isFolder)) continue;
    if (isFolder) yield* walkFolder(request, path, rules);
    else yield path;
  }
}

const hasEntry = (entries: readonly Dirent[], name: string): boolean => entries.some((entry) => entry.name === name);

/** A repository inside another is its own world: the rules around it do not hold in it. */
const outerRules = (entries: readonly Dirent[], above: IgnoreRules): IgnoreRules =>
  hasEntry(entries, ".git") ? [] : above;

const rulesIn = (folder: string, entries: readonly Dirent[], above: IgnoreRules): Promise<IgnoreRules> =>
  hasEntry(entries, ".gitignore") ? withFolderRules(above, folder) : Promise.resolve(above);

const entriesOf = async (folder: string): Promise<readonly Dirent[] | undefined> => {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => compareNames(a.name, b.name));
  } catch {
    return undefined; // told through onUnreadable
  }
};

const compareNames = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Orders paths folder by folder, as the walk does: `a/z` before `a.txt`. */
export const comparePaths = (a: string, b: string): number => {
  const left = a.split(/[\\/]/u);
  const right = b.split(/[\\/]/u);
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part !== other) return compareNames(part, other);
  }
  return left.length - right.length;
};
