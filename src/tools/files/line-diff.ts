import { structuredPatch } from "diff";

/** What changed between two texts, for people: a bounded unified diff, and the numbers of added and removed lines. */
export interface LineDiff {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** Beyond this many changed lines the exact diff would take long to find; a summary stands in its place. */
const MAX_EDIT_LENGTH = 2000;
const MAX_DIFF_LINES = 400;
const CONTEXT_LINES = 3;

/** The names that the two sides of a diff carry; `undefined` = the file is not there on that side. */
export interface DiffNames {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Compares line by line. Line ends are compared too, but shown as LF. */
export const diffLines = (names: DiffNames, before: string, after: string): LineDiff => {
  const header = `--- ${names.before ?? "/dev/null"}\n+++ ${names.after ?? "/dev/null"}\n`;
  const patch = structuredPatch("", "", before, after, "", "", {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (patch === undefined) return summary(header, before, after);
  const body = patch.hunks.flatMap((hunk) => [
    `@@ -${sideRange(hunk.oldStart, hunk.oldLines)} +${sideRange(hunk.newStart, hunk.newLines)} @@`,
    ...hunk.lines.map((line) => line.replace(/\r$/u, "")),
  ]);
  const shown = body.slice(0, MAX_DIFF_LINES);
  const rest = body.length - shown.length;
  return {
    diff: `${header}${shown.join("\n")}\n${rest > 0 ? `… ${rest} more lines of difference\n` : ""}`,
    added: body.filter((line) => line.startsWith("+")).length,
    removed: body.filter((line) => line.startsWith("-")).length,
  };
};

/** A side without lines names the line before it. */
const sideRange = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;

const summary = (header: string, before: string, after: string): LineDiff => {
  const removed = lineCount(before);
  const added = lineCount(after);
  return { diff: `${header}… rewritten: ${countLines(removed)} before, ${countLines(added)} after\n`, added, removed };
};

/** How many lines a text has; a last line without a line end counts. */
export const lineCount = (text: string): number => {
  if (text === "") return 0;
  const ends = text.split("\n").length - 1;
  return text.endsWith("\n") ? ends : ends + 1;
};

/** "1 line", "3 lines". */
export const countLines = (count: number): string => (count === 1 ? "1 line" : `${count} lines`);
