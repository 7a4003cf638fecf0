import { join } from "node:path";
import { mkdir, writeFile } from "node:fs/promises";
import type { SessionId } from "../base/ids.ts";

/** Keeps the whole text of results that are too long for the model, so that nothing is cut silently. */
export interface ToolOutputStore {
  /** Writes masked text and returns the file's absolute path. */
  keep(session: SessionId, callId: string, text: string): Promise<string>;
}

/** Files under `directory/<session>/<call>.txt`, 0600 in 0700 folders. */
export const createToolOutputStore = (directory: string): ToolOutputStore => ({
  keep: async (session, callId, text) => {
    const folder = join(directory, fileName(session));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${fileName(callId)}.txt`);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  },
});

/** Ids come from providers and imports; what is left here can stand in a file name on every system. */
const fileName = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 100) || "_";

/** Where a long text is cut: how much of its head and tail stays. */
const HEAD_SHARE = 0.75;

/**
 * The head and tail of `text` within `limit` characters, with a line between that says what is missing and where the whole text is.
 * Never cuts a surrogate pair.
 */
export const cutText = (text: string, limit: number, fullTextPath: string): string => {
  const head = wholeCharacters(text, 0, Math.floor(limit * HEAD_SHARE));
  const tail = wholeCharacters(text, text.length - Math.floor(limit * (1 - HEAD_SHARE)), text.length);
  const missing = text.length - head.length - tail.length;
  return `${head}\n[${missing} characters cut; full text: ${fullTextPath}]\n${tail}`;
};

const wholeCharacters = (text: string, start: number, end: number): string => {
  const from = isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start;
  const to = isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
  return text.slice(from, Math.max(from, to));
};

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
