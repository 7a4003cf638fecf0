import { addedText, invalidPatch, parseHunkHeader } from "./patch-format.ts";
import type { FilePatch, Hunk, HunkLine, ParsedPatch } from "./patch-format.ts";

/**
 * Parses `*** Begin Patch` blocks: `*** Update File:` (with `*** Move to:`), `*** Add File:`, `*** Delete File:` and
 * `*** Move File: a -> b`. In an update, `@@ text` names a line before the place, and `*** End of File` says that the
 * lines above it end the file. Text before the first block and after `*** End Patch` is no part of the patch.
 */
export const parseBlockPatch = (lines: readonly string[]): ParsedPatch => {
  const start = lines.findIndex((line) => line.trim() === "*** Begin Patch");
  const end = lines.findIndex((line) => line.trim() === "*** End Patch");
  const files: FilePatch[] = [];
  let at = start === -1 ? lines.findIndex((line) => FILE_HEADER.test(line)) : start + 1;
  const stop = end === -1 ? lines.length : end;
  while (at < stop) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const header = FILE_HEADER.exec(line);
    if (header === null)
      return invalidPatch(
        `expected "*** Update File: path" or another file header, found ${JSON.stringify(line)}.`,
        at + 1,
      );
    const bodyEnd = nextHeader(lines, at + 1, stop);
    const parsed = parseFile(
      { verb: header[1] ?? "", name: (header[2] ?? "").trim() },
      lines.slice(at + 1, bodyEnd),
      at + 1,
    );
    if (parsed.kind === "invalid") return parsed;
    files.push(parsed.file);
    at = bodyEnd;
  }
  return { kind: "ok", files };
};

const FILE_HEADER = /^\*\*\* (Update|Add|Delete|Move) File: ?(.*)$/u;

const nextHeader = (lines: readonly string[], from: number, stop: number): number => {
  const next = lines.slice(from, stop).findIndex((line) => FILE_HEADER.test(line));
  return next === -1 ? stop : from + next;
};

type ParsedFile =
  | { readonly kind: "ok"; readonly file: FilePatch }
  | { readonly kind: "invalid"; readonly why: string };

const parseFile = (
  { verb, name }: { readonly verb: string; readonly name: string },
  body: readonly string[],
  offset: number,
): ParsedFile => {
  if (name === "") return invalidPatch("the file header names no path.", offset);
  if (verb === "Add") return parseAdd(name, body, offset);
  if (verb === "Update") return parseUpdate(name, body, offset);
  const extra = body.findIndex((line) => line.trim() !== "");
  if (extra !== -1 && verb === "Delete") return invalidPatch("a deleted file takes no lines.", offset + extra + 1);
  if (verb === "Delete") return { kind: "ok", file: { kind: "delete", path: name, hunks: [] } };
  const [from, to] = name.split(" -> ", 2);
  if (from === undefined || to === undefined) return invalidPatch('write "*** Move File: old -> new".', offset);
  const hunks = parseHunks(body, offset);
  return hunks.kind === "invalid"
    ? hunks
    : { kind: "ok", file: { kind: "move", path: from.trim(), to: to.trim(), hunks: hunks.hunks } };
};

const parseAdd = (path: string, body: readonly string[], offset: number): ParsedFile => {
  const lines = withoutBlankEnd(body);
  const bad = lines.findIndex((line) => !line.startsWith("+"));
  if (bad !== -1) return invalidPatch('every line of an added file begins with "+".', offset + bad + 1);
  return {
    kind: "ok",
    file: {
      kind: "add",
      path,
      text: addedText(
        lines.map((line) => line.slice(1)),
        false,
      ),
    },
  };
};

const withoutBlankEnd = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);

const parseUpdate = (path: string, body: readonly string[], offset: number): ParsedFile => {
  const move = /^\*\*\* Move to: ?(.+)$/u.exec(body[0] ?? "");
  const parsed = parseHunks(move === null ? body : body.slice(1), move === null ? offset : offset + 1);
  if (parsed.kind === "invalid") return parsed;
  if (move !== null)
    return { kind: "ok", file: { kind: "move", path, to: (move[1] ?? "").trim(), hunks: parsed.hunks } };
  if (parsed.hunks.length === 0) return invalidPatch(`the update of ${path} has no lines to change.`, offset);
  return { kind: "ok", file: { kind: "update", path, hunks: parsed.hunks } };
};

type ParsedHunks =
  | { readonly kind: "ok"; readonly hunks: readonly Hunk[] }
  | { readonly kind: "invalid"; readonly why: string };

interface OpenHunk {
  hints: string[];
  lines: HunkLine[];
  statedLine: number | undefined;
  statedCount: number | undefined;
  isAtEnd: boolean;
}

const newHunk = (): OpenHunk => ({
  hints: [],
  lines: [],
  statedLine: undefined,
  statedCount: undefined,
  isAtEnd: false,
});

const parseHunks = (body: readonly string[], offset: number): ParsedHunks => {
  const hunks: OpenHunk[] = [];
  let open = newHunk();
  for (const [index, line] of withoutBlankEnd(body).entries()) {
    if (line.startsWith("@@")) {
      // Several "@@" lines in a row are hints for one hunk.
      if (open.lines.length > 0) {
        hunks.push(open);
        open = newHunk();
      }
      addHint(open, line);
    } else if (line.trim() === "*** End of File") {
      open.isAtEnd = true;
      hunks.push(open);
      open = newHunk();
    } else {
      const parsed = parseLine(line);
      if (parsed === undefined)
        return invalidPatch(
          `a line must begin with " ", "-" or "+": ${JSON.stringify(line.slice(0, 80))}.`,
          offset + index + 1,
        );
      open.lines.push(parsed);
    }
  }
  if (open.lines.length > 0) hunks.push(open);
  const empty = hunks.find((hunk) => hunk.lines.every(({ sign }) => sign === " "));
  if (empty !== undefined)
    return invalidPatch("a hunk has context lines only; changed lines begin with - or +.", offset);
  return { kind: "ok", hunks: hunks.map(closeHunk) };
};

const addHint = (hunk: OpenHunk, line: string): void => {
  const numbered = parseHunkHeader(line);
  if (numbered !== undefined) {
    hunk.statedLine = numbered.oldStart;
    hunk.statedCount = numbered.oldCount;
    return;
  }
  const hint = line.replace(/^@@ ?/u, "").replace(/ ?@@$/u, "");
  if (hint.trim() !== "" && hint.trim() !== "...") hunk.hints.push(hint);
};

/** An empty line stands for an empty context line: editors and models strip the one blank. */
const parseLine = (line: string): HunkLine | undefined => {
  if (line === "") return { sign: " ", text: "" };
  const sign = line[0];
  return sign === " " || sign === "-" || sign === "+" ? { sign, text: line.slice(1) } : undefined;
};

const closeHunk = ({ statedLine, statedCount, ...hunk }: OpenHunk): Hunk => ({
  ...hunk,
  ...(statedLine === undefined ? {} : { statedLine }),
  ...(statedCount === undefined ? {} : { statedCount }),
  oldEndsBare: false,
  newEndsBare: false,
});
