import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { isUtf8 } from "node:buffer";
import { binaryTypeOf, decodeFile, encodingOf, SNIFF_BYTES } from "./text-file.ts";

/** Which lines of a file are wanted, and how much of them may be kept. */
export interface PageRequest {
  /** First and last line, from 1. */
  readonly from: number;
  readonly to: number;
  /** Bytes kept of one line; what follows is counted only. */
  readonly maxLineBytes: number;
  /** Bytes kept of all lines; the page ends before the line that would exceed it (but holds at least one line). */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** One line without its line end (CRLF counts as one). `cutBytes` were not kept. */
export interface PageLine {
  readonly text: string;
  readonly cutBytes: number;
}

/** A part of a text file. `total` is absent where counting all lines would have meant reading a huge file. */
export interface TextPage {
  readonly kind: "page";
  readonly lines: readonly PageLine[];
  readonly total: number | undefined;
  readonly encoding: string;
  readonly hasMark: boolean;
  readonly isLossy: boolean;
  readonly usesCrlf: boolean;
  /** Known only when the file was read to its end. */
  readonly endsWithLineEnd: boolean | undefined;
  /** Hash of the whole file, when it was read whole. */
  readonly hash: string | undefined;
}

/** What reading a part of a file gives. */
export type PageResult =
  | TextPage
  | { readonly kind: "binary"; readonly type: string }
  | { readonly kind: "too_large"; readonly encoding: string };

const CHUNK_BYTES = 64 * 1024;
/** Files up to this size are read to the end, so that the number of lines and a hash are known. */
const COUNTABLE_BYTES = 8 * 1024 * 1024;
/** UTF-16 is decoded whole; larger files of it are refused. */
const MAX_UTF16_BYTES = 16 * 1024 * 1024;

/** Reads lines of an open file in pieces: lines 1 to 500 of a file of any size cost kilobytes. Throws the signal's reason on abort. */
export const readPage = async (handle: FileHandle, size: number, request: PageRequest): Promise<PageResult> => {
  const head = Buffer.alloc(SNIFF_BYTES);
  const { bytesRead } = await handle.read(head, 0, SNIFF_BYTES, 0);
  const sniffed = head.subarray(0, bytesRead);
  const encoding = encodingOf(sniffed);
  if (encoding !== "utf-8")
    return size > MAX_UTF16_BYTES ? { kind: "too_large", encoding } : readWhole(handle, request);
  const type = binaryTypeOf(sniffed);
  return type === undefined ? readUtf8(handle, size, request) : { kind: "binary", type };
};

const readWhole = async (
  handle: FileHandle,
  { from, to, maxLineBytes, maxBytes }: PageRequest,
): Promise<PageResult> => {
  const bytes = await readAll(handle);
  const decoded = decodeFile(bytes);
  if (decoded.kind === "binary") return decoded;
  const all = decoded.text.split("\n");
  const endsWithLineEnd = decoded.text === "" || all.at(-1) === "";
  if (endsWithLineEnd) all.pop();
  const lines: PageLine[] = [];
  let kept = 0;
  for (const line of all.slice(from - 1, to)) {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    kept += Math.min(text.length, maxLineBytes);
    if (lines.length > 0 && kept > maxBytes) break;
    lines.push({ text: text.slice(0, maxLineBytes), cutBytes: Math.max(0, text.length - maxLineBytes) * 2 });
  }
  return {
    kind: "page",
    lines,
    total: all.length,
    encoding: encodingOf(bytes),
    hasMark: true,
    isLossy: decoded.kind === "lossy",
    usesCrlf: decoded.text.includes("\r\n"),
    endsWithLineEnd,
    hash: createHash("sha256").update(bytes).digest("base64url"),
  };
};

/** All bytes of an open file, from its start. */
export const readAll = async (handle: FileHandle): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let position = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, bytesRead));
    position += bytesRead;
  }
};

