import { relative, sep } from "node:path";
import type { FileHandle } from "node:fs/promises";
import { openRegular } from "../files/open-regular.ts";
import { readAll } from "../files/read-page.ts";
import { decodeFile, encodingOf } from "../files/text-file.ts";
import { compilePattern } from "./compile-pattern.ts";
import { createHitCollector } from "./hit-collector.ts";
import type { HitCollector } from "./hit-collector.ts";
import { runBounded } from "./run-bounded.ts";
import { MAX_SEARCHED_BYTES } from "./search-engine.ts";
import type { FileHits, SearchOutcome, SearchRequest } from "./search-engine.ts";
import { walkFiles } from "./walk-files.ts";

/** Longest time that matching a block of text may hold the event loop; an ordinary pattern needs a few milliseconds. */
const BLOCK_LIMIT_MS = 500;
const BLOCK_BYTES = 1024 * 1024;
/** After so many files that a pattern was too slow for, it is given up. */
const MAX_SLOW_FILES = 3;

/**
 * Searches without ripgrep. The same files and lines are found; the pattern is JavaScript's. A pattern that backtracks
 * without end is stopped after half a second per file and given up after three files.
 */
export const searchOwn = async (request: SearchRequest): Promise<SearchOutcome> => {
  const { regex, isLiteral } = compilePattern(request.pattern);
  const found: FileHits[] = [];
  const tally = { large: [] as string[], unreadable: 0, slow: 0 };
  let units = 0;
  let isComplete = true;
  for await (const path of candidates(request, () => (tally.unreadable += 1))) {
    request.signal.throwIfAborted();
    const enough = request.mode === "lines" ? request.enough - units : Number.POSITIVE_INFINITY;
    const scanned = await scanFile(path, { request, regex, enough });
    if (scanned.kind === "large") tally.large.push(path);
    else if (scanned.kind === "unreadable") tally.unreadable += 1;
    else if (scanned.kind === "slow") tally.slow += 1;
    else if (scanned.kind === "hits") {
      found.push(scanned.hits);
      units += request.mode === "lines" ? scanned.hits.matches : 1;
    }
    isComplete = units < request.enough && tally.slow < MAX_SLOW_FILES;
    if (!isComplete) break;
  }
  return { kind: "found", files: found, isComplete, notes: notesOf(request, { ...tally, isLiteral }) };
};

async function* candidates(request: SearchRequest, onUnreadable: () => void): AsyncGenerator<string, void, undefined> {
  if (request.isFile) {
    yield request.root;
    return;
  }
  for await (const path of walkFiles({ ...request, onUnreadable })) {
    if (request.isWanted(relative(request.root, path).split(sep).join("/"))) yield path;
  }
}

interface Tally {
  readonly large: readonly string[];
  readonly unreadable: number;
  readonly slow: number;
  readonly isLiteral: boolean;
}

const notesOf = (
  { root, pattern }: SearchRequest,
  { large, unreadable, slow, isLiteral }: Tally,
): readonly string[] => [
  ...(isLiteral ? [literalNote(pattern)] : []),
  ...(large.length > 0 ? [largeFilesNote(large.map((path) => relative(root, path)))] : []),
  ...(unreadable > 0 ? [unreadableNote(unreadable)] : []),
  ...(slow > 0
    ? [`the pattern backtracks too much and was stopped in ${slow === 1 ? "1 file" : `${slow} files`}: simplify it`]
    : []),
];

/** Says that a pattern was taken literally. */
export const literalNote = (pattern: string): string =>
  `${JSON.stringify(pattern)} is no valid regular expression and was searched for as it stands`;

/** Names files that were left out for their size. */
export const largeFilesNote = (paths: readonly string[]): string => {
  const named = paths.slice(0, 3).join(", ");
  return `not searched, over 10 MB: ${named}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""}; name one as path to search it`;
};

/** Says that something could not be read. */
export const unreadableNote = (count: number): string =>
  `${count} ${count === 1 ? "file or folder" : "files or folders"} could not be read`;

type Scanned =
  | { readonly kind: "hits"; readonly hits: FileHits }
  | { readonly kind: "none" | "large" | "unreadable" | "slow" };

interface Scan {
  readonly request: SearchRequest;
  readonly regex: RegExp;
  /** Matching lines after which the file's rest does not matter. */
  readonly enough: number;
}

