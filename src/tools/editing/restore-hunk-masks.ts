import type { FileWriteDeps, RestoredMasks } from "../files/file-tool-deps.ts";
import type { Hunk, HunkLine } from "./patch-format.ts";

/** Hunks with the originals of their masks, or the first mask that the file does not hold. */
export type RestoredHunks =
  | { readonly kind: "restored"; readonly hunks: readonly Hunk[] }
  | Extract<RestoredMasks, { kind: "unknown_mask" }>;

/** Puts the originals of masks back into all lines of hunks: the old ones, so that they are found, and the new ones. */
export const restoreHunkMasks = (
  deps: Pick<FileWriteDeps, "restoreMasks">,
  hunks: readonly Hunk[],
  current: string,
): RestoredHunks => {
  const restored: Hunk[] = [];
  for (const hunk of hunks) {
    const lines = restoreLines(deps, hunk.lines, current);
    if (lines.kind === "unknown_mask") return lines;
    restored.push({ ...hunk, lines: lines.lines });
  }
  return { kind: "restored", hunks: restored };
};

type RestoredLines =
  | { readonly kind: "restored"; readonly lines: readonly HunkLine[] }
  | Extract<RestoredMasks, { kind: "unknown_mask" }>;

const restoreLines = (
  deps: Pick<FileWriteDeps, "restoreMasks">,
  lines: readonly HunkLine[],
  current: string,
): RestoredLines => {
  const whole = deps.restoreMasks(lines.map(({ text }) => text).join("\n"), current);
  if (whole.kind === "unknown_mask") return whole;
  const texts = whole.text.split("\n");
  if (texts.length === lines.length) {
    return { kind: "restored", lines: lines.map(({ sign }, index) => ({ sign, text: texts[index] ?? "" })) };
  }
  // A secret of several lines: then each line for itself, so that its parts get its sign.
  const expanded: HunkLine[] = [];
  for (const { sign, text } of lines) {
    const single = deps.restoreMasks(text, current);
    if (single.kind === "unknown_mask") return single;
    expanded.push(...single.text.split("\n").map((part) => ({ sign, text: part })));
  }
  return { kind: "restored", lines: expanded };
};
