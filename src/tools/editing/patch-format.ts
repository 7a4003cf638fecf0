/** One line of a hunk: context, removed or added. `text` is without its sign and line end. */
export interface HunkLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** A group of changed lines with the context that tells where they are. */
export interface Hunk {
  readonly lines: readonly HunkLine[];
  /** The first old line (from 1) as the diff states it; absent in patches without numbers. */
  readonly statedLine?: number;
  /** How many old lines the diff states; 0 makes `statedLine` the line to insert after. */
  readonly statedCount?: number;
  /** Lines that stand before the place, outermost first (`@@ class A`, `@@ def b`). */
  readonly hints: readonly string[];
  /** The old lines are said to end the file. */
  readonly isAtEnd: boolean;
  /** "\ No newline at end of file" on the old or the new side. */
  readonly oldEndsBare: boolean;
  readonly newEndsBare: boolean;
}

/** What a patch wants done to one file. */
export type FilePatch =
  | {
      readonly kind: "update";
      readonly path: string;
      readonly otherPath?: string;
      readonly hunks: readonly Hunk[];
      readonly mode?: number;
    }
  | {
      readonly kind: "move";
      readonly path: string;
      readonly to: string;
      readonly hunks: readonly Hunk[];
      readonly mode?: number;
    }
  | { readonly kind: "add"; readonly path: string; readonly text: string; readonly mode?: number }
  | { readonly kind: "delete"; readonly path: string; readonly hunks: readonly Hunk[] };

/** A parsed patch, or what is wrong with it in one sentence. */
export type ParsedPatch =
  | { readonly kind: "ok"; readonly files: readonly FilePatch[] }
  | { readonly kind: "invalid"; readonly why: string };

/** Makes an `invalid` outcome; `line` counts from 1. */
export const invalidPatch = (why: string, line?: number): { readonly kind: "invalid"; readonly why: string } => ({
  kind: "invalid",
  why: line === undefined ? why : `Line ${line} of the patch: ${why}`,
});

/** The new text that a patch adds as a whole file. */
export const addedText = (lines: readonly string[], endsBare: boolean): string =>
  lines.length === 0 ? "" : `${lines.join("\n")}${endsBare ? "" : "\n"}`;

/** `@@ -12,3 +14,5 @@ …`: the old side's numbers. */
export const parseHunkHeader = (
  line: string,
):
  | { readonly oldStart: number; readonly oldCount: number; readonly newCount: number; readonly section: string }
  | undefined => {
  const match = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)$/u.exec(line);
  if (match === null) return undefined;
  return {
    oldStart: Number(match[1]),
    oldCount: match[2] === undefined ? 1 : Number(match[2]),
    newCount: match[3] === undefined ? 1 : Number(match[3]),
    section: match[4] ?? "",
  };
};
