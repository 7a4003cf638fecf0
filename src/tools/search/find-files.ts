import { basename, relative, sep } from "node:path";
import { unreadableNote } from "./own-search.ts";
import type { FileHits, SearchOutcome, SearchRequest } from "./search-engine.ts";
import { walkFiles } from "./walk-files.ts";

/** Finds files by name: those that the request wants. Listing needs no other program. */
export const findFiles = async (request: SearchRequest): Promise<SearchOutcome> => {
  const files: FileHits[] = [];
  if (request.isFile) {
    const isWanted = request.isWanted(basename(request.root));
    return {
      kind: "found",
      files: isWanted ? [{ path: request.root, matches: 1, lines: [] }] : [],
      isComplete: true,
      notes: [],
    };
  }
  let unreadable = 0;
  const notes = (): readonly string[] => (unreadable > 0 ? [unreadableNote(unreadable)] : []);
  for await (const path of walkFiles({ ...request, onUnreadable: () => (unreadable += 1) })) {
    if (!request.isWanted(relative(request.root, path).split(sep).join("/"))) continue;
    files.push({ path, matches: 1, lines: [] });
    if (files.length >= request.enough) return { kind: "found", files, isComplete: false, notes: notes() };
  }
  return { kind: "found", files, isComplete: true, notes: notes() };
};
