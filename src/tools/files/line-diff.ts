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
  const part = differingPart(before, after);
  const patch = structuredPatch("", "", part.before, part.after, "", "", {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (patch === undefined) return summary(header, before, after);
  const { skipped } = part;
  const body = patch.hunks.flatMap((hunk) => [
    `@@ -${sideRange(skipped + hunk.oldStart, hunk.oldLines)} +${sideRange(skipped + hunk.newStart, hunk.newLines)} @@`,
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

/**
 * Both texts without the whole lines that are alike at their beginnings and ends, but for those that a hunk shows.
 * `skipped` = how many lines went from the beginnings. So one changed line of a large file costs no more than a look at its bytes.
 */
const differingPart = (
  before: string,
  after: string,
): { readonly before: string; readonly after: string; readonly skipped: number } => {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  let tail = 0;
  const lastBefore = before.length - 1;
  const lastAfter = after.length - 1;
  while (tail < shorter - head && before.charCodeAt(lastBefore - tail) === after.charCodeAt(lastAfter - tail))
    tail += 1;
  const start = lineStartAbove(before, head);
  const alikeAtEnd = before.length - lineEndBelow(before, before.length - tail);
  return {
    before: before.slice(start, before.length - alikeAtEnd),
    after: after.slice(start, after.length - alikeAtEnd),
    skipped: lineFeedsIn(before, start),
  };
};

/** Where the line begins that stands as many lines above the one at `offset` as a hunk shows. */
const lineStartAbove = (text: string, offset: number): number => {
  let start = lineStartAt(text, offset);
  for (let lines = 0; lines < CONTEXT_LINES && start > 0; lines += 1) start = lineStartAt(text, start - 1);
  return start;
};

const lineStartAt = (text: string, offset: number): number =>
  offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;

const lineEndBelow = (text: string, offset: number): number => {
  let at = offset;
  for (let lines = 0; lines <= CONTEXT_LINES; lines += 1) {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
};

const lineFeedsIn = (text: string, end: number): number => {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
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
