import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdtemp, open, opendir, rm } from "node:fs/promises";
import { join } from "node:path";
import { readProcessTable } from "../../../base/process-table.ts";
import { processStartTime } from "../../../base/process-tree.ts";
import { systemErrorCode } from "../../../base/system-error.ts";

/**
 * Private folders (0700) for pipes and scripts. A program that was killed leaves its folders behind: their names tell whose they
 * are, and the next program that makes one removes those whose owner is gone.
 */
export interface ShellFolders {
  make(): Promise<string>;
  /** Waits until abandoned folders are removed. Those that were made here stay: they belong to who made them. */
  close(): Promise<void>;
}

/** A pipe of this name in a folder is held open by its owner: so it counts as alive also where its pid cannot be seen (a container). */
export const HELD_PIPE = "held";

/** Folders below `temporaryDirectory`; nothing is read or made before the first `make`. */
export const createShellFolders = (temporaryDirectory: string): ShellFolders => {
  let owner: Promise<string> | undefined;
  let sweep: Promise<void> | undefined;
  return {
    make: async () => {
      // What cannot be cleaned up must not keep a command from running.
      sweep ??= sweepFolders(temporaryDirectory).catch(() => undefined);
      owner ??= ownerTag(process.pid, process.platform);
      return mkdtemp(join(temporaryDirectory, `${PREFIX}${process.pid}-${await owner}-`));
    },
    close: async () => {
      await sweep;
    },
  };
};

const PREFIX = "hermes-sh-";
const NAME = /^hermes-sh-(\d{1,10})-([0-9a-f]{8})-[A-Za-z0-9]{6}$/;
/** Stands where a start time is not known: the pid alone decides then. */
const UNKNOWN = "00000000";
/** Temporary directories can be huge, and what is left over today can go tomorrow. */
const MAX_ENTRIES = 20_000;
const MAX_CANDIDATES = 64;

/** Windows takes most of a second to tell a start time: too long to begin a command with. */
const ownerTag = async (pid: number, platform: NodeJS.Platform): Promise<string> =>
  platform === "win32" ? UNKNOWN : tagOf(await processStartTime(pid).catch(() => undefined));

const tagOf = (startTime: string | undefined): string =>
  startTime === undefined ? UNKNOWN : createHash("sha256").update(startTime).digest("hex").slice(0, 8);

interface Candidate {
  readonly path: string;
  readonly pid: number;
  readonly tag: string;
}

const sweepFolders = async (temporaryDirectory: string): Promise<void> => {
  const candidates = await findCandidates(temporaryDirectory);
  if (candidates.length === 0) return;
  // Read after the folders: whoever made one of them and lives is in the table.
  const running = new Map((await readProcessTable()).map((row) => [row.pid, tagOf(row.startTime)]));
  if (!running.has(process.pid)) return; // The table does not tell all.
  const isOwnerGone = ({ pid, tag }: Candidate): boolean =>
    !running.has(pid) || (tag !== UNKNOWN && running.get(pid) !== tag);
  for (const candidate of candidates.filter(isOwnerGone)) {
    if ((await isOurs(candidate.path)) && !(await isHeld(candidate.path))) {
      await rm(candidate.path, { recursive: true, force: true });
    }
  }
};

const findCandidates = async (temporaryDirectory: string): Promise<readonly Candidate[]> => {
  const candidates: Candidate[] = [];
  let seen = 0;
  for await (const { name } of await opendir(temporaryDirectory)) {
    seen += 1;
    const [, pid, tag] = NAME.exec(name) ?? [];
    if (pid !== undefined && tag !== undefined)
      candidates.push({ path: join(temporaryDirectory, name), pid: Number(pid), tag });
    if (seen === MAX_ENTRIES || candidates.length === MAX_CANDIDATES) break;
  }
  return candidates;
};

/** Everybody may make entries of any name in a shared temporary directory. */
const isOurs = async (path: string): Promise<boolean> => {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() === true && (process.getuid === undefined || stats.uid === process.getuid());
};

const isHeld = async (path: string): Promise<boolean> => {
  try {
    // Fails where nobody has the pipe open for reading.
    const file = await open(join(path, HELD_PIPE), constants.O_WRONLY | constants.O_NONBLOCK);
    await file.close();
    return true;
  } catch (thrown) {
    return !NOT_HELD.has(systemErrorCode(thrown) ?? "");
  }
};

const NOT_HELD = new Set(["ENXIO", "ENOENT"]);
