import { readlink, realpath } from "node:fs/promises";
import { posix, win32 } from "node:path";
import { systemErrorCode } from "../base/system-error.ts";

/** Which path grammar holds: Windows' or everybody else's. */
export type PathFlavour = "posix" | "win32";

/** What relative paths and `~` mean. */
export interface PathBase {
  readonly cwd: string;
  readonly home: string;
  readonly flavour: PathFlavour;
}

/** A path as a tool may use it, or what to tell the model about it. */
export type PathResult =
  | { readonly kind: "ok"; readonly path: string }
  | { readonly kind: "invalid"; readonly why: string };

/** The grammar of the machine that this process runs on. */
export const hostFlavour = (): PathFlavour => (process.platform === "win32" ? "win32" : "posix");

/**
 * Makes what the model wrote an absolute, normalised path. Pure: looks at no disk and follows no link.
 * `~` is the person's home; on Windows `/c/dir` (as Git's bash writes it) is `C:\dir`, and device names are refused.
 */
export const absolutePath = (input: string, base: PathBase): PathResult => {
  if (input.trim() === "") return { kind: "invalid", why: "The path is empty." };
  if (input.includes("\0")) return { kind: "invalid", why: "The path holds a NUL character." };
  return base.flavour === "win32" ? windowsPath(input, base) : { kind: "ok", path: posixPath(input, base) };
};

const posixPath = (input: string, { cwd, home }: PathBase): string => {
  if (input === "~") return posix.resolve(home);
  if (input.startsWith("~/")) return posix.resolve(home, input.slice(2));
  return posix.resolve(cwd, input);
};

const windowsPath = (input: string, { cwd, home }: PathBase): PathResult => {
  if (/^[\\/]{2}[.?][\\/]/u.test(input)) return { kind: "invalid", why: `${input} is a device path.` };
  const path = win32.resolve(fromBash(cwd), expandWindows(input, home));
  const device = path.split("\\").find((part) => WINDOWS_DEVICE.test(part));
  if (device !== undefined) return { kind: "invalid", why: `${device} is a device name on Windows.` };
  return { kind: "ok", path };
};

const expandWindows = (input: string, home: string): string => {
  if (input === "~") return fromBash(home);
  if (/^~[\\/]/u.test(input)) return win32.join(fromBash(home), input.slice(2));
  return fromBash(input);
};

/** `/c/Users` → `c:\Users`; other forms stay. */
const fromBash = (path: string): string =>
  path.replace(/^\/([A-Za-z])(?=\/|$)/u, (_, drive: string) => `${drive.toUpperCase()}:\\`);

// A reserved name stays reserved with any extension and with trailing dots or spaces.
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:[ .:].*)?$/iu;

const MAX_LINKS = 40;

/**
 * The path without symbolic links, also where its end does not exist yet: the deepest existing ancestor is resolved,
 * dangling links are followed to where a write would land. Only a loop of links (or more than 40) is `invalid`.
 */
export const realPathOf = async (path: string): Promise<PathResult> => follow(path, MAX_LINKS);

const follow = async (path: string, links: number): Promise<PathResult> => {
  const tools = hostFlavour() === "win32" ? win32 : posix;
  const resolved = await tryRealpath(path);
  if (resolved.kind === "real") return { kind: "ok", path: resolved.path };
  if (resolved.kind === "loop" || links === 0) return { kind: "invalid", why: `${path} is a loop of symbolic links.` };
  const parentPath = tools.dirname(path);
  if (parentPath === path) return { kind: "ok", path };
  const parent = await follow(parentPath, links);
  if (parent.kind === "invalid") return parent;
  const here = tools.join(parent.path, tools.basename(path));
  const target = await readlink(here).catch(() => undefined); // not a link, or not readable: then it is itself
  return target === undefined ? { kind: "ok", path: here } : follow(tools.resolve(parent.path, target), links - 1);
};

type RealpathOutcome = { readonly kind: "real"; readonly path: string } | { readonly kind: "loop" | "unresolved" };

const tryRealpath = async (path: string): Promise<RealpathOutcome> => {
  try {
    return { kind: "real", path: await realpath(path) };
  } catch (error) {
    return { kind: systemErrorCode(error) === "ELOOP" ? "loop" : "unresolved" };
  }
};

/** How a path is named to the model: relative to the working directory where it lies under it, else absolute. */
export const displayPath = (path: string, cwd: string): string => {
  const tools = hostFlavour() === "win32" ? win32 : posix;
  const relative = tools.relative(cwd, path);
  if (relative === "") return ".";
  const isOutside = relative === ".." || relative.startsWith(`..${tools.sep}`) || tools.isAbsolute(relative);
  return isOutside ? path : relative;
};