const readUtf8 = async (handle: FileHandle, size: number, request: PageRequest): Promise<TextPage> => {
  const hash = createHash("sha256");
  const collector = createLineCollector(request);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = 0;
  let atEnd = false;
  for (;;) {
    request.signal.throwIfAborted();
    // The position is looked at too: a file under /proc says size 0, and a log may grow while it is read.
    const readsToEnd = size <= COUNTABLE_BYTES && position <= COUNTABLE_BYTES;
    if (collector.isFull() && !readsToEnd) break;
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
    atEnd = bytesRead === 0;
    if (atEnd) break;
    const bytes = chunk.subarray(0, bytesRead);
    if (readsToEnd) hash.update(bytes);
    collector.push(bytes);
    position += bytesRead;
  }
  const collected = collector.end();
  return {
    kind: "page",
    ...collected,
    total: atEnd ? collected.total : undefined,
    encoding: "utf-8",
    endsWithLineEnd: atEnd ? collected.endsWithLineEnd : undefined,
    hash: atEnd && size <= COUNTABLE_BYTES && position <= COUNTABLE_BYTES ? hash.digest("base64url") : undefined,
  };
};

interface CollectedLines {
  readonly lines: readonly PageLine[];
  readonly total: number;
  readonly hasMark: boolean;
  readonly isLossy: boolean;
  readonly usesCrlf: boolean;
  readonly endsWithLineEnd: boolean;
}

interface LineCollector {
  push(bytes: Buffer): void;
  /** All wanted lines are complete. */
  isFull(): boolean;
  end(): CollectedLines;
}

const NEW_LINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Splits at line feeds on the level of bytes: skipping lines decodes nothing and keeps nothing. */
const createLineCollector = ({ from, to, maxLineBytes, maxBytes }: PageRequest): LineCollector => {
  const lines: PageLine[] = [];
  let pieces: Buffer[] = [];
  let keptOfLine = 0;
  let lengthOfLine = 0;
  let keptOfAll = 0;
  let lineNumber = 1;
  let isClosed = false;
  let isLossy = false;
  let usesCrlf = false;
  let hasMark = false;
  let endsWithLineEnd = true;

  const isWanted = (): boolean => !isClosed && lineNumber >= from && lineNumber <= to;

  const take = (piece: Buffer): void => {
    lengthOfLine += piece.length;
    const room = maxLineBytes - keptOfLine;
    if (room <= 0 || !isWanted()) return;
    // The collector's caller reuses its buffer.
    const copy = Buffer.from(piece.subarray(0, room));
    pieces.push(copy);
    keptOfLine += copy.length;
  };

  const finishLine = (hasLineEnd: boolean): void => {
    if (isWanted()) keepLine(hasLineEnd);
    pieces = [];
    keptOfLine = 0;
    lengthOfLine = 0;
    lineNumber += 1;
  };

  const keepLine = (hasLineEnd: boolean): void => {
    let bytes = Buffer.concat(pieces);
    const cutBytes = lengthOfLine - bytes.length;
    if (hasLineEnd && cutBytes === 0 && bytes.at(-1) === CARRIAGE_RETURN) {
      usesCrlf = true;
      bytes = bytes.subarray(0, -1);
    }
    if (lines.length > 0 && keptOfAll + bytes.length > maxBytes) {
      isClosed = true;
      return;
    }
    keptOfAll += bytes.length;
    if (cutBytes === 0 && !isUtf8(bytes)) isLossy = true;
    const text = bytes.toString("utf8");
    const marked = lineNumber === 1 && text.startsWith("\uFEFF");
    if (marked) hasMark = true;
    lines.push({ text: marked ? text.slice(1) : text, cutBytes });
  };

  return {
    push: (bytes) => {
      let start = 0;
      for (let at = bytes.indexOf(NEW_LINE); at !== -1; at = bytes.indexOf(NEW_LINE, start)) {
        take(bytes.subarray(start, at));
        finishLine(true);
        start = at + 1;
      }
      endsWithLineEnd = start === bytes.length;
      if (!endsWithLineEnd) take(bytes.subarray(start));
    },
    isFull: () => isClosed || lineNumber > to,
    end: () => {
      if (!endsWithLineEnd) finishLine(false);
      return { lines, total: lineNumber - 1, hasMark, isLossy, usesCrlf, endsWithLineEnd };
    },
  };
};
