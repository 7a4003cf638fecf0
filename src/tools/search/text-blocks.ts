import type { FileHandle } from "node:fs/promises";
import { readAll } from "../files/read-page.ts";
import { decodeFile, encodingOf } from "../files/text-file.ts";
import { MAX_SEARCHED_BYTES } from "./search-engine.ts";

/** A run of whole lines without the last line end, or the news that the file is no text. */
export type Block = { readonly kind: "text"; readonly text: string } | { readonly kind: "binary" };

/** Larger files are read in blocks of this size. */
export const BLOCK_BYTES = 1024 * 1024;

/** A whole small file as one block; undefined if there is nothing in it. A NUL anywhere makes a file binary. */
export const wholeBlock = (bytes: Buffer): Block | undefined => {
  if (encodingOf(bytes) === "utf-8") {
    if (bytes.includes(0)) return { kind: "binary" };
    return bytes.length === 0 ? undefined : { kind: "text", text: trimmed(bytes.toString("utf8")) };
  }
  const decoded = decodeFile(bytes);
  return decoded.kind === "binary" ? { kind: "binary" } : { kind: "text", text: trimmed(decoded.text) };
};

const trimmed = (text: string): string =>
  text.slice(text.startsWith("\uFEFF") ? 1 : 0, text.endsWith("\n") ? -1 : undefined);

/** The text of a file of any size, block by block. */
export async function* blocksOf(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Block, void, undefined> {
  const chunk = Buffer.allocUnsafe(BLOCK_BYTES);
  let carry: Buffer = Buffer.alloc(0);
  let position = 0;
  let isFirst = true;
  for (;;) {
    signal.throwIfAborted();
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

/** UTF-16 is decoded whole; a larger file of it is left out as a binary one. */
async function* wideBlock(handle: FileHandle): AsyncGenerator<Block, void, undefined> {
  const { size } = await handle.stat();
  const block = size > MAX_SEARCHED_BYTES ? ({ kind: "binary" } as const) : wholeBlock(await readAll(handle));
  if (block !== undefined) yield block;
}
