import { readFileSync, statSync } from "node:fs";
import { fileStamp } from "../../../base/file-stamp.ts";
import { parseJson } from "../../../base/parse-json.ts";
import { asRecord } from "../../wires/json-fields.ts";
import type { JsonObject } from "./pool-entry.ts";

/** Reads small JSON files of this or other programs, each anew only when it has changed. */
export interface JsonFiles {
  /** The object in a file; undefined where there is none that can be read. Never throws. */
  read(path: string): JsonObject | undefined;
}

const LARGEST_FILE_BYTES = 1024 * 1024;

/** Makes a reader with a memory of its own. */
export const createJsonFiles = (): JsonFiles => {
  const known = new Map<string, { readonly stamp: string; readonly value: JsonObject | undefined }>();
  return {
    read: (path) => {
      const stamp = fileStamp(path);
      const before = known.get(path);
      if (before?.stamp === stamp) return before.value;
      const value = readObject(path);
      known.set(path, { stamp, value });
      return value;
    },
  };
};

/** A file that cannot be read is not there, as far as a login in it is concerned. */
const readObject = (path: string): JsonObject | undefined => {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true || found.size > LARGEST_FILE_BYTES) return undefined;
    return asRecord(parseJson(readFileSync(path, "utf8").replace(/^\uFEFF/, "")));
  } catch {
    return undefined; // it or its folder may not be read, or it is being replaced just now
  }
};
