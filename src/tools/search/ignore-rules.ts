import { lstat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import ignore from "ignore";
import type { Ignore } from "ignore";
import { openRegular } from "../files/open-regular.ts";
import { readAll } from "../files/read-page.ts";

/** The `.gitignore` of one folder. */
interface FolderRules {
  readonly folder: string;
  readonly rules: Ignore;
}

/** The `.gitignore` files that hold at a place, outermost first. */
export type IgnoreRules = readonly FolderRules[];

const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

/** Adds the folder's own `.gitignore` to the rules that hold above it. */
export const withFolderRules = async (rules: IgnoreRules, folder: string): Promise<IgnoreRules> => {
  const text = await readIgnoreFile(join(folder, ".gitignore"));
  return text === undefined ? rules : [...rules, { folder, rules: ignore({ allowRelativePaths: true }).add(text) }];
};

const readIgnoreFile = async (path: string): Promise<string | undefined> => {
  const opened = await openRegular(path);
  if (opened.kind !== "file") return undefined;
  try {
    return opened.stats.size > MAX_IGNORE_FILE_BYTES ? undefined : (await readAll(opened.handle)).toString("utf8");
  } finally {
    await opened.handle.close();
  }
};

/** The rules of the folders above `root`, up to the top of its git repository (or of the file system, if it is in none). */
export const rulesAbove = async (root: string): Promise<IgnoreRules> => {
  if (await isRepositoryTop(root)) return [];
  const folders: string[] = [];
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder) || (await isRepositoryTop(folder))) break;
  }
  let rules: IgnoreRules = [];
  for (const folder of folders) rules = await withFolderRules(rules, folder);
  return rules;
};

const isRepositoryTop = (folder: string): Promise<boolean> =>
  lstat(join(folder, ".git")).then(
    () => true,
    () => false,
  );

/** Whether the rules leave a path out. The nearest folder with an opinion decides. */
export const isIgnored = (rules: IgnoreRules, path: string, isFolder: boolean): boolean => {
  for (const { folder, rules: own } of rules.toReversed()) {
    const name = relative(folder, path).split(sep).join("/");
    const { ignored, unignored } = own.test(isFolder ? `${name}/` : name);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
};
