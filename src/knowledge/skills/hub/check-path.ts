import { failure, type Result, success } from "../../../base/result.ts";
import { SKILL_LIMITS } from "./package-file.ts";

/** Line and paragraph separators, what has no width, what turns the direction of text, what stands for undecodable bytes. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/u;
/** Names that Windows gives to devices, whatever follows a dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;
const FORBIDDEN = /[<>:"|?*\\]/u;
const LONGEST_PART_BYTES = 200;

/**
 * A path out of somebody's package without `./`, doubled and trailing slashes; "" = the top folder. What leads out of the package is a
 * failure, in words: it refuses the whole, because nobody writes it by accident.
 */
export const pathInside = (path: string): Result<string, string> => {
  if (/^(?:[\\/]|[A-Za-z]:)/u.test(path)) return failure(`it has an absolute path (${shown(path)})`);
  if (path.split(/[\\/]/u).includes("..")) return failure(`it has a path that leads out of it (${shown(path)})`);
  if (path.includes("\0")) return failure(`it has a name with a NUL (${shown(path)})`);
  return success(
    path
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .join("/"),
  );
};

/** Why a file of a skill may not have this path; undefined = it may. What another system reads differently or nobody sees is refused. */
export const badPath = (path: string): string | undefined => {
  const parts = path.split("/");
  if (parts.length > SKILL_LIMITS.depth) return `it has folders more than ${SKILL_LIMITS.depth} deep (${shown(path)})`;
  if (Buffer.byteLength(path) > SKILL_LIMITS.pathBytes) return `it has a path that is too long (${shown(path)})`;
  for (const part of parts) {
    const why = badPart(part);
    if (why !== undefined) return `it has ${why} (${shown(path)})`;
  }
  return undefined;
};

const badPart = (part: string): string | undefined => {
  if (part === "" || part === "." || part === "..") return "a path that is none";
  if (part.toLowerCase() === ".git") return "a git folder";
  if (UNSEEN.test(part)) return "a name with characters that cannot be seen";
  if (FORBIDDEN.test(part)) return "a name with a character that not every system takes";
  if (DEVICE.test(part)) return "the name of a device";
  if (part.endsWith(".") || part.trim() !== part) return "a name that begins or ends oddly";
  return Buffer.byteLength(part) > LONGEST_PART_BYTES ? "a name that is too long" : undefined;
};

/** A name for a message, cut, with what cannot be seen spelled out. */
const shown = (path: string): string =>
  JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path).replaceAll(
    /[\p{Cf}\p{Cc}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );

/** What two names share when a system that ignores case or composition takes them for one. */
export const foldedPath = (path: string): string => path.normalize("NFKC").toLowerCase();
