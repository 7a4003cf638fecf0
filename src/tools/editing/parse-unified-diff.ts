import { addedText, invalidPatch, parseHunkHeader } from "./patch-format.ts";
import type { FilePatch, Hunk, HunkLine, ParsedPatch } from "./patch-format.ts";

/**
 * Parses a unified diff, plain or git's. The counts in hunk headers are used to tell "--- " as a removed line from a file
 * header, but wrong ones (models miscount) do no harm: a hunk goes on as long as its lines look like a hunk's.
 */
export const parseUnifiedDiff = (lines: readonly string[], path: string | undefined): ParsedPatch => {
  const files: FilePatch[] = [];
  let at = 0;
  while (at < lines.length) {
    if (!beginsFile(lines, at) && !(path !== undefined && files.length === 0 && isHunkHeader(lines[at]))) {
      at += 1;
      continue;
    }
    const header = readHeader(lines, at);
    const hunks = readHunks(lines, header.next);
    if (hunks.kind === "invalid") return hunks;
    const file = toFilePatch(header, hunks.hunks, path);
    if (file.kind === "invalid") return invalidPatch(file.why, at + 1);
    files.push(file);
    at = Math.max(hunks.next, at + 1);
  }
  return { kind: "ok", files };
};

const isHunkHeader = (line: string | undefined): boolean => line !== undefined && parseHunkHeader(line) !== undefined;

const beginsFile = (lines: readonly string[], at: number): boolean =>
  (lines[at] ?? "").startsWith("diff --git ") || isPlainHeader(lines, at);

const isPlainHeader = (lines: readonly string[], at: number): boolean =>
  /^--- \S/u.test(lines[at] ?? "") && /^\+\+\+ \S/u.test(lines[at + 1] ?? "");

interface FileHeader {
  readonly oldPath: string | undefined;
  readonly newPath: string | undefined;
  readonly renameFrom: string | undefined;
  readonly renameTo: string | undefined;
  readonly isNew: boolean;
  readonly isDeleted: boolean;
  readonly mode: number | undefined;
  readonly unsupported: string | undefined;
  readonly next: number;
}

const readHeader = (lines: readonly string[], from: number): FileHeader => {
  const isGit = (lines[from] ?? "").startsWith("diff --git ");
  const extended = isGit ? extendedHeaders(lines.slice(from + 1)) : [];
  const at = from + (isGit ? 1 + extended.length : 0);
  const isPlain = isPlainHeader(lines, at);
  const names = isPlain ? pathPair(nameIn(lines[at]), nameIn(lines[at + 1])) : gitPair(lines[from] ?? "");
  const valueOf = (prefix: string): string | undefined =>
    extended.find((line) => line.startsWith(prefix))?.slice(prefix.length);
  const mode = valueOf("new file mode ") ?? valueOf("new mode ");
  return {
    ...names,
    renameFrom: unquoted(valueOf("rename from ")),
    renameTo: unquoted(valueOf("rename to ")),
    isNew: names.oldPath === undefined || valueOf("new file mode ") !== undefined,
    isDeleted: names.newPath === undefined || valueOf("deleted file mode ") !== undefined,
    mode: mode === undefined ? undefined : Number.parseInt(mode, 8) & 0o777,
    unsupported: extended.find((line) => /^(?:copy |Binary files|GIT binary patch)/u.test(line)),
    next: isPlain ? at + 2 : at,
  };
};

const extendedHeaders = (lines: readonly string[]): readonly string[] => {
  const end = lines.findIndex((line) => !EXTENDED_HEADER.test(line));
  return end === -1 ? lines : lines.slice(0, end);
};

const EXTENDED_HEADER =
  /^(?:index |old mode |new mode |new file mode |deleted file mode |similarity |dissimilarity |rename |copy |Binary files|GIT binary patch)/u;

/** `--- a/name<tab>date` → `a/name`; git quotes names with special characters. */
const nameIn = (line: string | undefined): string | undefined =>
  unquoted((line ?? "").slice(4).replace(/\t.*$/u, "").trimEnd());

const unquoted = (name: string | undefined): string | undefined => {
  if (name === undefined || !/^".*"$/u.test(name)) return name;
  const bytes: number[] = [];
  const escapes = /\\([0-7]{3})|\\(.)|([^\\]+)/gu;
  for (const [, octal, escaped, plain] of name.slice(1, -1).matchAll(escapes)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...Buffer.from(plain ?? ESCAPES[escaped ?? ""] ?? escaped ?? ""));
  }
  return Buffer.from(bytes).toString("utf8");
};

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

interface PathPair {
  readonly oldPath: string | undefined;
  readonly newPath: string | undefined;
}

/** `a/` and `b/` go only where both sides have them (or the other side is no file): a folder may be called `a`. */
const pathPair = (oldName: string | undefined, newName: string | undefined): PathPair => {
  const oldIsNone = oldName === "/dev/null";
  const newIsNone = newName === "/dev/null";
  const isPrefixed =
    (oldIsNone || oldName?.startsWith("a/") === true) && (newIsNone || newName?.startsWith("b/") === true);
  const strip = (name: string | undefined): string | undefined => (isPrefixed ? name?.slice(2) : name);
  return { oldPath: oldIsNone ? undefined : strip(oldName), newPath: newIsNone ? undefined : strip(newName) };
};

