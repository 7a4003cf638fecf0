import { createBoundedRunner } from "../run-bounded.ts";

/** The first match in each line that has one: index of the line (from 0) and of the match in it. */
export type LineColumns = ReadonlyMap<number, number>;

/** The matches of one text; `too_slow` = the pattern was stopped in it. */
export type TextMatches = { readonly kind: "matched"; readonly columns: LineColumns } | { readonly kind: "too_slow" };

/** Matches a pattern line by line in texts; a return before a line feed is no part of its line. */
export type TextMatcher = (texts: readonly string[]) => readonly TextMatches[];

/** Longest time that one run of the pattern may hold the event loop; an ordinary one needs a few milliseconds. */
const LIMIT_MS = 500;

/**
 * Makes a matcher. All texts of a call are matched in one bounded run; only if that is too slow, each for itself, so that
 * one text that a pattern cannot cope with spoils no other.
 */
export const createTextMatcher = (regex: RegExp, firstOnly: boolean): TextMatcher => {
  const runBounded = createBoundedRunner();
  const anywhere = anywhereRegex(regex);
  return (texts) => {
    const together = runBounded(
      () => texts.map((text) => (anywhere?.test(text) === false ? NONE : columnsIn(text, regex, firstOnly))),
      LIMIT_MS,
    );
    if (together.kind === "done") return together.value.map((columns) => ({ kind: "matched", columns }));
    return texts.map((text) => {
      const alone = runBounded(() => columnsIn(text, regex, firstOnly), LIMIT_MS);
      return alone.kind === "done" ? { kind: "matched", columns: alone.value } : alone;
    });
  };
};

const NONE: LineColumns = new Map();

/**
 * A pattern that matches in a whole text wherever the given one matches in a line of it (and perhaps elsewhere): most texts
 * are done with after one look. Look-around can see the line ends, so with it there is no such pattern.
 */
const anywhereRegex = ({ source, flags }: RegExp): RegExp | undefined =>
  /\(\?<?[=!]/u.test(source) ? undefined : new RegExp(source, `${flags}m`);

const columnsIn = (text: string, regex: RegExp, firstOnly: boolean): LineColumns => {
  const columns = new Map<number, number>();
  for (const [index, line] of text.split("\n").entries()) {
    const column = regex.exec(withoutReturn(line))?.index;
    if (column === undefined) continue;
    columns.set(index, column);
    if (firstOnly) break;
  }
  return columns;
};

/** A line as it is shown and matched. */
export const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
