import { resolve } from "node:path";
import { failure, type Result, success } from "../../../base/result.ts";

/** Where a skill comes from, as a person named it. `folder` is the skill's place inside, "" = to be found. */
export type PackageSource =
  | { readonly kind: "git"; readonly url: string; readonly ref: string | undefined; readonly folder: string }
  | { readonly kind: "archive_url"; readonly url: string; readonly folder: string }
  | { readonly kind: "document_url"; readonly url: string }
  | { readonly kind: "archive_file"; readonly path: string; readonly folder: string }
  | { readonly kind: "folder"; readonly path: string };

/** What a source is read relative to. */
export interface SourcePlaces {
  readonly cwd: string;
  /** The person's own directory, for `~`. */
  readonly userHome: string;
}

/** Where `OWNER/REPO` lives. */
const SHORTHAND_HOST = "https://github.com";
const ARCHIVE = /\.(?:tar\.gz|tgz|tar|zip)$/iu;
const GIT_SCHEMES: ReadonlySet<string> = new Set(["https:", "ssh:", "file:"]);
const SHORTHAND = /^([A-Za-z0-9][A-Za-z0-9-]*)\/([A-Za-z0-9_][A-Za-z0-9._-]*)((?:\/[^/\s]+)*)\/?$/u;
/** `git@host:owner/repo.git`. */
const SCP_FORM = /^([A-Za-z0-9_][\w.-]*)@([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/)([^\s]+)$/u;
const REF = /^[A-Za-z0-9_][A-Za-z0-9._/+-]{0,199}$/u;

/**
 * Reads what stands after `hermes skills install`. A path begins with `/`, `.` or `~`, or is a name without a slash; `OWNER/REPO/FOLDER`
 * is a repository on GitHub; `ADDRESS#FOLDER` names a folder of any repository or archive. The failure says in words what is wrong.
 */
export const parseSource = (
  text: string,
  ref: string | undefined,
  places: SourcePlaces,
): Result<PackageSource, string> => {
  const given = text.trim();
  if (given === "") return failure("it is empty");
  if (ref !== undefined && (!REF.test(ref) || ref.includes("..")))
    return failure(`"${ref}" is no branch, tag or commit`);
  const source = parseGiven(given, ref, places);
  if (!source.ok || ref === undefined || source.value.kind === "git") return source;
  return failure("only a repository has branches, tags and commits (--ref)");
};

const parseGiven = (given: string, ref: string | undefined, places: SourcePlaces): Result<PackageSource, string> => {
  const scp = SCP_FORM.exec(given);
  if (scp !== null) return parseAddress(`ssh://${scp[1]}@${scp[2]}/${scp[3]}`, ref);
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//u.test(given)) return parseAddress(given, ref);
  if (/^[/.~]/u.test(given) || !given.includes("/")) return parsePath(given, places);
  const [, owner, repository, rest = ""] = SHORTHAND.exec(given) ?? [];
  if (owner === undefined || repository === undefined)
    return failure("it is no address, no path and no OWNER/REPO/FOLDER");
  const name = repository.replace(/\.git$/u, "");
  return inFolder(rest, (folder) => ({ kind: "git", url: `${SHORTHAND_HOST}/${owner}/${name}.git`, ref, folder }));
};

const parsePath = (given: string, { cwd, userHome }: SourcePlaces): Result<PackageSource, string> => {
  const at = (path: string): string => resolve(cwd, expandedHome(path, userHome));
  const [plain, folder] = splitFragment(given);
  if (!ARCHIVE.test(plain)) return success({ kind: "folder", path: at(given) });
  return inFolder(folder, (checked) => ({ kind: "archive_file", path: at(plain), folder: checked }));
};

const expandedHome = (path: string, userHome: string): string =>
  path === "~" || path.startsWith("~/") ? `${userHome}${path.slice(1)}` : path;

const splitFragment = (text: string): readonly [string, string] => {
  const at = text.indexOf("#");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
};

const parseAddress = (text: string, ref: string | undefined): Result<PackageSource, string> => {
  const [address, fragment] = splitFragment(text);
  if (!URL.canParse(address)) return failure("the address cannot be read");
  const url = new URL(address);
  const hasLogin = url.password !== "" || (url.username !== "" && url.protocol !== "ssh:");
  if (hasLogin) return failure("the address holds a name or password, which would be kept and shown; take it out");
  const page = browserPage(url);
  if (page !== undefined) return inFolder(page.folder, (folder) => ({ ...page, ref: ref ?? page.ref, folder }));
  const isLoopback = url.protocol === "http:" && isThisMachine(url.hostname);
  if (url.protocol === "https:" || isLoopback) {
    if (ARCHIVE.test(url.pathname))
      return inFolder(fragment, (folder) => ({ kind: "archive_url", url: url.href, folder }));
    if (/\.md$/iu.test(url.pathname)) return success({ kind: "document_url", url: url.href });
  }
  if (!GIT_SCHEMES.has(url.protocol))
    return failure(`${url.protocol.slice(0, -1)} is not used here; https, ssh and file are`);
  return inFolder(fragment, (folder) => ({ kind: "git", url: url.href, ref, folder }));
};

/** An address out of a browser's bar: `https://github.com/OWNER/REPO/tree/BRANCH/FOLDER`. */
const browserPage = (
  url: URL,
): { readonly kind: "git"; readonly url: string; readonly ref: string; readonly folder: string } | undefined => {
  const [, owner, repository, form, ref, ...folder] = url.pathname.split("/");
  if (url.origin !== SHORTHAND_HOST || (form !== "tree" && form !== "blob")) return undefined;
  if (ref === undefined || !REF.test(ref)) return undefined;
  const place = folder.at(-1) === "SKILL.md" ? folder.slice(0, -1) : folder;
  return { kind: "git", url: `${SHORTHAND_HOST}/${owner}/${repository}.git`, ref, folder: place.join("/") };
};

/** Whether a host is this machine itself, where an unencrypted address harms nobody. */
export const isThisMachine = (host: string): boolean =>
  host === "localhost" || host === "127.0.0.1" || host === "[::1]";

const inFolder = (folder: string, make: (folder: string) => PackageSource): Result<PackageSource, string> => {
  const parts = folder.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") ? failure("its folder leads out of it") : success(make(parts.join("/")));
};

/** The source in one line, as it can be given again. */
export const describeSource = (source: PackageSource): string => {
  switch (source.kind) {
    case "git":
    case "archive_url":
      return source.folder === "" ? source.url : `${source.url}#${source.folder}`;
    case "document_url":
      return source.url;
    case "archive_file":
      return source.folder === "" ? source.path : `${source.path}#${source.folder}`;
    case "folder":
      return source.path;
  }
};
