import type { Result } from "../../../base/result.ts";
import type { PackageProblem } from "./package-problem.ts";

/** One file of a skill on its way in: already checked, still only in memory. */
export interface PackageFile {
  /** Relative, with `/` between its parts; see `checkPath`. */
  readonly path: string;
  readonly data: Uint8Array;
  readonly isExecutable: boolean;
}

/** What stands in an archive, repository or folder, before it is known which part is the skill. */
export interface PackageEntry {
  /** As it is written there: not checked. */
  readonly path: string;
  /** `other`: a link, a device, a repository in the repository; never made, and refused inside a skill. */
  readonly kind: "file" | "folder" | "other";
  /** Bytes of a file. */
  readonly size: number;
  readonly isExecutable: boolean;
  /** What an `other` is, in words. */
  readonly what?: string;
}

/** A package that can be read: what it lists, and the bytes of its files. */
export interface PackageListing {
  readonly entries: readonly PackageEntry[];
  /** Reads files of `entries`, in the order given. */
  readonly read: (wanted: readonly PackageEntry[]) => Promise<Result<readonly Uint8Array[], PackageProblem>>;
}

const MEBIBYTE = 1024 * 1024;

/** Bounds of one skill. */
export const SKILL_LIMITS = {
  files: 400,
  /** Bytes of all files. */
  bytes: 20 * MEBIBYTE,
  /** Parts of a path. */
  depth: 8,
  /** Bytes of a path. */
  pathBytes: 240,
} as const;

/** Bounds of what a skill may come in. */
export const PACKAGE_LIMITS = {
  entries: 20_000,
  /** Bytes as they are sent. */
  packedBytes: 32 * MEBIBYTE,
  /** Bytes unpacked. */
  bytes: 64 * MEBIBYTE,
} as const;
