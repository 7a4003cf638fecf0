import { viewLineEnds } from "./line-ends-view.ts";
import type { LineEndsView } from "./line-ends-view.ts";
import { findLines, shiftLines, TOLERANCES } from "./match-lines.ts";
import type { LineMatch, Tolerance } from "./match-lines.ts";
import { nearestRegion } from "./nearest-region.ts";

/** One replacement as the model asked for it. */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly replacesAll: boolean;
}

/** `lines` are the first lines (from 1) of the places that were or would be changed. */
export type ReplaceOutcome =
  | {
      readonly kind: "replaced";
      readonly text: string;
      readonly lines: readonly number[];
      readonly tolerance: Tolerance;
    }
  | { readonly kind: "ambiguous"; readonly lines: readonly number[] }
  | { readonly kind: "not_found"; readonly nearest: string | undefined; readonly newTextAtLine: number | undefined }
  /** The text was found with other indentation, and the new text cannot be shifted like it. */
  | { readonly kind: "unshiftable"; readonly line: number };

/**
 * Replaces `oldText` in a file's text. Exactly first (line ends count as alike), then whole lines apart from trailing
 * spaces, then apart from a uniform shift of indentation. Lines that are not replaced keep their bytes; new line ends are
 * those in force at the place. More than one place is `ambiguous` unless all are meant.
 */
export const replaceText = (text: string, replacement: Replacement): ReplaceOutcome => {
  const view = viewLineEnds(text);
  const wanted = {
    ...replacement,
    oldText: unifyLineEnds(replacement.oldText),
    newText: unifyLineEnds(replacement.newText),
  };
  return (
    replaceSpans(text, view, { spans: exactSpans(view.text, wanted), wanted, tolerance: "exact" }) ??
    replaceRaw(text, replacement) ??
    replaceTolerantly(text, view, wanted) ??
    notFound(view.text, wanted)
  );
};

const unifyLineEnds = (text: string): string => text.replaceAll("\r\n", "\n");

/** A place in the view, with what shall stand there. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

interface SpanChange {
  readonly spans: readonly Span[];
  readonly wanted: Replacement;
  readonly tolerance: Tolerance;
}

const replaceSpans = (
  text: string,
  view: LineEndsView,
  { spans, wanted, tolerance }: SpanChange,
): ReplaceOutcome | undefined => {
  if (spans.length === 0) return undefined;
  const lines = lineNumbers(view.text, spans);
  if (spans.length > 1 && !wanted.replacesAll) return { kind: "ambiguous", lines };
  let result = "";
  let copied = 0;
  const changed: Span[] = [];
  for (const span of spans) {
    const start = view.realOffset(span.start);
    if (start < copied) continue; // overlaps the place before
    const newText = span.newText.includes("\n")
      ? span.newText.replaceAll("\n", view.lineEndAt(span.start))
      : span.newText;
    result += text.slice(copied, start) + newText;
    copied = view.realOffset(span.end);
    changed.push(span);
  }
  return { kind: "replaced", text: result + text.slice(copied), lines: lineNumbers(view.text, changed), tolerance };
};

/** All places, also overlapping ones: "aa" stands twice in "aaa", so which is meant is not clear. */
const exactSpans = (text: string, { oldText, newText }: Replacement): readonly Span[] => {
  const spans: Span[] = [];
  for (let at = text.indexOf(oldText); at !== -1; at = text.indexOf(oldText, at + 1)) {
    spans.push({ start: at, end: at + oldText.length, newText });
  }
  return spans;
};

/** The old text cuts through a CRLF: then it is meant byte for byte. */
const replaceRaw = (text: string, replacement: Replacement): ReplaceOutcome | undefined => {
  if (!replacement.oldText.includes("\r")) return undefined;
  const verbatim: LineEndsView = { text, realOffset: (offset) => offset, lineEndAt: () => "\n" };
  return replaceSpans(text, verbatim, {
    spans: exactSpans(text, replacement),
    wanted: replacement,
    tolerance: "exact",
  });
};

const replaceTolerantly = (text: string, view: LineEndsView, wanted: Replacement): ReplaceOutcome | undefined => {
  const lines = view.text.split("\n");
  const starts = lineStarts(lines);
  const oldLines = linesOf(wanted.oldText);
  for (const tolerance of TOLERANCES.filter((each) => each !== "exact")) {
    const matches = findLines(lines, oldLines, tolerance);
    if (matches.length === 0) continue;
    const spans = matches.map((match) =>
      spanOf(lines, { match, start: starts[match.at] ?? 0, tolerance, wanted, count: oldLines.length }),
    );
    const unshiftable = spans.findIndex((span) => span === undefined);
    if (unshiftable !== -1) return { kind: "unshiftable", line: (matches[unshiftable]?.at ?? 0) + 1 };
    return replaceSpans(text, view, { spans: spans.filter((span) => span !== undefined), wanted, tolerance });
  }
  return undefined;
};

/** The lines of a text; a line end at the end begins no further line. */
const linesOf = (text: string): readonly string[] => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");

interface TolerantMatch {
  readonly match: LineMatch;
  /** Offset of the first matched line. */
  readonly start: number;
  readonly tolerance: Tolerance;
  readonly wanted: Replacement;
  readonly count: number;
}

const spanOf = (
  lines: readonly string[],
  { match, start, tolerance, wanted, count }: TolerantMatch,
): Span | undefined => {
  const newLines = shiftLines(wanted.newText.split("\n"), match.shift);
  if (newLines === undefined) return undefined;
  const matched = lines.slice(match.at, match.at + count).join("\n");
  const hasLineEnd = wanted.oldText.endsWith("\n") && match.at + count < lines.length;
  const end = start + matched.length + (hasLineEnd ? 1 : 0);
  const newText = newLines.join("\n");
  if (tolerance !== "first_line_unindented") return { start, end, newText };
  // The file's indentation stays in front; a first new line that brings its own must not add to it.
  const firstLine = lines[match.at] ?? "";
  const indent = firstLine.slice(0, firstLine.length - firstLine.trimStart().length);
  const own = newText.startsWith(indent) ? newText.slice(indent.length) : newText;
  return { start: start + indent.length, end, newText: own };
};

const lineStarts = (lines: readonly string[]): readonly number[] => {
  let next = 0;
  return lines.map((line) => {
    const start = next;
    next += line.length + 1;
    return start;
  });
};

const lineNumbers = (text: string, spans: readonly Span[]): readonly number[] => {
  const numbers: number[] = [];
  let line = 1;
  let end = text.indexOf("\n");
  for (const { start } of spans) {
    for (; end !== -1 && end < start; end = text.indexOf("\n", end + 1)) line += 1;
    numbers.push(line);
  }
  return numbers;
};

const notFound = (text: string, { oldText, newText }: Replacement): ReplaceOutcome => {
  const applied = newText.trim() === "" ? -1 : text.indexOf(newText);
  return {
    kind: "not_found",
    nearest: nearestRegion(text.split("\n"), linesOf(oldText)),
    newTextAtLine: applied === -1 ? undefined : text.slice(0, applied).split("\n").length,
  };
};
