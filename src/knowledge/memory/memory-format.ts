/** The two files: what the agent noted, and who the owner is. */
export type MemoryTarget = "memory" | "user";

export const MEMORY_TARGETS: readonly MemoryTarget[] = ["memory", "user"];

/** The files' names in the home's `memories/`. */
export const MEMORY_FILES: Readonly<Record<MemoryTarget, string>> = { memory: "MEMORY.md", user: "USER.md" };

/** What stands between two entries (compat §3.8). */
export const SEPARATOR = "\n§\n";

/** A length as both systems count it: Unicode code points, not UTF-16 units or bytes. */
export const countCharacters = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** The text of a file with these entries. */
export const joinEntries = (entries: readonly string[]): string => entries.join(SEPARATOR);

/** How much of a file's limit its entries take. */
export const usedCharacters = (entries: readonly string[]): number => countCharacters(joinEntries(entries));

/**
 * The entries of a file's text, in its order. A byte order mark, line ends of Windows, blank lines around separators and empty entries are
 * no content.
 */
export const splitEntries = (text: string): readonly string[] =>
  text
    .replace(/^\ufeff/u, "")
    .replaceAll(/\r\n?/gu, "\n")
    .split(SEPARATOR)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** Whether a text could not stand in a file as one entry: it would be read as several, or as a broken separator. */
export const hasSeparatorLine = (entry: string): boolean => entry.split("\n").some(isSeparatorLine);

const isSeparatorLine = (line: string): boolean => /^[\s§]*§[\s§]*$/u.test(line);

/** Two entries that say the same to a reader: equal but for blanks, case and a final full stop. */
export const sameEntry = (left: string, right: string): boolean => foldEntry(left) === foldEntry(right);

/** An entry as `sameEntry` compares it. */
export const foldEntry = (entry: string): string =>
  entry
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/[.。]$/u, "");

/** How full a file is, rounded down; more than 100 where a person wrote more than fits. */
export const percent = (used: number, limit: number): number => Math.floor((used / limit) * 100);

/** An entry on one line, cut to so many characters. */
export const shorten = (text: string, length = 80): string => {
  const letters = Array.from(text.replaceAll(/\s+/gu, " ").trim());
  return letters.length <= length ? letters.join("") : `${letters.slice(0, length - 1).join("")}…`;
};
