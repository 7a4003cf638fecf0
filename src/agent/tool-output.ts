import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SessionId } from "../base/ids.ts";
import { sliceCharacters } from "../base/slice-characters.ts";

/** Keeps the whole text of results that are too long for the model, so that nothing is cut silently. */
export interface ToolOutputStore {
  /** Writes masked text and returns the file's absolute path. */
  keep(session: SessionId, callId: string, text: string): Promise<string>;
}

/**
 * A file for the whole text of one call's result, `directory/<session>/<call>-<chance>.txt`: some providers count their calls anew in
 * each answer, and what an earlier result names must not be written over.
 */
export const toolOutputPath = (directory: string, session: SessionId, callId: string): string =>
  join(directory, fileName(session), `${fileName(callId)}-${randomBytes(4).toString("hex")}.txt`);

/** Files made by `toolOutputPath`, 0600 in 0700 folders. */
export const createToolOutputStore = (directory: string): ToolOutputStore => ({
  keep: async (session, callId, text) => {
    const path = toolOutputPath(directory, session, callId);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
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
  const head = sliceCharacters(text, 0, Math.floor(limit * HEAD_SHARE));
  const tail = sliceCharacters(text, text.length - Math.floor(limit * (1 - HEAD_SHARE)), text.length);
  const missing = text.length - head.length - tail.length;
  return `${head}\n[${missing} characters cut; full text: ${fullTextPath}]\n${tail}`;
};
