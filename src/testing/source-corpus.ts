import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** A file of somebody else's source, as text. */
export interface SourceFile {
  /** Relative to the directory that was walked. */
  readonly path: string;
  readonly text: string;
}

const LARGEST_FILE = 4_000_000;

/** The files below `directory` whose names match `pattern`, sorted by path. Links are not followed. */
export const listSourceFiles = (directory: string, pattern: RegExp): readonly string[] =>
  readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort();

/** Reads the files one by one; very large ones are left out. */
export function* readSourceFiles(directory: string, paths: readonly string[]): Generator<SourceFile> {
  for (const path of paths) {
    const full = join(directory, path);
    if (statSync(full).size <= LARGEST_FILE) yield { path, text: readFileSync(full, "utf8") };
  }
}
