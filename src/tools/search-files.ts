import * as z from "zod";
import { defineTool } from "../agent/tool.ts";
import type { Tool } from "../agent/tool.ts";
import { COUNTED_BEYOND, type SearchArgs, type SearchDeps } from "./search/search-call.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const MAX_CONTEXT = 50;

/**
 * `search_files`: finds lines by regular expression (`content`) or files by name (`files`: a glob, or a part of the name).
 * Hidden files are searched only where the glob or the path names them; files that git ignores only where the path is
 * itself such a folder. A pattern matches within one line.
 */
export const createSearchFilesTool = (deps: SearchDeps): Tool =>
  defineTool<SearchArgs>({
    name: "search_files",
    toolset: "file",
    description: "Search file contents by regex, or (target files) names by glob.",
    parameters: z.object({
      pattern: z.string(),
      target: z.enum(["content", "files"]).default("content"),
      path: z.string().default("."),
      file_glob: z.string().optional(),
      limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
      offset: z.int().min(0).default(0),
      output_mode: z.enum(["content", "files_only", "count"]).default("content"),
      context: z.int().min(0).max(MAX_CONTEXT).default(0),
    }),
    effects: "read",
    concurrency: () => ({ kind: "anything" }),
    summarise: ({ pattern, path, target }) => `search ${target === "files" ? "files named " : ""}${pattern} in ${path}`,
    // What searches is only loaded where something is searched.
    run: async (args, context) => {
      const { runSearchFiles } = await import("./search/run-search-files.ts");
      return await runSearchFiles(deps, args, context);
    },
    maxResultChars: deps.limits.readMaxChars + COUNTED_BEYOND,
  });
