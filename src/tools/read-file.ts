import * as z from "zod";
import { defineTool } from "../agent/tool.ts";
import type { Tool, ToolContext, ToolResult } from "../agent/tool.ts";
import { sliceCharacters } from "../base/slice-characters.ts";
import { describeMissing } from "./files/describe-missing.ts";
import type { FileReadDeps } from "./files/file-tool-deps.ts";
import { countLines } from "./files/line-diff.ts";
import { maskLines } from "./files/mask-lines.ts";
import { describeFileError, openRegular } from "./files/open-regular.ts";
import type { OpenedPath } from "./files/open-regular.ts";
import { readPage } from "./files/read-page.ts";
import type { PageLine, TextPage } from "./files/read-page.ts";
import { isImageType } from "./files/text-file.ts";
import { absolutePath, hostFlavour, realPathOf } from "./resolve-path.ts";
import { answer, fault } from "./tool-answer.ts";

const DEFAULT_LINES = 500;
const MAX_LINES = 2000;
/** Lines read around the page so that a secret over several lines is known as one; a 16384-bit key has about 210. */
const MASK_MARGIN_LINES = 220;
/** Bytes read past the cut of a long line, so that a secret at the cut is still known as one. */
const MASK_MARGIN_BYTES = 4096;
const MAX_BYTES_PER_CHAR = 4;
const NUMBERING_ALLOWANCE_CHARS = 10_000;

type ReadArgs = { path: string; offset: number; limit: number };

/**
 * `read_file`: lines of a text file as `<number><tab><text>`, the cheapest numbered form in tokens (1.4 a line; `N|text`
 * costs 2.1). The last line, in brackets, says how many lines there are, what is unusual about the file, and how to go on.
 */
export const createReadFileTool = (deps: FileReadDeps): Tool =>
  defineTool<ReadArgs>({
    name: "read_file",
    toolset: "file",
    description: "Read a text file as numbered lines (number, tab, text).",
    parameters: z.object({
      path: z.string(),
      offset: z.int().min(1).default(1).describe("First line"),
      limit: z.int().min(1).max(MAX_LINES).default(DEFAULT_LINES),
    }),
    effects: "read",
    concurrency: () => ({ kind: "anything" }),
    summarise: ({ path, offset }) => (offset === 1 ? `read ${path}` : `read ${path} from line ${offset}`),
    run: (args, context) => readFileTool(deps, args, context),
    // The page is fitted to the limit here; the contract must not cut through it again because of its numbers and last line.
    maxResultChars: deps.limits.readMaxChars + NUMBERING_ALLOWANCE_CHARS,
  });

const readFileTool = async (deps: FileReadDeps, args: ReadArgs, context: ToolContext): Promise<ToolResult> => {
  const cwd = context.cwd();
  const resolved = absolutePath(args.path, { cwd, home: deps.home, flavour: hostFlavour() });
  if (resolved.kind === "invalid") return fault(resolved.why);
  const opened = await openRegular(resolved.path);
  if (opened.kind === "problem") return fault(opened.why);
  if (opened.kind === "missing") return fault(await describeMissing(resolved.path, cwd));
  if (opened.kind === "directory") {
    return fault(`${args.path} is a folder. List it with search_files: target "files", pattern "*".`);
  }
  return readOpened(deps, { args, path: resolved.path, opened, context });
};

interface OpenedRead {
  readonly args: ReadArgs;
  readonly path: string;
  readonly opened: Extract<OpenedPath, { kind: "file" }>;
  readonly context: ToolContext;
}

const readOpened = async (deps: FileReadDeps, { args, path, opened, context }: OpenedRead): Promise<ToolResult> => {
  const { handle, stats } = opened;
  const limit = Math.min(args.limit, deps.limits.maxLines);
  const from = Math.max(1, args.offset - MASK_MARGIN_LINES);
  try {
    const page = await readPage(handle, stats.size, {
      from,
      to: args.offset + limit - 1 + MASK_MARGIN_LINES,
      maxLineBytes: deps.limits.maxLineLength * MAX_BYTES_PER_CHAR + MASK_MARGIN_BYTES,
      maxBytes: (deps.limits.readMaxChars + 2 * MASK_MARGIN_LINES * deps.limits.maxLineLength) * MAX_BYTES_PER_CHAR,
      signal: context.signal,
    });
    if (page.kind === "binary") return fault(describeBinary(args.path, page.type, stats.size));
    if (page.kind === "too_large")
      return fault(
        `${args.path} is ${page.encoding} text of ${byteSize(stats.size)}: too large to decode here. Convert it first, for example with iconv.`,
      );
    const real = await realPathOf(path);
    if (real.kind === "ok") {
      deps.files.remember(real.path, {
        size: stats.size,
        modified: stats.mtimeMs,
        ...(page.hash === undefined ? {} : { hash: page.hash }),
      });
    }
    return renderPage(page, { from, offset: args.offset, limit, size: stats.size, deps });
  } catch (error) {
    context.signal.throwIfAborted();
    return fault(describeFileError(error, args.path));
  } finally {
    await handle.close();
  }
};

