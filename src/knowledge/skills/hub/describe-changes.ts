import { createTwoFilesPatch } from "diff";
import type { PackageFile } from "./package-file.ts";

/** One file that differs between two states of a skill. */
export interface FileChange {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  /** A unified diff; undefined where the file is no text, or too long to be shown. */
  readonly diff: string | undefined;
}

/** Comparing takes time that grows with the square of what differs. */
const MAX_DIFFED = 200_000;

/** What differs between two states, by path. Pure. */
export const describeChanges = (
  before: readonly PackageFile[],
  after: readonly PackageFile[],
): readonly FileChange[] => {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Map(after.map((file) => [file.path, file]));
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path) => {
    const [left, right] = [old.get(path), now.get(path)];
    if (left !== undefined && right !== undefined && isSame(left, right)) return [];
    return [{ path, kind: kindOf(left, right), diff: diffOf(path, left, right) }];
  });
};

const isSame = (left: PackageFile, right: PackageFile): boolean =>
  left.isExecutable === right.isExecutable && Buffer.compare(left.data, right.data) === 0;

const kindOf = (left: PackageFile | undefined, right: PackageFile | undefined): FileChange["kind"] => {
  if (left === undefined) return "added";
  return right === undefined ? "removed" : "changed";
};

const diffOf = (path: string, left: PackageFile | undefined, right: PackageFile | undefined): string | undefined => {
  const [before, after] = [textOf(left), textOf(right)];
  if (before === undefined || after === undefined) return undefined;
  return createTwoFilesPatch(path, path, before, after, "installed", "new", { context: 2 });
};

const textOf = (file: PackageFile | undefined): string | undefined => {
  if (file === undefined) return "";
  if (file.data.length > MAX_DIFFED || file.data.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file.data);
  } catch {
    // The decoder's one way to say that bytes are no text.
    return undefined;
  }
};
