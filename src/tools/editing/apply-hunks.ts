import { shiftLines } from "./match-lines.ts";
import type { Hunk } from "./patch-format.ts";
import { placeHunk, statedIndex } from "./place-hunk.ts";
import type { HunkFit, Place } from "./place-hunk.ts";

/** The changed text with the first line (from 1) and the fit of each hunk, or why a hunk has no place. */
export type HunksOutcome =
  | {
      readonly kind: "applied";
      readonly text: string;
      readonly places: readonly { readonly line: number; readonly fit: HunkFit }[];
    }
  | { readonly kind: "failed"; readonly why: string };

/**
 * Applies hunks to a text, all or none. Context lines and line ends stay as in the file; added lines take the indentation
 * shift and the line end of their place. Whether the text ends with a line end changes only where a hunk says so.
 */
export const applyHunks = (text: string, hunks: readonly Hunk[]): HunksOutcome => {
  const lines = splitLines(text);
  const texts = lines.map((line) => line.text);
  const placed: PlacedHunk[] = [];
  let drift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const found = placeHunk(texts, hunk, { placed: placed.map(({ place }) => place), drift });
    if (found.kind === "failed") return { kind: "failed", why: `Hunk ${index + 1} of ${hunks.length}: ${found.why}` };
    const rewritten = rewrite(lines, found.place);
    if (rewritten === undefined) {
      return {
        kind: "failed",
        why: `Hunk ${index + 1} of ${hunks.length}: the indentation at line ${found.place.at + 1} differs, and the new lines cannot be shifted like it.`,
      };
    }
    placed.push({ place: found.place, newLines: rewritten });
    if (hunk.statedLine !== undefined) drift = found.place.at - statedIndex(hunk);
  }
  return {
    kind: "applied",
    text: assemble(lines, placed),
    places: placed.map(({ place }) => ({ line: place.at + 1, fit: place.fit })),
  };
};

interface FileLine {
  readonly text: string;
  /** Empty only for a last line without a line end. */
  readonly end: "\n" | "\r\n" | "";
}

const splitLines = (text: string): readonly FileLine[] => {
  if (text === "") return [];
  const parts = text.split("\n");
  const last = parts.pop() ?? "";
  const lines: FileLine[] = parts.map((part) =>
    part.endsWith("\r") ? { text: part.slice(0, -1), end: "\r\n" } : { text: part, end: "\n" },
  );
  return last === "" ? lines : [...lines, { text: last, end: "" }];
};

interface PlacedHunk {
  readonly place: Place;
  readonly newLines: readonly FileLine[];
}

/** What the place's lines become: context as in the file, added lines shifted like the old ones. Undefined = cannot be shifted. */
const rewrite = (lines: readonly FileLine[], place: Place): readonly FileLine[] | undefined => {
  const end = lineEndAt(lines, place.at);
  const newLines: FileLine[] = [];
  let at = place.at;
  for (const { sign, text } of place.hunk.lines) {
    if (sign === "+") {
      const shifted = shiftLines([text], place.shift)?.[0];
      if (shifted === undefined) return undefined;
      newLines.push({ text: shifted, end });
    } else {
      const kept = lines[at];
      if (sign === " " && kept !== undefined) newLines.push(kept);
      at += 1;
    }
  }
  return newLines;
};

const lineEndAt = (lines: readonly FileLine[], at: number): "\n" | "\r\n" => {
  const near = [lines[at], lines[at - 1], lines[0]].find((line) => line !== undefined && line.end !== "");
  return near?.end === "\r\n" ? "\r\n" : "\n";
};

const assemble = (lines: readonly FileLine[], placed: readonly PlacedHunk[]): string => {
  const inOrder = [...placed].sort((a, b) => a.place.at - b.place.at);
  const result: FileLine[] = [];
  let copied = 0;
  for (const { place, newLines } of inOrder) {
    result.push(...lines.slice(copied, place.at), ...newLines);
    copied = place.at + place.count;
  }
  result.push(...lines.slice(copied));
  const lastEnd = finalLineEnd(lines, inOrder);
  return result
    .map(({ text, end }, index) => {
      if (index === result.length - 1) return text + (lastEnd ?? end);
      return text + (end === "" ? lineEndAt(lines, 0) : end);
    })
    .join("");
};

/** The line end of the last line: as the last hunk says where it reaches the end of the file, else as it was. */
const finalLineEnd = (lines: readonly FileLine[], inOrder: readonly PlacedHunk[]): FileLine["end"] | undefined => {
  const last = inOrder.at(-1)?.place;
  if (last === undefined || last.at + last.count < lines.length) return undefined;
  if (last.hunk.newEndsBare) return "";
  const wasBare = lines.length > 0 && lines.at(-1)?.end === "";
  return wasBare && !last.hunk.oldEndsBare ? "" : lineEndAt(lines, 0);
};
