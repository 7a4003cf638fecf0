import { failure, type Result, success } from "../../../../base/result.ts";
import { PACKAGE_LIMITS, type PackageEntry } from "../package-file.ts";
import type { PackageProblem } from "../package-problem.ts";

/** A member of a tar archive; its bytes stand in the archive itself. */
export interface TarEntry extends PackageEntry {
  readonly data: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
  /** Seconds since the Unix epoch. */
  readonly mtime: number;
  /** Where a link leads; "" for anything else. */
  readonly target: string;
}

const BLOCK = 512;

/**
 * The members of a tar archive (POSIX ustar, pax and GNU long names), in their order. Strict: a wrong checksum, a cut end, or a form that
 * hides sizes (sparse files) is a problem. Paths are as written, not checked. Pure; takes no memory but for names.
 */
export const readTar = (bytes: Uint8Array): Result<readonly TarEntry[], PackageProblem> => {
  const entries: TarEntry[] = [];
  let next: Overrides = {};
  for (let at = 0; ;) {
    const block = bytes.subarray(at, at + BLOCK);
    if (block.length < BLOCK) return broken("it ends in the middle");
    if (block.every((byte) => byte === 0)) return success(entries);
    const header = readHeader(block);
    if (!header.ok) return header;
    const { type } = header.value;
    const size = next.size ?? header.value.size;
    const data = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (data.length < size) return broken("it ends in the middle of a file");
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const special = readSpecial(type, data);
    if (!special.ok) return special;
    if (special.value !== undefined) {
      next = { ...next, ...special.value };
      continue;
    }
    const entry = entryOf({ ...header.value, ...next }, data);
    if (entry === undefined) return broken("a name in it is not UTF-8");
    entries.push(entry);
    if (entries.length > PACKAGE_LIMITS.entries) {
      return failure({ kind: "large", why: `more than ${PACKAGE_LIMITS.entries} entries` });
    }
    next = {};
  }
};

const broken = (why: string): Result<never, PackageProblem> => failure({ kind: "broken", why });

/** What a header before a member says of it. */
interface Overrides {
  readonly path?: string;
  readonly size?: number;
  readonly target?: string;
}

interface Header {
  /** undefined = no UTF-8: a longer name before it may have been cut anywhere. */
  readonly path: string | undefined;
  readonly size: number;
  readonly mode: number;
  readonly mtime: number;
  readonly target: string | undefined;
  readonly type: string;
}

const readHeader = (block: Uint8Array): Result<Header, PackageProblem> => {
  if (readNumber(block.subarray(148, 156)) !== checksum(block)) return broken("a checksum in it is wrong");
  const size = readNumber(block.subarray(124, 136));
  const mode = readNumber(block.subarray(100, 108));
  const mtime = readNumber(block.subarray(136, 148));
  const name = readText(block.subarray(0, 100));
  // GNU's own form has other fields where POSIX keeps the beginning of a long path.
  const isPosix = Buffer.from(block.subarray(257, 263)).toString("latin1") === "ustar\0";
  const prefix = isPosix ? readText(block.subarray(345, 500)) : "";
  const target = readText(block.subarray(157, 257));
  if (size === undefined || mode === undefined || mtime === undefined) return broken("a number in it cannot be read");
  const type = String.fromCharCode(block[156] ?? 0);
  const path = prefix === "" ? name : `${prefix ?? ""}/${name ?? ""}`;
  return success({
    path: name === undefined || prefix === undefined ? undefined : path,
    size,
    mode,
    mtime,
    target,
    type,
  });
};

const checksum = (block: Uint8Array): number =>
  block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);

/** Octal digits, or base 256 behind a first bit; undefined for anything else. */
const readNumber = (field: Uint8Array): number | undefined => {
  const [first = 0] = field;
  if ((first & 0x80) !== 0) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const text = Buffer.from(field).toString("latin1").replaceAll("\0", " ").trim();
  return /^[0-7]*$/.test(text) ? Number.parseInt(text === "" ? "0" : text, 8) : undefined;
};

const readText = (field: Uint8Array): string | undefined => {
  const end = field.indexOf(0);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      end === -1 ? field : field.subarray(0, end),
    );
  } catch {
    // The decoder's one way to say that bytes are no UTF-8.
    return undefined;
  }
};

/** What a member says that only speaks of others; undefined = it is one itself. */
const readSpecial = (type: string, data: Uint8Array): Result<Overrides | undefined, PackageProblem> => {
  switch (type) {
    case "x":
      return readPax(data);
    case "g": {
      const pax = readPax(data);
      if (!pax.ok) return pax;
      const isHarmless = pax.value.path === undefined && pax.value.size === undefined;
      return isHarmless ? success({}) : failure({ kind: "hostile", why: "it gives one name to all of its files" });
    }
    case "L": {
      const path = readText(data);
      return path === undefined ? broken("a name in it is not UTF-8") : success({ path });
    }
    case "K": {
      const target = readText(data);
      return target === undefined ? broken("a name in it is not UTF-8") : success({ target });
    }
    default:
      return success(undefined);
  }
};

const readPax = (data: Uint8Array): Result<Overrides, PackageProblem> => {
  let found: Overrides = {};
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(0x20, at);
    const digits = space === -1 ? "" : Buffer.from(data.subarray(at, space)).toString("latin1");
    const length = /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : 0;
    const record = data.subarray(space + 1, at + length);
    if (length === 0 || at + length > data.length || record.at(-1) !== 0x0a)
      return broken("an extended header is wrong");
    at += length;
    const text = readText(record.subarray(0, -1));
    const equals = text?.indexOf("=") ?? -1;
    if (text === undefined || equals === -1) return broken("an extended header is wrong");
    const [key, value] = [text.slice(0, equals), text.slice(equals + 1)];
    if (key.startsWith("GNU.sparse.")) return broken("it holds a sparse file");
    if (key === "path") found = { ...found, path: value };
    if (key === "linkpath") found = { ...found, target: value };
    if (key === "size" && !/^\d{1,15}$/.test(value)) return broken("an extended header is wrong");
    if (key === "size") found = { ...found, size: Number(value) };
  }
  return success(found);
};

const OTHERS: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a device",
  "4": "a device",
  "6": "a pipe",
};

const entryOf = ({ path, type, mode, size, mtime, target }: Header, data: Uint8Array): TarEntry | undefined => {
  if (path === undefined || target === undefined) return undefined;
  const shared = { path, size, isExecutable: (mode & 0o111) !== 0, data, mode: mode & 0o7777, mtime, target };
  // Before POSIX a folder was a file whose name ends in a slash.
  if (type === "5" || (type === "\0" && path.endsWith("/"))) return { ...shared, kind: "folder" };
  if (type === "0" || type === "\0") return { ...shared, kind: "file" };
  return { ...shared, kind: "other", what: OTHERS[type] ?? "something that is no file" };
};
