import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, type AppError } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import { failure, type Result, success } from "../../../base/result.ts";
import type { Environment } from "../../../config/environment.ts";
import type { HttpClient } from "../../../llm/http.ts";
import { openArchive } from "./archive/open-archive.ts";
import { download } from "./download.ts";
import { hubErrors } from "./errors.ts";
import { fetchGit } from "./fetch-git.ts";
import { PACKAGE_LIMITS, SKILL_LIMITS, type PackageFile } from "./package-file.ts";
import { refusal } from "./package-problem.ts";
import { describeSource, type PackageSource } from "./package-source.ts";
import { pickSkill } from "./pick-skill.ts";
import { openFolderPackage } from "./read-folder.ts";

/** What fetching needs. */
export interface FetchDeps {
  readonly clock: Clock;
  readonly environment: Environment;
  readonly http: HttpClient;
  /** The absolute path of git; undefined = there is none. */
  readonly git: string | undefined;
}

/** A skill's files as they came, and what tells this state of the source from others. */
export interface FetchedSkill {
  readonly files: readonly PackageFile[];
  readonly commit?: string;
  /** sha256 of the archive or document, 64 hexadecimal digits. */
  readonly archiveSha256?: string;
}

/** Fetches what a source names; only git writes, below `scratch`. Failures are errors of `hubErrors`. Throws the signal's reason. */
export const fetchPackage = async (
  deps: FetchDeps,
  { source, scratch }: { readonly source: PackageSource; readonly scratch: string },
  signal: AbortSignal,
): Promise<Result<FetchedSkill, AppError>> => {
  switch (source.kind) {
    case "git":
      return await fromGit(deps, { source, scratch }, signal);
    case "archive_url": {
      const fetched = await download(deps, { url: source.url, maxBytes: PACKAGE_LIMITS.packedBytes }, signal);
      return fetched.ok ? await fromArchive(source, fetched.value, source.folder) : fetched;
    }
    case "document_url": {
      const fetched = await download(deps, { url: source.url, maxBytes: SKILL_LIMITS.bytes }, signal);
      return fetched.ok ? success(documentOf(fetched.value)) : fetched;
    }
    case "archive_file": {
      const read = await readArchiveFile(source.path);
      return read.ok ? await fromArchive(source, read.value, source.folder) : read;
    }
    case "folder":
      return await fromFolder(source.path);
  }
};

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const documentOf = (bytes: Uint8Array): FetchedSkill => ({
  files: [{ path: "SKILL.md", data: bytes, isExecutable: false }],
  archiveSha256: sha256(bytes),
});

const fromGit = async (
  { git, clock, environment }: FetchDeps,
  { source, scratch }: { readonly source: PackageSource & { readonly kind: "git" }; readonly scratch: string },
  signal: AbortSignal,
): Promise<Result<FetchedSkill, AppError>> => {
  if (git === undefined) return failure(hubErrors.noGit({}));
  const name = describeSource(source);
  const deps = { clock, environment, program: git };
  const fetched = await fetchGit(deps, { url: source.url, ref: source.ref, into: join(scratch, "repository") }, signal);
  if (!fetched.ok) {
    return failure(
      fetched.error.kind === "unreachable"
        ? hubErrors.fetchFailed({ source: name, why: fetched.error.why })
        : refusal(name, fetched.error),
    );
  }
  const files = await pickSkill({ source: name, listing: fetched.value, folder: source.folder });
  return files.ok ? success({ files: files.value, commit: fetched.value.commit }) : files;
};

const fromArchive = async (
  source: PackageSource,
  bytes: Uint8Array,
  folder: string,
): Promise<Result<FetchedSkill, AppError>> => {
  const name = describeSource(source);
  const listing = await openArchive(bytes);
  if (!listing.ok) return failure(refusal(name, listing.error));
  const files = await pickSkill({ source: name, listing: listing.value, folder });
  return files.ok ? success({ files: files.value, archiveSha256: sha256(bytes) }) : files;
};

const readArchiveFile = async (path: string): Promise<Result<Uint8Array, AppError>> => {
  try {
    const info = await stat(path);
    if (!info.isFile()) return failure(hubErrors.broken({ source: path, why: "it is no file" }));
    const limit = PACKAGE_LIMITS.packedBytes;
    if (info.size > limit) {
      return failure(hubErrors.tooLarge({ source: path, what: `more than ${limit / 1024 / 1024} MiB` }));
    }
    return success(await readFile(path));
  } catch (thrown) {
    return failure(hubErrors.broken({ source: path, why: messageOf(thrown) }));
  }
};

const fromFolder = async (path: string): Promise<Result<FetchedSkill, AppError>> => {
  const listing = await openFolderPackage(path);
  if (!listing.ok) return failure(refusal(path, listing.error));
  const files = await pickSkill({ source: path, listing: listing.value, folder: "" });
  return files.ok ? success({ files: files.value }) : files;
};
