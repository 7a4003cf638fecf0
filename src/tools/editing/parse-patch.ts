import { parseBlockPatch } from "./parse-block-patch.ts";
import { parseUnifiedDiff } from "./parse-unified-diff.ts";
import { invalidPatch } from "./patch-format.ts";
import type { ParsedPatch } from "./patch-format.ts";

/**
 * Parses what models send as a patch: `*** Begin Patch` blocks or a unified diff (also git's, with renames, new and deleted
 * files). A Markdown fence around it is dropped. `path` names the file of hunks that stand without a file header.
 */
export const parsePatch = (patch: string, path: string | undefined): ParsedPatch => {
  const lines = withoutFence(patch.replaceAll("\r\n", "\n").split("\n"));
  const isBlocks = lines.some((line) => /^\*\*\* (?:Begin Patch|(?:Update|Add|Delete|Move) File:)/u.test(line));
  const parsed = isBlocks ? parseBlockPatch(lines) : parseUnifiedDiff(lines, path);
  if (parsed.kind === "ok" && parsed.files.length === 0) {
    return invalidPatch('The patch changes nothing: it has neither "*** Update File:" blocks nor unified diff hunks.');
  }
  return parsed;
};

const withoutFence = (lines: readonly string[]): readonly string[] => {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const isFenced = first !== last && /^```[\w-]*$/u.test(lines[first] ?? "") && lines[last] === "```";
  return isFenced ? lines.slice(first + 1, last) : lines;
};
