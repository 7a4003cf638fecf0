import { createReadStream } from "node:fs";
import { open, stat, truncate } from "node:fs/promises";
import { cleanOutput } from "../output/clean-output.ts";

/** Of a background process no more than this is read at once: its newest output. */
const ROLLING_BYTES = 200 * 1024;
/** A larger output file is cut down to its newest `ROLLING_BYTES`. */
export const LARGEST_LOG_BYTES = 50 * 1024 * 1024;

/** A piece of an output file. */
export interface OutputPiece {
  readonly text: string;
  /** Where the next piece begins, in bytes. */
  readonly next: number;
  /** Bytes that were passed over because there were too many. */
  readonly skipped: number;
}

/** The size of an output file; 0 if there is none. */
export const outputSize = async (path: string): Promise<number> =>
  stat(path).then(
    (stats) => stats.size,
    () => 0,
  );

/** What came after byte `from`, as clean text. A file that has become shorter was cut or overwritten: it is read anew. */
export const readOutput = async (path: string, from: number, limit = ROLLING_BYTES): Promise<OutputPiece> => {
  const size = await outputSize(path);
  const start = size < from ? 0 : from;
  const begin = Math.max(start, size - limit);
  if (begin === size) return { text: "", next: size, skipped: 0 };
  const bytes = await readRange(path, begin, size);
  return { text: cleanOutput(bytes.toString("utf8")), next: begin + bytes.length, skipped: begin - start };
};

const readRange = async (path: string, begin: number, end: number): Promise<Buffer> => {
  await using file = await open(path, "r");
  const buffer = Buffer.alloc(end - begin);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, begin);
  return buffer.subarray(0, bytesRead);
};

/** Some lines of an output file. */
export interface LinesOfOutput {
  readonly lines: readonly string[];
  /** 1-based number of the first of them; undefined where they are the last ones and were not counted. */
  readonly first: number | undefined;
}

/** Which lines. */
export interface LineRange {
  /** 1-based; undefined = the last ones. */
  readonly offset: number | undefined;
  readonly limit: number;
}

/** `limit` lines from line `offset` (1-based) on; without it the last ones. */
export const readOutputLines = async (path: string, { offset, limit }: LineRange): Promise<LinesOfOutput> => {
  if (offset === undefined) {
    const { text } = await readOutput(path, 0, Math.max(ROLLING_BYTES, limit * 200));
    return { lines: text.replace(/\n$/, "").split("\n").slice(-limit), first: undefined };
  }
  const lines: string[] = [];
  let number = 0;
  for await (const line of linesOf(path)) {
    number += 1;
    if (number >= offset) lines.push(cleanOutput(line));
    if (lines.length === limit) break;
  }
  return { lines, first: offset };
};

/** Lines end at a line feed alone: a carriage return is a progress bar's. */
const linesOf = async function* (path: string): AsyncGenerator<string> {
  if ((await outputSize(path)) === 0) return;
  let rest = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
    const parts = (rest + String(chunk)).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") yield rest;
};

/**
 * Cuts an output file that has grown too large. Returns how many bytes went from its beginning. The process appends, so
 * it goes on behind what is left; what it writes in the very moment of the cut can be lost.
 */
export const trimOutput = async (path: string): Promise<number> => {
  const size = await outputSize(path);
  if (size <= LARGEST_LOG_BYTES) return 0;
  const kept = await readRange(path, size - ROLLING_BYTES, size);
  await truncate(path, 0);
  await using file = await open(path, "a");
  await file.writeFile(kept);
  return size - kept.length;
};
