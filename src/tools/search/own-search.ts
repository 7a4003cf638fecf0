import { relative, sep } from "node:path";
import { systemErrorCode } from "../../base/system-error.ts";
import { openRegular } from "../files/open-regular.ts";
import type { OpenedPath } from "../files/open-regular.ts";
import { compilePattern } from "./compile-pattern.ts";
import { createHitCollector } from "./hit-collector.ts";
import type { HitCollector } from "./hit-collector.ts";
import { createTextMatcher, withoutReturn } from "./match-texts.ts";
import type { LineColumns, TextMatcher } from "./match-texts.ts";
import { MAX_SEARCHED_BYTES } from "./search-engine.ts";
import type { FileHits, SearchOutcome, SearchRequest } from "./search-engine.ts";
import { BLOCK_BYTES, blocksOf, wholeBlock } from "./text-blocks.ts";
import { walkFiles } from "./walk-files.ts";

/** After so many files that a pattern was too slow for, it is given up. */
const MAX_SLOW_FILES = 3;
/** Files that are read side by side. */
const BATCH_FILES = 16;

/**
 * Searches without ripgrep. The same files and lines are found; the pattern is JavaScript's. A pattern that backtracks
 * without end is stopped after half a second per file and given up after three files.
 */
export const searchOwn = async (request: SearchRequest): Promise<SearchOutcome> => {
  const { regex, isLiteral } = compilePattern(request.pattern);
  const scan: Scan = { request, matchTexts: createTextMatcher(regex, request.mode === "files") };
  const found: FileHits[] = [];
  const tally = { large: [] as string[], unreadable: 0, slow: 0 };
  let units = 0;
  let isComplete = true;
  for await (const paths of batches(
    candidates(request, () => (tally.unreadable += 1)),
    BATCH_FILES,
  )) {
    request.signal.throwIfAborted();
    for (const { path, result } of await scanFiles(paths, scan)) {
      if (!isComplete) break;
      if (result.kind === "large") tally.large.push(path);
      else if (result.kind === "unreadable") tally.unreadable += 1;
      else if (result.kind === "slow") tally.slow += 1;
      else if (result.kind === "hits") {
        found.push(result.hits);
        units += request.mode === "lines" ? result.hits.matches : 1;
      }
      isComplete = units < request.enough && tally.slow < MAX_SLOW_FILES;
    }
    if (!isComplete) break;
  }
  return { kind: "found", files: found, isComplete, notes: notesOf(request, { ...tally, isLiteral }) };
};

async function* batches(
  paths: AsyncIterable<string>,
  size: number,
): AsyncGenerator<readonly string[], void, undefined> {
  let batch: string[] = [];
  for await (const path of paths) {
    batch.push(path);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

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
const literalNote = (pattern: string): string =>
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
  readonly matchTexts: TextMatcher;
}

interface ScannedFile {
  readonly path: string;
  readonly result: Scanned;
}

/** A file on its way through a scan: its text, or what it came to without one. */
type Loaded = { readonly kind: "text"; readonly text: string } | { readonly kind: "scanned"; readonly result: Scanned };

const scanFiles = async (paths: readonly string[], scan: Scan): Promise<readonly ScannedFile[]> => {
  const loaded = await Promise.all(paths.map((path) => loadFile(path, scan)));
  const texts = loaded.flatMap((file) => (file.kind === "text" ? [file.text] : []));
  const matches = scan.matchTexts(texts).values();
  return loaded.map((file, index): ScannedFile => {
    const path = paths[index] ?? "";
    if (file.kind === "scanned") return { path, result: file.result };
    const matched = matches.next().value;
    if (matched === undefined || matched.kind === "too_slow") return { path, result: { kind: "slow" } };
    if (matched.columns.size === 0) return { path, result: { kind: "none" } };
    const feed = createFeed(scan.request);
    feed.take(file.text, matched.columns);
    return { path, result: feed.result(path) };
  });
};

const loadFile = async (path: string, scan: Scan): Promise<Loaded> => {
  const opened = await openRegular(path);
  if (opened.kind !== "file") return scanned({ kind: "unreadable" });
  try {
    return await loadOpened(path, opened, scan);
  } catch (error) {
    scan.request.signal.throwIfAborted();
    if (systemErrorCode(error) !== undefined) return scanned({ kind: "unreadable" });
    throw error;
  } finally {
    await opened.handle.close();
  }
};

const scanned = (result: Scanned): Loaded => ({ kind: "scanned", result });

type OpenedFile = Extract<OpenedPath, { kind: "file" }>;

const loadOpened = async (path: string, { handle, stats }: OpenedFile, scan: Scan): Promise<Loaded> => {
  if (!scan.request.isFile && stats.size > MAX_SEARCHED_BYTES) return scanned({ kind: "large" });
  if (stats.size > BLOCK_BYTES) return scanned(await scanBlocks(path, handle, scan));
  const block = wholeBlock(await handle.readFile());
  return block?.kind === "text" ? block : scanned({ kind: "none" });
};

const scanBlocks = async (
  path: string,
  handle: OpenedFile["handle"],
  { request, matchTexts }: Scan,
): Promise<Scanned> => {
  const feed = createFeed(request);
  for await (const block of blocksOf(handle, request.signal)) {
    if (block.kind === "binary") return { kind: "none" };
    const [matched] = matchTexts([block.text]);
    if (matched === undefined || matched.kind === "too_slow") return { kind: "slow" };
    feed.take(block.text, matched.columns);
    if (feed.isDone()) break;
  }
  return feed.result(path);
};

/** Feeds one file's lines to a collector, and knows when the rest of the file does not matter. */
interface Feed {
  take(text: string, columns: LineColumns): void;
  isDone(): boolean;
  result(path: string): Scanned;
}

const createFeed = ({ mode, context, enough }: SearchRequest): Feed => {
  const collector: HitCollector = createHitCollector(context, mode === "lines");
  const mostMatches = { lines: enough, files: 1, counts: Number.POSITIVE_INFINITY }[mode];
  let lineNumber = 0;
  // After the last wanted match its context lines are still to come.
  let linesLeft = Number.POSITIVE_INFINITY;
  return {
    take: (text, columns) => {
      for (const [index, line] of text.split("\n").entries()) {
        if (linesLeft <= 0) return;
        lineNumber += 1;
        linesLeft -= 1;
        const isOver = collector.matches >= mostMatches;
        collector.add(lineNumber, withoutReturn(line), isOver ? undefined : columns.get(index));
        if (!isOver && collector.matches >= mostMatches) linesLeft = mode === "lines" ? context : 0;
      }
    },
    isDone: () => linesLeft <= 0,
    result: (path) => (collector.matches === 0 ? { kind: "none" } : { kind: "hits", hits: collector.hits(path) }),
  };
};