interface PageView {
  readonly from: number;
  readonly offset: number;
  readonly limit: number;
  readonly size: number;
  readonly deps: FileReadDeps;
}

const renderPage = (page: TextPage, view: PageView): ToolResult => {
  if (page.total === 0) return answer(`[empty file${page.hasMark ? ", byte order mark only" : ""}]`);
  const start = view.offset - view.from;
  if (start >= page.lines.length) {
    return fault(
      page.total === undefined ? `Line ${view.offset} could not be reached.` : `The file has only ${page.total} lines.`,
    );
  }
  const shown = fitLines(numberedLines(page.lines, view), view.deps.limits.readMaxChars);
  const last = view.offset + shown.consumed - 1;
  return answer(`${shown.lines.join("\n")}\n[${footer(page, view, last)}]`);
};

interface NumberedLine {
  /** Undefined for a line that a mask above it swallowed. */
  readonly text: string | undefined;
}

const numberedLines = (
  lines: readonly PageLine[],
  { from, offset, limit, deps }: PageView,
): readonly NumberedLine[] => {
  const masked = maskLines(
    lines.map((line) => line.text),
    deps.redact,
  );
  const start = offset - from;
  const shown = masked.slice(start, start + limit);
  return shown.map((text, index) => {
    // A page that begins inside a masked secret shows the mask, not its absence.
    const visible =
      index === 0 && text === undefined ? masked.slice(0, start).findLast((line) => line !== undefined) : text;
    if (visible === undefined) return { text: undefined };
    const number = offset + index;
    return { text: `${number}\t${cutLine(visible, lines[start + index]?.cutBytes ?? 0, deps.limits.maxLineLength)}` };
  });
};

const cutLine = (text: string, cutBytes: number, maxLength: number): string => {
  if (text.length <= maxLength && cutBytes === 0) return text;
  const kept = sliceCharacters(text, 0, maxLength);
  return `${kept}… [line cut, ${Buffer.byteLength(text) - Buffer.byteLength(kept) + cutBytes} more bytes]`;
};

const fitLines = (lines: readonly NumberedLine[], maxChars: number): { lines: readonly string[]; consumed: number } => {
  const fitting: string[] = [];
  let chars = 0;
  let consumed = 0;
  for (const { text } of lines) {
    chars += text === undefined ? 0 : text.length + 1;
    if (consumed > 0 && chars > maxChars) break;
    if (text !== undefined) fitting.push(text);
    consumed += 1;
  }
  return { lines: fitting, consumed };
};

const footer = (page: TextPage, view: PageView, last: number): string => {
  const isAll = view.offset === 1 && last === page.total;
  const hasMore = page.total === undefined || last < page.total;
  const range = isAll
    ? countLines(last)
    : `lines ${view.offset}-${last} of ${page.total ?? `more, ${byteSize(view.size)}`}`;
  return [
    range,
    ...(hasMore ? [`continue with offset=${last + 1}`] : []),
    ...(page.encoding === "utf-8" ? [] : [page.encoding]),
    ...(page.usesCrlf ? ["CRLF"] : []),
    ...(page.hasMark ? ["byte order mark"] : []),
    ...(page.endsWithLineEnd === false && !hasMore ? ["no newline at end"] : []),
    ...(page.isLossy ? ["not UTF-8: shown with replacement characters, patch cannot change it"] : []),
  ].join("; ");
};

const describeBinary = (path: string, type: string, size: number): string =>
  isImageType(type)
    ? `${path} is a ${type} (${byteSize(size)}), not text: read_file cannot show images.`
    : `${path} is not text: ${type}, ${byteSize(size)}. Use a program for this format in the terminal.`;

/** `12 B`, `3.4 KB`, `1.2 GB`. */
const byteSize = (bytes: number): string => {
  const units = ["B", "KB", "MB", "GB"] as const;
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
};
