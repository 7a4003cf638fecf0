import { parseSkill } from "../parse-skill.ts";
import { nameProblems, parseSkillName } from "../skill-name.ts";
import type { SkillFields, SkillName, SkillProblem } from "../skill.ts";
import type { SkillLibrary } from "../skill-library.ts";
import { hubErrors } from "./errors.ts";
import { fetchPackage, type FetchDeps, type FetchedSkill } from "./fetch-package.ts";
import type { HubPlaces } from "./hub-places.ts";
import type { PackageFile } from "./package-file.ts";
import { describeSource, type PackageSource } from "./package-source.ts";
import { openRoom, type QuarantineRoom } from "./quarantine.ts";
import { reviewSkill, type SkillReview } from "./review-skill.ts";
import { treeHash } from "./tree-hash.ts";
import { writeTree } from "./write-tree.ts";

/** What everything of the hub needs. */
export interface HubDeps extends FetchDeps {
  readonly library: SkillLibrary;
  readonly places: HubPlaces;
}

/** A skill in the quarantine, read, reviewed and not yet anywhere else; disposing forgets it. */
export interface Candidate extends AsyncDisposable {
  readonly name: SkillName;
  /** Whether its name was given here in place of its own. */
  readonly isRenamed: boolean;
  readonly fields: SkillFields;
  /** What its SKILL.md is not up to, though it can be used. */
  readonly notes: readonly SkillProblem[];
  readonly files: readonly PackageFile[];
  readonly hash: string;
  readonly review: SkillReview;
  readonly source: PackageSource;
  readonly origin: Omit<FetchedSkill, "files">;
  readonly room: QuarantineRoom;
}

/** What is prepared. */
export interface Preparing {
  readonly source: PackageSource;
  /** Another name than its own. */
  readonly name?: string | undefined;
}

const SKILL_FILE = "SKILL.md";

/**
 * Fetches, checks and reviews a skill into a room of the quarantine; nothing else is touched. Throws errors of `hubErrors` and the
 * signal's reason.
 */
export const prepareSkill = async (
  deps: HubDeps,
  { source, name }: Preparing,
  signal: AbortSignal,
): Promise<Candidate> => {
  const wanted = name === undefined ? undefined : wantedName(name);
  await using rooms = new AsyncDisposableStack();
  const room = rooms.use(await openRoom(deps.places.quarantine, deps.clock));
  const fetched = await fetchPackage(deps, { source, scratch: room.folder }, signal);
  if (!fetched.ok) throw fetched.error;
  const { files: original, ...origin } = fetched.value;
  const shown = describeSource(source);
  const files = wanted === undefined ? original : original.map((file) => renamed(file, wanted));
  const read = readFields(files, shown);
  if (wanted !== undefined && read.fields.name !== wanted) {
    throw hubErrors.notASkill({ source: shown, problems: ["the name in its front matter cannot be replaced"] });
  }
  await writeTree(room.tree, files);
  rooms.move();
  return {
    name: read.fields.name,
    isRenamed: wanted !== undefined && treeHash(original) !== treeHash(files),
    ...read,
    files,
    hash: treeHash(files),
    review: reviewSkill(files),
    source,
    origin,
    room,
    [Symbol.asyncDispose]: () => room[Symbol.asyncDispose](),
  };
};

const wantedName = (name: string): SkillName => {
  const parsed = parseSkillName(name);
  if (parsed === undefined || nameProblems(name).length > 0) throw hubErrors.badName({ name, what: "skill" });
  return parsed;
};

/** Whether a problem of a SKILL.md keeps it from being installed: what cannot be used, and names that nobody could type or store. */
const isFatal = ({ severity, code }: SkillProblem): boolean =>
  severity === "error" || (code.startsWith("skill.name_") && code !== "skill.name_mismatch");

const readFields = (
  files: readonly PackageFile[],
  source: string,
): { readonly fields: SkillFields; readonly notes: readonly SkillProblem[] } => {
  const file = files.find(({ path }) => path === SKILL_FILE);
  const text = file === undefined ? undefined : decode(file.data);
  if (text === undefined) throw hubErrors.notASkill({ source, problems: ["it is no UTF-8 text"] });
  const parsed = parseSkill(text);
  const fatal = parsed.problems.filter(isFatal);
  if (parsed.kind === "unusable" || fatal.length > 0) {
    throw hubErrors.notASkill({ source, problems: fatal.map(describeProblem) });
  }
  return { fields: parsed.fields, notes: parsed.problems };
};

/** A problem with its line, for a list of them. */
const describeProblem = ({ message, line }: SkillProblem): string =>
  `${line === undefined ? "" : `line ${line}: `}${message.replace(/\.$/u, "")}`;

const decode = (data: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    // The decoder's one way to say that bytes are no UTF-8.
    return undefined;
  }
};

/** SKILL.md with another name in its front matter; every other byte stays. */
const renamed = (file: PackageFile, name: SkillName): PackageFile => {
  const text = file.path === SKILL_FILE ? decode(file.data) : undefined;
  if (text === undefined) return file;
  const lines = text.split("\n");
  const fence = lines.findIndex((line) => line.trimEnd() === "---");
  const end = lines.findIndex((line, index) => index > fence && line.trimEnd() === "---");
  const at = lines.findIndex((line, index) => index > fence && index < end && /^name\s*:/u.test(line));
  if (fence === -1 || end === -1) return file;
  const ending = lines[fence]?.endsWith("\r") === true ? "\r" : "";
  const changed = lines.toSpliced(at === -1 ? fence + 1 : at, at === -1 ? 0 : 1, `name: ${name}${ending}`);
  return { ...file, data: Buffer.from(changed.join("\n"), "utf8") };
};