/** The names in `diff --git a/x b/x`, for files without hunks (an empty new file, a changed mode). */
const gitPair = (line: string): PathPair => {
  const match = /^diff --git a\/(.+) b\/(.+)$/u.exec(line) ?? /^diff --git "a\/(.+)" "b\/(.+)"$/u.exec(line);
  return { oldPath: match?.[1], newPath: match?.[2] };
};

type FilePatchOrFault = FilePatch | { readonly kind: "invalid"; readonly why: string };

const toFilePatch = (header: FileHeader, hunks: readonly Hunk[], path: string | undefined): FilePatchOrFault => {
  if (header.unsupported !== undefined) return { kind: "invalid", why: `"${header.unsupported}" is not supported.` };
  const withMode = header.mode === undefined ? {} : { mode: header.mode };
  if (header.renameFrom !== undefined && header.renameTo !== undefined) {
    return { kind: "move", path: header.renameFrom, to: header.renameTo, hunks, ...withMode };
  }
  const target = header.newPath ?? header.oldPath ?? path;
  if (target === undefined) return { kind: "invalid", why: "the hunks name no file." };
  if (header.isNew && header.newPath !== undefined)
    return { kind: "add", path: target, text: textOfAdded(hunks), ...withMode };
  if (header.isDeleted && header.oldPath !== undefined) return { kind: "delete", path: header.oldPath, hunks };
  if (hunks.length === 0 && header.mode === undefined) return { kind: "invalid", why: `${target} has no hunks.` };
  const otherPath = header.oldPath !== undefined && header.oldPath !== target ? { otherPath: header.oldPath } : {};
  return { kind: "update", path: target, hunks, ...otherPath, ...withMode };
};

const textOfAdded = (hunks: readonly Hunk[]): string =>
  addedText(
    hunks.flatMap((hunk) => hunk.lines.filter(({ sign }) => sign !== "-").map(({ text }) => text)),
    hunks.at(-1)?.newEndsBare === true,
  );

type ReadHunks =
  | { readonly kind: "ok"; readonly hunks: readonly Hunk[]; readonly next: number }
  | { readonly kind: "invalid"; readonly why: string };

const readHunks = (lines: readonly string[], from: number): ReadHunks => {
  const hunks: Hunk[] = [];
  let at = from;
  for (;;) {
    while (at < lines.length && (lines[at] ?? "").trim() === "") at += 1;
    const header = parseHunkHeader(lines[at] ?? "");
    if (header === undefined) break;
    const body = readHunkBody(lines, at + 1, header);
    if (!body.lines.some(({ sign }) => sign !== " ")) return invalidPatch("the hunk changes nothing.", at + 1);
    hunks.push({
      lines: body.lines,
      statedLine: header.oldStart,
      statedCount: header.oldCount,
      hints: [],
      isAtEnd: false,
      oldEndsBare: body.oldEndsBare,
      newEndsBare: body.newEndsBare,
    });
    at = body.next;
  }
  if ((lines[at] ?? "").startsWith("@@"))
    return invalidPatch(`the hunk header ${JSON.stringify(lines[at])} is not of the form "@@ -1,3 +1,4 @@".`, at + 1);
  return { kind: "ok", hunks, next: at };
};

interface HunkBody {
  readonly lines: readonly HunkLine[];
  readonly oldEndsBare: boolean;
  readonly newEndsBare: boolean;
  readonly next: number;
}

const readHunkBody = (
  lines: readonly string[],
  from: number,
  { oldCount, newCount }: { readonly oldCount: number; readonly newCount: number },
): HunkBody => {
  const read: HunkLine[] = [];
  let oldLeft = oldCount;
  let newLeft = newCount;
  let oldEndsBare = false;
  let newEndsBare = false;
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isCounted = oldLeft > 0 || newLeft > 0;
    if (line.startsWith("\\")) {
      const sign = read.at(-1)?.sign;
      oldEndsBare ||= sign !== "+";
      newEndsBare ||= sign !== "-";
      continue;
    }
    if (!isCounted && (line === "" || isPlainHeader(lines, at))) break;
    const sign = line === "" ? " " : line[0];
    if (sign !== " " && sign !== "-" && sign !== "+") break;
    read.push({ sign, text: line.slice(1) });
    if (sign !== "+") oldLeft -= 1;
    if (sign !== "-") newLeft -= 1;
  }
  return { lines: withoutUncounted(read, oldLeft, newLeft), oldEndsBare, newEndsBare, next: at };
};

/** Blank lines at the end of the patch are no context where the counts say that more lines were to come. */
const withoutUncounted = (read: readonly HunkLine[], oldLeft: number, newLeft: number): readonly HunkLine[] => {
  if (oldLeft <= 0 && newLeft <= 0) return read;
  const last = read.findLastIndex(({ sign, text }) => sign !== " " || text !== "");
  return read.slice(0, last + 1);
};
