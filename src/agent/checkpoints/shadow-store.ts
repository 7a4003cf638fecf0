import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { makeFolderSync } from "../../base/make-folder.ts";
import { withProcessLock } from "../../base/process-lock.ts";
import { absent } from "../../base/system-error.ts";
import { createGit, type Git } from "./run-git.ts";

/** The limits under which snapshots are taken. */
export interface SnapshotLimits {
  readonly maxFiles: number;
  /** Bytes; a larger file is left out. */
  readonly maxFileBytes: number;
}

export interface ShadowStoreOptions {
  /** `checkpoints/store` of the home. */
  readonly directory: string;
  readonly locks: string;
  readonly clock: Clock;
  /** Absolute path of git. */
  readonly program: string;
  /** The PATH that git itself may use. */
  readonly path: string;
  readonly limits: SnapshotLimits;
  /** Folders that are no part of any project: the agent's home and the root home. */
  readonly agentHomes: readonly string[];
}

/** One folder's place in the store. */
export interface Project {
  readonly root: string;
  readonly hash: string;
  readonly ref: string;
  readonly index: string;
  /** `{workdir, created_at, last_touch}` (compat §4.10), times in seconds. */
  readonly file: string;
  /** The journal of touched paths. */
  readonly touched: string;
}

/** The bare repository that holds every project's snapshots (compat §4.10). Everything in it is the owner's alone (0700). */
export interface ShadowStore {
  readonly git: Git;
  readonly directory: string;
  readonly clock: Clock;
  readonly limits: SnapshotLimits;
  readonly agentHomes: readonly string[];
  /** Whether git writes many new objects as one pack when it is asked to; older ones would make a pack of each. */
  packsMany(signal: AbortSignal): Promise<boolean>;
  project(root: string): Project;
  /**
   * Runs alone over all processes that use this store, with the store made if it is missing. Waits at most `waitMs`; throws `lock.busy` after
   * that, or the signal's reason.
   */
  alone<T>(
    purpose: string,
    options: { readonly signal: AbortSignal; readonly waitMs: number },
    run: () => Promise<T>,
  ): Promise<T>;
}

const HASH_LENGTH = 16;

/** Opens the store; nothing is made or read yet. */
export const createShadowStore = (options: ShadowStoreOptions): ShadowStore => {
  const { directory, clock, limits, agentHomes } = options;
  const git = createGit({ program: options.program, directory, path: options.path });
  let packs: boolean | undefined;
  return {
    git,
    directory,
    clock,
    limits,
    agentHomes,
    packsMany: async (signal) => {
      packs ??= isAtLeast((await git({ args: ["version"], signal })).stdout.toString("utf8"), PACKING_GIT);
      return packs;
    },
    project: (root) => projectAt(directory, root, projectHash(root)),
    alone: (purpose, { signal, waitMs }, run) =>
      withProcessLock(
        { directory: options.locks, name: "checkpoints", clock, signal, timeoutMs: waitMs, purpose },
        async () => {
          await prepare(directory, git, signal);
          return await run();
        },
      ),
  };
};

/** The first whose `update-index` keeps one transaction open over all paths. */
const PACKING_GIT = { major: 2, minor: 36 };

const isAtLeast = (text: string, { major, minor }: typeof PACKING_GIT): boolean => {
  const [, left = "0", right = "0"] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return Number(left) > major || (Number(left) === major && Number(right) >= minor);
};

/** The name of a folder in the store: the beginning of the hash of its path, as the existing system makes it. */
const projectHash = (root: string): string => createHash("sha256").update(root).digest("hex").slice(0, HASH_LENGTH);

export const projectAt = (directory: string, root: string, hash: string): Project => ({
  root,
  hash,
  ref: `refs/hermes/${hash}`,
  index: join(directory, "indexes", hash),
  file: join(directory, "projects", `${hash}.json`),
  touched: join(directory, "touched", `${hash}.jsonl`),
});

/** In the order of git's own files, these outrank every `.gitattributes` of a project: no byte is converted, no filter runs. */
const ATTRIBUTES = "* -text -eol -ident -filter !diff !working-tree-encoding -export-subst\n";
const FOLDERS = ["indexes", "projects", "touched", "info", "refs/hermes"];

const prepare = async (directory: string, git: Git, signal: AbortSignal): Promise<void> => {
  makeFolderSync(directory);
  await chmod(directory, 0o700);
  // `info/attributes` is written last: where it stands, the rest does.
  const attributes = join(directory, "info", "attributes");
  if ((await stat(attributes).catch(absent)) === undefined) {
    await git({ args: ["init", "--quiet", "--bare", "--template=", directory], signal });
    for (const folder of FOLDERS) await mkdir(join(directory, folder), { recursive: true, mode: 0o700 });
    await writeFile(attributes, ATTRIBUTES, { mode: 0o600 });
  }
  await removeStale(directory);
};

/** Whoever made these is dead: the lock is ours. */
const removeStale = async (directory: string): Promise<void> => {
  for (const [folder, isStale] of [
    ["indexes", (name: string) => name.includes(".")],
    ["refs/hermes", (name: string) => name.endsWith(".lock")],
  ] as const) {
    const names = await readdir(join(directory, folder)).catch((): string[] => []);
    for (const name of names.filter(isStale)) await rm(join(directory, folder, name), { force: true });
  }
};
