import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { failure, type Result, success } from "../../../base/result.ts";
import { absent } from "../../../base/system-error.ts";
import { PACKAGE_LIMITS, type PackageEntry, type PackageListing } from "./package-file.ts";
import type { PackageProblem } from "./package-problem.ts";
import { isOutOfTime, runGit, type GitDeps, type GitOutcome } from "./run-git.ts";

/** What is fetched, and where to. */
export interface GitFetch {
  readonly url: string;
  /** A branch, tag or commit; undefined = what the repository shows first. */
  readonly ref: string | undefined;
  /** A folder that does not exist yet; it becomes a bare repository. */
  readonly into: string;
}

/** Why nothing was fetched, in words; or a problem of what was. */
export type FetchFailure = { readonly kind: "unreachable"; readonly why: string } | PackageProblem;

/** One commit of a repository, without its history and without a working tree. */
export interface FetchedCommit extends PackageListing {
  /** 40 or 64 hexadecimal digits. */
  readonly commit: string;
}

const FETCH_MS = 120_000;
const POLL_MS = 200;
const MEBIBYTE = 1024 * 1024;
const LIST_BYTES = 8 * MEBIBYTE;

/**
 * Fetches one commit into a bare repository, where it can be read object by object: no file of the repository is made. Bounded in time
 * and size. Throws the signal's reason.
 */
export const fetchGit = async (
  deps: GitDeps,
  wanted: GitFetch,
  signal: AbortSignal,
): Promise<Result<FetchedCommit, FetchFailure>> => {
  using deadline = deps.clock.deadline(FETCH_MS);
  const within = AbortSignal.any([signal, deadline.signal]);
  const git = (args: readonly string[], more: { stdin?: string; maxBytes?: number } = {}): Promise<GitOutcome> =>
    runGit(deps, { repository: wanted.into, args, signal: within, maxBytes: more.maxBytes ?? MEBIBYTE, ...more });
  try {
    const made = await git(["init", "--bare", "--quiet", "--template="]);
    if (made.kind !== "done") return unreachable(made);
    const fetched = await fetchBounded(deps, wanted, within);
    if (fetched === "too_large") {
      return failure({ kind: "large", why: `more than ${PACKAGE_LIMITS.bytes / MEBIBYTE} MiB` });
    }
    if (fetched.kind !== "done") return unreachable(fetched);
    const commit = await git(["rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"]);
    if (commit.kind !== "done") return failure({ kind: "unreachable", why: "what was fetched is no commit" });
    const id = commit.stdout.toString("latin1").trim();
    const listed = await git(["ls-tree", "-r", "-z", "-l", "--full-tree", id], { maxBytes: LIST_BYTES });
    if (listed.kind === "too_long") return failure({ kind: "large", why: "more files than are looked at" });
    if (listed.kind !== "done") return unreachable(listed);
    const blobs = readTree(listed.stdout);
    if (blobs === undefined) return failure({ kind: "broken", why: "a name in it is not UTF-8" });
    if (blobs.length > PACKAGE_LIMITS.entries) {
      return failure({ kind: "large", why: `more than ${PACKAGE_LIMITS.entries} files` });
    }
    return success({ commit: id, entries: blobs, read: (files) => readBlobs({ deps, wanted, signal, blobs }, files) });
  } catch (thrown) {
    if (!isOutOfTime(thrown)) throw thrown;
    return failure({ kind: "unreachable", why: `it took more than ${FETCH_MS / 1000} s` });
  }
};

const unreachable = (outcome: GitOutcome): Result<never, FetchFailure> =>
  failure({ kind: "unreachable", why: outcome.kind === "failed" ? outcome.why : "git said more than expected" });

