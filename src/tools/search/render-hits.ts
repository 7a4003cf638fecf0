import { sliceCharacters } from "../../base/slice-characters.ts";
import { countLines } from "../files/line-diff.ts";
import type { FileHits, FoundLine } from "./search-engine.ts";

/** How results are shown. */
export interface HitView {
  readonly mode: "lines" | "files" | "counts";
  readonly limit: number;
  readonly offset: number;
  readonly context: number;
  readonly maxChars: number;
  /** Names a file to the model. */
  readonly nameOf: (path: string) => string;
  readonly redact: (text: string) => string;
}

/** The shown part, how many results it holds, and how many there were. */
export interface RenderedHits {
  readonly text: string;
  readonly shown: number;
  readonly total: number;
}

/**
 * Renders matches grouped by file: the path once, then `<line>:<text>` for matches and `<line>-<text>` for context, with `--`
 * between parts that do not touch. Other modes give a path, or a path and a count, a line.
 */
export const renderHits = (files: readonly FileHits[], view: HitView): RenderedHits =>
  view.mode === "lines" ? renderLines(files, view) : renderFiles(files, view);

const renderFiles = (files: readonly FileHits[], { mode, limit, offset, nameOf, maxChars }: HitView): RenderedHits => {
  const rows = files
    .slice(offset, offset + limit)
    .map(({ path, matches }) => (mode === "counts" ? `${nameOf(path)}:${matches}` : nameOf(path)));
  const fitting = fit(rows, maxChars);
  return { text: fitting.join("\n"), shown: fitting.length, total: files.length };
};

const fit = (rows: readonly string[], maxChars: number): readonly string[] => {
  let chars = 0;
  const end = rows.findIndex((row, index) => {
    chars += row.length + 1;
    return index > 0 && chars > maxChars;
  });
  return end === -1 ? rows : rows.slice(0, end);
};

const renderLines = (files: readonly FileHits[], view: HitView): RenderedHits => {
  const blocks: string[] = [];
  let chars = 0;
  let seen = 0;
  let shown = 0;
  for (const file of files) {
    const first = Math.max(0, view.offset - seen);
    seen += file.matches;
    const wanted = Math.min(view.limit - shown, file.matches - first);
    if (wanted <= 0 || chars > view.maxChars) continue;
    const block = renderFile(file, { first, count: wanted }, { ...view, maxChars: view.maxChars - chars });
    // Not even one match fits any more; the first of all is always shown.
    if (block.shown === 0) {
      chars = view.maxChars + 1;
      continue;
    }
    blocks.push(block.text);
    chars += block.text.length + 1;
    shown += block.shown;
    if (block.shown < wanted) chars = view.maxChars + 1;
  }
  return { text: blocks.join("\n"), shown, total: seen };
};

interface MatchRange {
  readonly first: number;
  readonly count: number;
}

const renderFile = (file: FileHits, { first, count }: MatchRange, view: HitView): { text: string; shown: number } => {
  const matched = file.lines.filter(({ column }) => column !== undefined);
  const chosen = matched.slice(first, first + count);
  const rows: string[] = [view.nameOf(file.path)];
  let chars = rows[0]?.length ?? 0;
  let last: number | undefined;
  let shown = 0;
  for (const match of chosen) {
    const around = file.lines.filter(
      ({ number, column }) =>
        (number === match.number || column === undefined) &&
        Math.abs(number - match.number) <= view.context &&
        number > (last ?? 0),
    );
    const part = around.map((line) => renderLine(line, view.redact));
    const start = around[0]?.number ?? match.number;
    const gap = view.context > 0 && last !== undefined && start > last + 1 ? ["--"] : [];
    const added = [...gap, ...part];
    chars += added.reduce((sum, row) => sum + row.length + 1, 0);
    if (chars > view.maxChars && (shown > 0 || view.offset + first > 0)) break;
    rows.push(...added);
    last = around.at(-1)?.number ?? last;
    shown += 1;
  }
  return { text: rows.join("\n"), shown };
};

const MAX_LINE_CHARS = 400;
const BEFORE_MATCH_CHARS = 100;

const renderLine = ({ number, text, column }: FoundLine, redact: (text: string) => string): string => {
  const masked = redact(text);
  const sign = column === undefined ? "-" : ":";
  if (masked.length <= MAX_LINE_CHARS) return `${number}${sign}${masked}`;
  // Where the match stands after masking: as far as its masked beginning reaches.
  const at = column === undefined ? 0 : redact(text.slice(0, column)).length;
  const start = Math.max(0, Math.min(at - BEFORE_MATCH_CHARS, masked.length - MAX_LINE_CHARS));
  const end = start + MAX_LINE_CHARS;
  return `${number}${sign}${start > 0 ? "…" : ""}${sliceCharacters(masked, start, end)}${end < masked.length ? "…" : ""}`;
};

/** "3 matches", "1 match", "2 files". */
export const countResults = (count: number, mode: HitView["mode"]): string => {
  if (mode === "lines") return countLines(count).replace("line", "matching line");
  return count === 1 ? "1 file" : `${count} files`;
};