const scanFile = async (path: string, scan: Scan): Promise<Scanned> => {
  const opened = await openRegular(path);
  if (opened.kind !== "file") return { kind: "unreadable" };
  try {
    if (!scan.request.isFile && opened.stats.size > MAX_SEARCHED_BYTES) return { kind: "large" };
    return await scanOpened(path, opened.handle, scan);
  } catch (error) {
    scan.request.signal.throwIfAborted();
    if (error instanceof Error && "code" in error) return { kind: "unreadable" };
    throw error;
  } finally {
    await opened.handle.close();
  }
};

const scanOpened = async (path: string, handle: FileHandle, scan: Scan): Promise<Scanned> => {
  const { mode, context } = scan.request;
  const collector = createHitCollector(context, mode === "lines");
  const enough = mode === "files" ? 1 : scan.enough;
  let lineNumber = 0;
  // After the last wanted match its context lines are still to come.
  let linesLeft = Number.POSITIVE_INFINITY;
  for await (const block of blocksOf(handle, scan.request.signal)) {
    if (block.kind === "binary") return { kind: "none" };
    const lines = block.text.split("\n");
    const columns = runBounded(() => lines.map((line) => columnIn(line, scan.regex)), BLOCK_LIMIT_MS);
    if (columns.kind === "too_slow") return { kind: "slow" };
    for (const [index, line] of lines.entries()) {
      if (linesLeft-- <= 0) return outcomeOf(collector, path);
      lineNumber += 1;
      const isOver = collector.matches >= enough;
      collector.add(lineNumber, withoutReturn(line), isOver ? undefined : columns.value[index]);
      if (!isOver && collector.matches >= enough) linesLeft = mode === "lines" ? context : 0;
    }
  }
  return outcomeOf(collector, path);
};

const outcomeOf = (collector: HitCollector, path: string): Scanned =>
  collector.matches === 0 ? { kind: "none" } : { kind: "hits", hits: collector.hits(path) };

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

const columnIn = (line: string, regex: RegExp): number | undefined => regex.exec(withoutReturn(line))?.index;

type Block = { readonly kind: "text"; readonly text: string } | { readonly kind: "binary" };

/** The file's text in blocks of whole lines, without a byte order mark and without the last line end. */
async function* blocksOf(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Block, void, undefined> {
  let carry: Buffer = Buffer.alloc(0);
  let position = 0;
  let isFirst = true;
  for (;;) {
    signal.throwIfAborted();
    const chunk = Buffer.allocUnsafe(BLOCK_BYTES);
    const { bytesRead } = await handle.read(chunk, 0, BLOCK_BYTES, position);
    const read = chunk.subarray(0, bytesRead);
    if (position === 0 && encodingOf(read) !== "utf-8") return yield* wideBlock(handle);
    if (read.includes(0)) return yield { kind: "binary" };
    position += bytesRead;
    const { whole, rest } = splitAtLastLine(Buffer.concat([carry, read]), bytesRead === 0);
    carry = rest;
    if (whole !== undefined) {
      const text = whole.toString("utf8");
      yield { kind: "text", text: isFirst && text.startsWith("\uFEFF") ? text.slice(1) : text };
      isFirst = false;
    }
    if (bytesRead === 0) return;
  }
}

const splitAtLastLine = (
  bytes: Buffer,
  isEnd: boolean,
): { readonly whole: Buffer | undefined; readonly rest: Buffer } => {
  const none = Buffer.alloc(0);
  if (isEnd) return { whole: bytes.length === 0 ? undefined : bytes, rest: none };
  const end = bytes.lastIndexOf(0x0a);
  if (end !== -1) return { whole: bytes.subarray(0, end), rest: bytes.subarray(end + 1) };
  // A line without end must not fill the memory: its parts are matched one by one.
  return bytes.length > MAX_SEARCHED_BYTES ? { whole: bytes, rest: none } : { whole: undefined, rest: bytes };
};

async function* wideBlock(handle: FileHandle): AsyncGenerator<Block, void, undefined> {
  const { size } = await handle.stat();
  if (size > MAX_SEARCHED_BYTES) return;
  const decoded = decodeFile(await readAll(handle));
  if (decoded.kind === "binary" || decoded.text === "") return;
  yield { kind: "text", text: decoded.text.endsWith("\n") ? decoded.text.slice(0, -1) : decoded.text };
}
