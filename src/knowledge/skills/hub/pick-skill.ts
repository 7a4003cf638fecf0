import type { AppError } from "../../../base/app-error.ts";
import { failure, type Result, success } from "../../../base/result.ts";
import { badPath, foldedPath, pathInside } from "./check-path.ts";
import { hubErrors } from "./errors.ts";
import { SKILL_LIMITS, type PackageEntry, type PackageFile, type PackageListing } from "./package-file.ts";
import { refusal, type PackageProblem } from "./package-problem.ts";

/** A package, and which skill of it is meant. */
export interface Picking {
  /** How the source is called in messages. */
  readonly source: string;
  readonly listing: PackageListing;
  /** The skill's folder, "" = to be found. */
  readonly folder: string;
}

const SKILL_FILE = "SKILL.md";
/** How many folders a message names. */
const SHOWN_FOLDERS = 8;

interface Placed extends PackageEntry {
  /** `path` without `./` and the like. */
  readonly place: string;
}

/**
 * Finds the skill in a package and reads its files, sorted by path: with safe names that no system confuses, within the limits of a
 * skill. The failure is an error of `hubErrors`.
 */
export const pickSkill = async (picking: Picking): Promise<Result<readonly PackageFile[], AppError>> => {
  const placed = placeAll(picking.listing.entries);
  if (!placed.ok) return failure(refusal(picking.source, placed.error));
  const root = findRoot(picking, placed.value);
  if (!root.ok) return root;
  const prefix = root.value === "" ? "" : `${root.value}/`;
  const inside = placed.value
    .filter(({ place }) => place.startsWith(prefix))
    .map((entry) => ({ ...entry, place: entry.place.slice(prefix.length) }))
    .filter(({ place }) => place !== "");
  const problem = inspect(inside);
  if (problem !== undefined) return failure(refusal(picking.source, problem));
  const files = inside.filter(({ kind }) => kind === "file");
  const data = await picking.listing.read(files);
  if (!data.ok) return failure(refusal(picking.source, data.error));
  return success(
    files
      .map(({ place, isExecutable }, index) => ({
        path: place,
        isExecutable,
        data: data.value[index] ?? new Uint8Array(),
      }))
      .sort((left, right) => (left.path < right.path ? -1 : 1)),
  );
};

const placeAll = (entries: readonly PackageEntry[]): Result<readonly Placed[], PackageProblem> => {
  const placed: Placed[] = [];
  for (const entry of entries) {
    const place = pathInside(entry.path);
    if (!place.ok) return failure({ kind: "hostile", why: place.error });
    placed.push({ ...entry, place: place.value });
  }
  return success(placed);
};

const findRoot = ({ source, folder }: Picking, entries: readonly Placed[]): Result<string, AppError> => {
  const roots = new Set(
    entries
      .filter(({ kind, place }) => kind === "file" && (place === SKILL_FILE || place.endsWith(`/${SKILL_FILE}`)))
      .map(({ place }) => place.slice(0, -SKILL_FILE.length).replace(/\/$/u, "")),
  );
  if (folder !== "") {
    // Archives of repositories wrap everything in one folder.
    const top = commonTop(entries);
    const found = [folder, ...(top === undefined ? [] : [`${top}/${folder}`])].find((path) => roots.has(path));
    return found === undefined ? failure(hubErrors.noSkill({ source, folder })) : success(found);
  }
  const outermost = [...roots].filter(
    (root) => ![...roots].some((other) => other !== root && (other === "" || root.startsWith(`${other}/`))),
  );
  const [only] = outermost;
  if (only === undefined) return failure(hubErrors.noSkill({ source, folder }));
  if (outermost.length === 1) return success(only);
  return failure(
    hubErrors.manySkills({ source, folders: outermost.sort().slice(0, SHOWN_FOLDERS), count: outermost.length }),
  );
};

/** The one folder at the top that holds everything; undefined = there are several, or files beside it. */
const commonTop = (entries: readonly Placed[]): string | undefined => {
  const tops = new Set(entries.filter(({ place }) => place !== "").map(({ place }) => place.split("/")[0]));
  const hasFile = entries.some(({ kind, place }) => kind !== "folder" && !place.includes("/"));
  return tops.size === 1 && !hasFile ? [...tops][0] : undefined;
};

/** What speaks against the files of a skill; undefined = nothing. */
const inspect = (entries: readonly Placed[]): PackageProblem | undefined => {
  const seen = new Map<string, Claim>();
  let bytes = 0;
  let files = 0;
  for (const { place, kind, what, size } of entries) {
    const bad = badPath(place);
    if (bad !== undefined) return { kind: "hostile", why: bad };
    if (kind === "other") return { kind: "hostile", why: `it holds ${what ?? "something that is no file"} (${place})` };
    const clash = claim(seen, place, kind);
    if (clash) return { kind: "hostile", why: `two of its names are one on some systems (${place})` };
    if (kind === "folder") continue;
    files += 1;
    bytes += size;
  }
  if (files > SKILL_LIMITS.files)
    return { kind: "large", why: `${files} files; a skill has ${SKILL_LIMITS.files} at most` };
  const mebibytes = SKILL_LIMITS.bytes / 1024 / 1024;
  if (bytes > SKILL_LIMITS.bytes) return { kind: "large", why: `more than ${mebibytes} MiB; a skill has that at most` };
  return undefined;
};

interface Claim {
  readonly path: string;
  readonly is: "file" | "folder";
}

/** Takes a name for a file or folder; true = another has it. A folder may be named again, with the same spelling. */
const claim = (seen: Map<string, Claim>, place: string, kind: Claim["is"]): boolean => {
  const parts = place.split("/");
  for (let length = 1; length <= parts.length; length += 1) {
    const path = parts.slice(0, length).join("/");
    const is = length < parts.length ? "folder" : kind;
    const holder = seen.get(foldedPath(path));
    const isSameFolder = holder?.path === path && holder.is === "folder" && is === "folder";
    if (holder !== undefined && !isSameFolder) return true;
    seen.set(foldedPath(path), { path, is });
  }
  return false;
};