/** Fetches while the repository's size is watched: no option of git limits what it takes. */
const fetchBounded = async (
  deps: GitDeps,
  { url, ref, into }: GitFetch,
  signal: AbortSignal,
): Promise<GitOutcome | "too_large"> => {
  const tooLarge = new AbortController();
  const done = new AbortController();
  const watch = async (): Promise<void> => {
    while (!done.signal.aborted) {
      if ((await folderBytes(into)) > PACKAGE_LIMITS.bytes) tooLarge.abort();
      await deps.clock.sleep(POLL_MS, done.signal).catch(() => undefined);
    }
  };
  const watching = watch();
  try {
    return await runGit(deps, {
      repository: into,
      args: ["fetch", "--depth=1", "--no-tags", "--quiet", "--no-auto-maintenance", "--", url, ref ?? "HEAD"],
      signal: AbortSignal.any([signal, tooLarge.signal]),
      maxBytes: MEBIBYTE,
    });
  } catch (thrown) {
    if (tooLarge.signal.aborted && !signal.aborted) return "too_large";
    throw thrown;
  } finally {
    done.abort();
    await watching;
  }
};

/** Bytes of the object files of a bare repository, those that are being received included. */
const folderBytes = async (repository: string): Promise<number> => {
  const packs = join(repository, "objects", "pack");
  const names = (await readdir(packs).catch(absent)) ?? [];
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(packs, name)).catch(absent))?.size ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
};

interface Blob extends PackageEntry {
  readonly object: string;
}

const MODES: Readonly<Record<string, Pick<PackageEntry, "kind" | "what">>> = {
  "100644": { kind: "file" },
  "100664": { kind: "file" },
  "100755": { kind: "file" },
  "120000": { kind: "other", what: "a symbolic link" },
  "160000": { kind: "other", what: "another repository" },
};

const readTree = (listing: Buffer): readonly Blob[] | undefined => {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(listing);
  } catch {
    // The decoder's one way to say that bytes are no UTF-8.
    return undefined;
  }
  return text
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const tab = line.indexOf("\t");
      const [mode = "", , object = "", size = "0"] = line.slice(0, tab).split(/ +/u);
      return {
        path: line.slice(tab + 1),
        ...(MODES[mode] ?? { kind: "other" as const, what: "something that is no file" }),
        size: size === "-" ? 0 : Number(size),
        isExecutable: mode === "100755",
        object,
      };
    });
};

interface Reading {
  readonly deps: GitDeps;
  readonly wanted: GitFetch;
  readonly signal: AbortSignal;
  readonly blobs: readonly Blob[];
}

const READ_MS = 30_000;

const readBlobs = async (
  { deps, wanted, signal, blobs }: Reading,
  files: readonly PackageEntry[],
): Promise<Result<readonly Uint8Array[], PackageProblem>> => {
  const objects = new Map(blobs.map(({ path, object }) => [path, object]));
  const total = files.reduce((sum, { size }) => sum + size + 100, 0);
  using deadline = deps.clock.deadline(READ_MS);
  const outcome = await runGit(deps, {
    repository: wanted.into,
    args: ["cat-file", "--batch"],
    stdin: files.map(({ path }) => `${objects.get(path) ?? ""}\n`).join(""),
    signal: AbortSignal.any([signal, deadline.signal]),
    maxBytes: total,
  });
  const found = outcome.kind === "done" ? splitBatch(outcome.stdout, files.length) : undefined;
  return found === undefined ? failure({ kind: "broken", why: "its objects cannot be read" }) : success(found);
};

/** `<object> blob <size>\n<bytes>\n` for each. */
const splitBatch = (output: Buffer, count: number): readonly Uint8Array[] | undefined => {
  const found: Uint8Array[] = [];
  for (let at = 0; at < output.length;) {
    const lineEnd = output.indexOf(0x0a, at);
    const [, type, size = ""] = output.subarray(at, lineEnd).toString("latin1").split(" ");
    if (lineEnd === -1 || type !== "blob" || !/^\d+$/.test(size)) return undefined;
    const end = lineEnd + 1 + Number(size);
    found.push(output.subarray(lineEnd + 1, end));
    at = end + 1;
  }
  return found.length === count ? found : undefined;
};
