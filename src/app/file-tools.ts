import { relative, sep } from "node:path";
import { restoreMasks } from "../base/redact/restore-masks.ts";
import { followLinks, isProtectedPath } from "../agent/approvals/protected-paths.ts";
import type { Tool } from "../agent/tool.ts";
import type { Home } from "../config/home.ts";
import type { FileLocks } from "../tools/editing/file-locks.ts";
import type { FileStateLedger } from "../tools/file-state.ts";
import { createPatchTool } from "../tools/patch.ts";
import { createReadFileTool } from "../tools/read-file.ts";
import { createSearchFilesTool } from "../tools/search-files.ts";
import { createWriteFileTool } from "../tools/write-file.ts";
import type { App } from "./app.ts";
import { findProgram } from "./find-program.ts";
import { fileLimits } from "./limits.ts";
import { once } from "./once.ts";
import { isCaseInsensitive } from "./is-case-insensitive.ts";
import type { WrittenScripts } from "./written-scripts.ts";

export interface FileToolsOptions {
  readonly home: string;
  readonly cwd: () => string;
  readonly writtenScripts: WrittenScripts;
  /** What the session knows of files. */
  readonly files: FileStateLedger;
  readonly locks: FileLocks;
}

/** The tools that read, write, change and search files, for one session. */
export const createFileTools = (app: App, options: FileToolsOptions): readonly Tool[] => {
  const { home, cwd, writtenScripts, files, locks } = options;
  const limits = fileLimits(app);
  const redact = (text: string): string => app.redactor.text(text);
  const read = { home, limits, redact, files };
  const write = {
    home,
    guard: (path: string) => {
      const verdict = isProtectedPath(path, {
        home,
        cwd: cwd(),
        agentHome: app.home.path,
        caseInsensitive: isCaseInsensitive(),
      });
      if (verdict.protected) return { kind: "protected" as const, why: verdict.why };
      return { kind: "ok" as const, real: followLinks(path) ?? path };
    },
    restoreMasks: (text: string, current: string) => restoreMasks(text, current, app.redactor),
    otherProfileOf: (realPath: string) => otherProfileOf(app.home, realPath),
    files,
  };
  return [
    createReadFileTool(read),
    writtenScripts.noting(locks.holding(createWriteFileTool(write))),
    writtenScripts.noting(locks.holding(createPatchTool(write))),
    createSearchFilesTool({
      home,
      limits,
      redact,
      ripgrep: once(async () => findProgram("rg", app.environment)),
    }),
  ];
};

/** The profile whose home holds a path, if it is another than the session's own. */
const otherProfileOf = (home: Home, realPath: string): string | undefined => {
  const [folder, name] = relative(home.root, realPath).split(sep);
  const own = home.profile.kind === "named" ? home.profile.name : "default";
  if (folder === ".." || folder === undefined) return undefined;
  const owner = folder === "profiles" && name !== undefined ? name : "default";
  return owner === own ? undefined : owner;
};
