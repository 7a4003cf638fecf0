import { countCharacters, hasSeparatorLine, splitEntries } from "./memory-format.ts";
import { readMemoryBytes } from "./read-memory-bytes.ts";

/** A file as it was read. */
export interface MemoryFile {
  /** Its bytes, to tell whether it was written to since; undefined = there is none. */
  readonly bytes: Buffer | undefined;
  readonly entries: readonly string[];
  /** Why it cannot be written again without changing what somebody wrote; undefined = it can. */
  readonly drift: string | undefined;
}

/** What the reader knows besides the file. */
export interface KnownEntries {
  /** The file's limit, in characters. */
  readonly limit: number;
  /** The texts that stood in the file as entries when it was seen last, masked. */
  readonly texts: readonly string[];
  readonly mask: (text: string) => string;
}

/** Reads a file and says whether it is what the format can hold (compat §3.8: "does not round-trip"). Throws as `readMemoryBytes`. */
export const readMemoryFile = async (path: string, known: KnownEntries): Promise<MemoryFile> => {
  const bytes = await readMemoryBytes(path);
  if (bytes === undefined) return { bytes, entries: [], drift: undefined };
  const text = bytes.toString("utf8");
  const entries = splitEntries(text);
  if (!Buffer.from(text, "utf8").equals(bytes)) return { bytes, entries, drift: "it is no UTF-8 text" };
  return { bytes, entries, drift: findDrift(entries, known) };
};

const findDrift = (entries: readonly string[], known: KnownEntries): string | undefined => {
  if (entries.some(hasSeparatorLine)) return "a line of § in it is no separator (a separator is § alone on its line)";
  const long = entries.find((entry) => countCharacters(entry) > known.limit);
  if (long !== undefined) {
    return `an entry in it has ${countCharacters(long)} characters, more than the whole file may have (${known.limit})`;
  }
  return entries.some((entry) => hasGrownTogether(entry, entries, known))
    ? "entries in it have grown together: a separator between them is broken or gone"
    : undefined;
};

/** Known entries that stand inside of an unknown one: two of them, or one beside a paragraph sign that may have been a separator. */
const hasGrownTogether = (entry: string, entries: readonly string[], { texts, mask }: KnownEntries): boolean => {
  const masked = mask(entry);
  if (texts.includes(masked)) return false;
  const present = new Set(entries.map(mask));
  const inside = texts.filter((text) => !present.has(text) && masked.includes(text));
  const apart = inside.filter((text) => !inside.some((other) => other !== text && other.includes(text)));
  return apart.length >= 2 || (apart.length === 1 && masked.includes("§") && !(apart[0] ?? "").includes("§"));
};
