import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { makeFolderSync } from "../../base/make-folder.ts";
import { parseJson } from "../../base/parse-json.ts";
import { asRecord } from "../wires/json-fields.ts";
import type { ModelsByProvider } from "./read-models-dev.ts";

/** A cache that is larger was not written by this program. */
const LARGEST_BYTES = 16 * 1024 * 1024;

/**
 * Reads a cache file of the catalogue as JSON. A cache may be missing, damaged or another program's: whatever it is, it is then as if
 * it were not there.
 */
export const readCacheFile = (file: string): unknown => {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || stat.size > LARGEST_BYTES) return undefined;
    return parseJson(readFileSync(file, "utf8"));
  } catch {
    // Not readable is as good as not there: what ships still counts.
    return undefined;
  }
};

/** Replaces a cache file as a whole, for its owner alone; makes its folder. Throws `file.write_failed` or the system's error. */
export const writeCacheFile = async (file: string, content: unknown): Promise<void> => {
  makeFolderSync(path.dirname(file));
  await writeFileAtomic(file, `${JSON.stringify(content)}\n`, { mode: 0o600 });
};

/** Lists of lines by name, as this program wrote them; what is no list of texts is left out. */
export const readLineLists = (value: unknown): ModelsByProvider =>
  Object.fromEntries(
    Object.entries(asRecord(value) ?? {}).flatMap(([name, lines]) =>
      Array.isArray(lines) ? [[name, lines.filter((line): line is string => typeof line === "string")]] : [],
    ),
  );
