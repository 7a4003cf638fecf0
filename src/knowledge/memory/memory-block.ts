import { join } from "node:path";
import { messageOf } from "../../base/app-error.ts";
import type { ScanFinding } from "../scan/scan-rule.ts";
import {
  countCharacters,
  joinEntries,
  MEMORY_FILES,
  type MemoryTarget,
  percent,
  SEPARATOR,
  splitEntries,
  usedCharacters,
} from "./memory-format.ts";
import { readMemoryBytes } from "./read-memory-bytes.ts";

/** Where memory is, and how much of it there may be. */
export interface MemorySettings {
  /** The home's `memories/`. */
  readonly directory: string;
  /** Which of the files are used at all. */
  readonly enabled: Readonly<Record<MemoryTarget, boolean>>;
  /** Longest joined text, in characters (code points). */
  readonly limits: Readonly<Record<MemoryTarget, number>>;
}

/** What a system prompt says from memory. A file that is off, absent or empty has no text: it costs nothing. */
export interface MemoryBlock {
  readonly memory?: string;
  readonly user?: string;
  /** What could not be read or was left out, for the log; empty = all is well. */
  readonly problems: readonly string[];
}

/** For the system prompt where the `memory` tool is granted. */
export const memoryGuidance =
  "Keep lasting facts with memory: the owner's preferences and corrections (user), facts about the environment and projects (memory). Not task progress, nothing you can look up. Notes appear in the prompt from the next session on.";

/**
 * Reads both files for the prompt of a session that begins or rotates; the text is then frozen for that session. Entries that look like
 * an injection are left out by name. Never rejects: a file that cannot be read is a problem to tell, not the end of a session.
 */
export const loadMemoryBlock = async (settings: MemorySettings): Promise<MemoryBlock> => {
  const [memory, user] = await Promise.all([loadText(settings, "memory"), loadText(settings, "user")]);
  return {
    ...(memory.text === undefined ? {} : { memory: memory.text }),
    ...(user.text === undefined ? {} : { user: user.text }),
    problems: [...memory.problems, ...user.problems],
  };
};

interface Loaded {
  readonly text: string | undefined;
  readonly problems: readonly string[];
}

const NOTHING: Loaded = { text: undefined, problems: [] };

const loadText = async (settings: MemorySettings, target: MemoryTarget): Promise<Loaded> => {
  if (!settings.enabled[target]) return NOTHING;
  const path = join(settings.directory, MEMORY_FILES[target]);
  try {
    const text = (await readMemoryBytes(path))?.toString("utf8");
    const entries = splitEntries(text ?? "");
    if (entries.length === 0) return NOTHING;
    // Most homes have an empty memory for a while: nothing is loaded for them.
    const { scanText } = await import("../scan/scan-text.ts");
    return renderBlock(target, entries, { limit: settings.limits[target], scan: scanText });
  } catch (error) {
    return { text: undefined, problems: [`${path} cannot be read: ${messageOf(error)}`] };
  }
};

const TITLES: Readonly<Record<MemoryTarget, string>> = {
  memory: "MEMORY (your notes)",
  user: "USER PROFILE (who your owner is)",
};

type Scan = (text: string) => readonly ScanFinding[];

/** The text of one file in the prompt; pure. */
const renderBlock = (
  target: MemoryTarget,
  entries: readonly string[],
  { limit, scan }: { readonly limit: number; readonly scan: Scan },
): Loaded => {
  const file = MEMORY_FILES[target];
  const used = usedCharacters(entries);
  const { shown, leftOut } = withinLimit(entries, limit);
  const checked = shown.map((entry) => checkEntry(file, entry, scan));
  const header = `${TITLES[target]} [${percent(used, limit)}% — ${group(used)}/${group(limit)} chars]`;
  const tail = leftOut === 0 ? "" : `\n[${leftOut} more over the limit, left out]`;
  return {
    text: `${header}\n${checked.map(({ text }) => text).join(SEPARATOR)}${tail}`,
    problems: [
      ...checked.flatMap(({ problem }) => problem ?? []),
      ...(leftOut === 0 ? [] : [`${file} is over its limit: the prompt leaves out the last ${leftOut}`]),
    ],
  };
};

interface Checked {
  readonly text: string;
  readonly problem?: string;
}

const checkEntry = (file: string, entry: string, scan: Scan): Checked => {
  const rules = scan(entry).map(({ rule }) => rule);
  if (rules.length === 0) return { text: entry };
  const named = rules.join(", ");
  return {
    text: `[BLOCKED: an entry of ${file} contained potential prompt injection (${named}). Not loaded.]`,
    problem: `an entry of ${file} was left out of the prompt: ${named}`,
  };
};

/** The entries from the top that fit; of a first one that does not fit alone, its beginning. */
const withinLimit = (
  entries: readonly string[],
  limit: number,
): { readonly shown: readonly string[]; readonly leftOut: number } => {
  let count = 0;
  while (count < entries.length && countCharacters(joinEntries(entries.slice(0, count + 1))) <= limit) count += 1;
  if (count > 0) return { shown: entries.slice(0, count), leftOut: entries.length - count };
  const [first = ""] = entries;
  return { shown: [`${Array.from(first).slice(0, limit).join("")} […]`], leftOut: entries.length - 1 };
};

const group = (count: number): string => count.toLocaleString("en-US");
