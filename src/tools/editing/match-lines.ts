/** How much of the white space may differ between what was given and what the file holds. */
export type Tolerance = "exact" | "trailing_space" | "first_line_unindented" | "indentation";

/** The tolerances in the order in which they are tried: the first that finds something decides. */
export const TOLERANCES: readonly Tolerance[] = ["exact", "trailing_space", "first_line_unindented", "indentation"];

/** By how much indentation in the file differs from what was given, the same for all lines. */
export type IndentShift =
  | { readonly kind: "none" }
  | { readonly kind: "add"; readonly prefix: string }
  | { readonly kind: "remove"; readonly prefix: string };

/** A run of file lines that matches. */
export interface LineMatch {
  /** Index of the first line. */
  readonly at: number;
  readonly shift: IndentShift;
}

const NO_SHIFT: IndentShift = { kind: "none" };

/** Every place where `wanted` stands in `lines` under one tolerance. Lines that are blank throughout match nothing but exactly. */
export const findLines = (
  lines: readonly string[],
  wanted: readonly string[],
  tolerance: Tolerance,
): readonly LineMatch[] => {
  if (wanted.length === 0 || wanted.length > lines.length) return [];
  const anchor = wanted.findIndex((line) => line.trim() !== "");
  if (anchor === -1 && tolerance !== "exact") return [];
  const anchorText = wanted[anchor]?.trim() ?? "";
  const matches: LineMatch[] = [];
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    if (anchor !== -1 && lines[at + anchor]?.trim() !== anchorText) continue;
    const shift = shiftAt(lines, wanted, { at, tolerance });
    if (shift !== undefined) matches.push({ at, shift });
  }
  return matches;
};

const shiftAt = (
  lines: readonly string[],
  wanted: readonly string[],
  { at, tolerance }: { readonly at: number; readonly tolerance: Tolerance },
): IndentShift | undefined => {
  const pair = (index: number): readonly [string, string] => [lines[at + index] ?? "", wanted[index] ?? ""];
  const every = (isSame: (file: string, given: string, index: number) => boolean): boolean =>
    wanted.every((_, index) => isSame(...pair(index), index));
  switch (tolerance) {
    case "exact":
      return every((file, given) => file === given) ? NO_SHIFT : undefined;
    case "trailing_space":
      return every(isSameButTrailing) ? NO_SHIFT : undefined;
    case "first_line_unindented":
      return every((file, given, index) => (index === 0 ? isUnindented(file, given) : isSameButTrailing(file, given)))
        ? NO_SHIFT
        : undefined;
    case "indentation":
    default:
      return commonShift(wanted.map((_, index) => pair(index)));
  }
};

const isSameButTrailing = (file: string, given: string): boolean => file.trimEnd() === given.trimEnd();

const isUnindented = (file: string, given: string): boolean =>
  given.trim() !== "" && given.trimStart() === given && file.trim() === given.trimEnd();

const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length);

/** The one shift that explains all lines, if there is one. Blank lines have no indentation to compare. */
const commonShift = (pairs: readonly (readonly [string, string])[]): IndentShift | undefined => {
  let common: IndentShift | undefined;
  for (const [file, given] of pairs) {
    if (file.trim() !== given.trim()) return undefined;
    if (file.trim() === "") continue;
    const shift = shiftBetween(indentOf(given), indentOf(file));
    if (shift === undefined || (common !== undefined && !isSameShift(common, shift))) return undefined;
    common = shift;
  }
  return common;
};

const shiftBetween = (given: string, file: string): IndentShift | undefined => {
  if (given === file) return NO_SHIFT;
  if (file.endsWith(given)) return { kind: "add", prefix: file.slice(0, file.length - given.length) };
  if (given.endsWith(file)) return { kind: "remove", prefix: given.slice(0, given.length - file.length) };
  return undefined;
};

const isSameShift = (a: IndentShift, b: IndentShift): boolean =>
  a.kind === "none" || b.kind === "none" ? a.kind === b.kind : a.kind === b.kind && a.prefix === b.prefix;

/** Shifts new lines like the old ones; undefined where a line has less indentation than would have to go. Blank lines stay. */
export const shiftLines = (lines: readonly string[], shift: IndentShift): readonly string[] | undefined => {
  if (shift.kind === "none") return lines;
  const shifted: string[] = [];
  for (const line of lines) {
    if (line.trim() === "") shifted.push(line);
    else if (shift.kind === "add") shifted.push(shift.prefix + line);
    else if (line.startsWith(shift.prefix)) shifted.push(line.slice(shift.prefix.length));
    else return undefined;
  }
  return shifted;
};

/** How a tolerant match is told to the model; empty for an exact one. */
export const describeTolerance = (tolerance: Tolerance): string => {
  switch (tolerance) {
    case "exact":
      return "";
    case "trailing_space":
      return "matched apart from trailing spaces";
    case "first_line_unindented":
    case "indentation":
    default:
      return "matched apart from indentation, which was kept as in the file";
  }
};
