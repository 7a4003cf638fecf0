import { readFileSync, statSync } from "node:fs";
import { followLinks } from "../agent/approvals/protected-paths.ts";
import type { Tool } from "../agent/tool.ts";
import type { CopiedFile } from "../agent/approvals/walk/copied-files.ts";

/** Remembers which files the agent wrote in this session, because running one of them counts as its content (decision 18). */
export interface WrittenScripts {
  /** The content of a file that the agent wrote, as it is now; undefined for every other file. */
  readonly contentOf: (path: string) => string | undefined;
  /** Files that an allowed command writes, and those that it copies, moves or links: what was the agent's own stays so under the other name. */
  readonly note: (files: ReadonlyMap<string, string>, copied?: readonly CopiedFile[]) => void;
  /** The same tool; what its successful calls write is remembered. */
  readonly noting: (tool: Tool) => Tool;
}

/** No script of an agent is longer; a longer file is judged as unknown, which asks. */
const LARGEST_SCRIPT = 1024 * 1024;

export const createWrittenScripts = (): WrittenScripts => {
  // Each path as it was named, and where its links led then.
  const paths = new Set<string>();
  const add = (path: string): void => {
    paths.add(path);
    paths.add(followLinks(path) ?? path);
  };
  return {
    contentOf: (path) => (paths.has(path) || paths.has(followLinks(path) ?? path) ? readScript(path) : undefined),
    note: (files, copied = []) => {
      for (const path of files.keys()) add(path);
      for (const { from, to } of copied) {
        const real = followLinks(from) ?? from;
        // A folder copied into itself would grow while it is looked through.
        const known = [...paths];
        for (const path of known)
          for (const source of new Set([from, real])) {
            if (path === source || path.startsWith(`${source}/`)) add(to + path.slice(source.length));
          }
      }
    },
    noting: (tool) => ({
      ...tool,
      run: async (args, context) => {
        const result = await tool.run(args, context);
        const touched = tool.concurrency(args, context.cwd());
        if (result.outcome === "ok" && touched.kind === "paths") for (const path of touched.paths) add(path);
        return result;
      },
    }),
  };
};

/** What cannot be read reads as a command that nobody can judge, so that it is asked about. */
const UNREADABLE = "$UNREADABLE_SCRIPT";

const readScript = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > LARGEST_SCRIPT) return UNREADABLE;
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not readable for us, though perhaps for the command (sudo).
    return UNREADABLE;
  }
};
