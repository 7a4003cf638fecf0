import { posix, win32 } from "node:path";
import type { Environment } from "../../../config/environment.ts";
import type { BackendCheck } from "../backend.ts";

/** What `findBash` looks at. */
export interface BashProbe {
  readonly platform: NodeJS.Platform;
  /** On Windows with names in upper case (`readEnvironment`). */
  readonly environment: Environment;
  /** Whether a file that may be run stands there. */
  readonly isExecutable: (path: string) => boolean;
}

export type BashSearch =
  | { readonly kind: "found"; readonly path: string }
  | Extract<BackendCheck, { kind: "unavailable" }>;

/** Where bash stands on systems that keep it off the `PATH` of services. */
const POSIX_PLACES = [
  "/bin/bash",
  "/usr/bin/bash",
  "/usr/local/bin/bash",
  "/opt/homebrew/bin/bash",
  "/run/current-system/sw/bin/bash",
];

/** Finds the bash that runs commands. On Windows Git's, then the one of the Linux subsystem; never cmd or PowerShell. */
export const findBash = (probe: BashProbe): BashSearch => {
  const candidates = probe.platform === "win32" ? windowsPlaces(probe.environment) : posixPlaces(probe.environment);
  const path = candidates.find((candidate) => probe.isExecutable(candidate));
  if (path !== undefined) return { kind: "found", path };
  return {
    kind: "unavailable",
    reason: "bash was not found",
    fix:
      probe.platform === "win32"
        ? "install Git for Windows (it brings bash), or a Linux distribution with `wsl --install`"
        : "install bash with the system's package manager",
  };
};

const posixPlaces = (environment: BashProbe["environment"]): readonly string[] => [
  ...folders(environment["PATH"], ":")
    .filter((folder) => posix.isAbsolute(folder))
    .map((folder) => posix.join(folder, "bash")),
  ...POSIX_PLACES,
];

const windowsPlaces = (environment: BashProbe["environment"]): readonly string[] => {
  const path = environment["PATH"];
  // Git puts `…\Git\cmd` on the path; its bash stands beside that folder.
  const besideGit = folders(path, ";")
    .filter((folder) => /[\\/]git[\\/](?:cmd|bin)[\\/]?$/i.test(folder))
    .map((folder) => win32.join(folder, "..", "bin", "bash.exe"));
  const installed = [environment["PROGRAMFILES"], environment["PROGRAMFILES(X86)"], localPrograms(environment)]
    .filter((folder) => folder !== undefined)
    .map((folder) => win32.join(folder, "Git", "bin", "bash.exe"));
  const root = environment["SYSTEMROOT"];
  return [...besideGit, ...installed, ...(root === undefined ? [] : [win32.join(root, "System32", "bash.exe")])];
};

const localPrograms = (environment: BashProbe["environment"]): string | undefined => {
  const local = environment["LOCALAPPDATA"];
  return local === undefined ? undefined : win32.join(local, "Programs");
};

const folders = (path: string | undefined, separator: string): readonly string[] =>
  (path ?? "").split(separator).filter((folder) => folder !== "");
