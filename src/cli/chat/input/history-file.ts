import { open, readFile } from "node:fs/promises";
import * as z from "zod";
import { writeSecretFile } from "../../../base/secret-file.ts";
import { isMissing } from "../../../base/system-error.ts";
import { parseJson } from "../../../base/parse-json.ts";
import { HISTORY_LIMIT } from "./input-history.ts";

/** The lines that a person sent, kept over sessions of one home. */
export interface HistoryFile {
  /** Oldest first, each line once, at most `HISTORY_LIMIT`. A missing file has none; a broken line is passed over. */
  load(): Promise<readonly string[]>;
  /** Adds one line, unless it is longer than 16,000 characters (a pasted file). Several processes may do so at once. */
  append(line: string): Promise<void>;
}

/** Made of a path (in the home) and what masks secrets before anything reaches the disk. */
export interface HistoryFileOptions {
  readonly path: string;
  readonly redact: (text: string) => string;
}

const OWNER_ONLY = 0o600;
const LONGEST_LINE = 16_000;
/** A file of more lines than this is written anew with the newest ones. */
const COMPACT_ABOVE = 2 * HISTORY_LIMIT;

const stored = z.string();

/** A line that another program or a full disk left broken is none; the others still count. */
const parseLine = (line: string): readonly string[] => {
  const parsed = stored.safeParse(parseJson(line));
  return parsed.success ? [parsed.data] : [];
};

const readLines = async (path: string): Promise<readonly string[]> => {
  try {
    return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

/** Keeps the last occurrence of each line. */
const deduplicate = (lines: readonly string[]): readonly string[] => [...new Set([...lines].reverse())].reverse();

const encode = (lines: readonly string[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** The history file: one JSON string a line, so that a message of several lines stays one entry. */
export const createHistoryFile = ({ path, redact }: HistoryFileOptions): HistoryFile => ({
  load: async () => {
    const lines = await readLines(path);
    const entries = deduplicate(lines.flatMap(parseLine)).slice(-HISTORY_LIMIT);
    if (lines.length > COMPACT_ABOVE) await writeSecretFile(path, encode(entries));
    return entries;
  },
  append: async (line) => {
    if (line.length > LONGEST_LINE) return;
    const file = await open(path, "a", OWNER_ONLY);
    try {
      await file.appendFile(encode([redact(line)]));
    } finally {
      await file.close();
    }
  },
});
