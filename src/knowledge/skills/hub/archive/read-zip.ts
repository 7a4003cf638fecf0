import { crc32, inflateRaw } from "node:zlib";
import { promisify } from "node:util";
import { failure, type Result, success } from "../../../../base/result.ts";
import { PACKAGE_LIMITS, type PackageEntry } from "../package-file.ts";
import type { PackageProblem } from "../package-problem.ts";

/** A member of a zip archive. */
export interface ZipEntry extends PackageEntry {
  readonly isDeflated: boolean;
  readonly crc: number;
  /** As it stands in the archive. */
  readonly packed: Uint8Array;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const IS_ENCRYPTED = 1;
const UNIX = 3;

/**
 * The members of a zip archive as its central directory lists them. Strict: encrypted, split and zip64 archives, other methods than
 * "stored" and "deflated", and members that overlap or are named otherwise in their own header are problems. Paths are not checked.
 */
export const readZip = (bytes: Uint8Array): Result<readonly ZipEntry[], PackageProblem> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === undefined) return broken("its directory is missing");
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  if (count === 0xffff || start === 0xffffffff || view.getUint32(end + 4, true) !== 0) {
    return broken("it is split, or of the zip64 form");
  }
  if (count > PACKAGE_LIMITS.entries) {
    return failure({ kind: "large", why: `more than ${PACKAGE_LIMITS.entries} entries` });
  }
  const entries: ZipEntry[] = [];
  let packedTotal = 0;
  for (let index = 0, at = start; index < count; index += 1) {
    const member = readMember({ bytes, view, end }, at);
    if (!member.ok) return member;
    entries.push(member.value.entry);
    packedTotal += member.value.entry.packed.length;
    // Members that share bytes are how a small archive becomes petabytes.
    if (packedTotal > bytes.length) return failure({ kind: "hostile", why: "its files overlap" });
    at = member.value.next;
  }
  return success(entries);
};

/** The bytes of a member, unpacked; a size or checksum that is not as announced is a problem. */
export const unzipEntry = async (entry: ZipEntry): Promise<Result<Uint8Array, PackageProblem>> => {
  const wrong = broken("a file in it is damaged, or larger than it says");
  try {
    const data = entry.isDeflated
      ? await promisify(inflateRaw)(entry.packed, { maxOutputLength: Math.max(1, entry.size) })
      : entry.packed;
    return data.length === entry.size && crc32(data) === entry.crc ? success(data) : wrong;
  } catch {
    // zlib's two failures, damaged and too long, are one for us.
    return wrong;
  }
};

const broken = (why: string): Result<never, PackageProblem> => failure({ kind: "broken", why });

/** The end record: the last one whose comment reaches exactly to the end of the archive. */
const findEnd = (view: DataView): number | undefined => {
  for (let at = view.byteLength - END_BYTES; at >= 0 && at >= view.byteLength - END_BYTES - 0xffff; at -= 1) {
    const isEnd = view.getUint32(at, true) === END;
    if (isEnd && at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  return undefined;
};

interface Archive {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly end: number;
}

const readMember = (
  { bytes, view, end }: Archive,
  at: number,
): Result<{ readonly entry: ZipEntry; readonly next: number }, PackageProblem> => {
  if (at + CENTRAL_BYTES > end || view.getUint32(at, true) !== CENTRAL) return broken("its directory is damaged");
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const packedSize = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  const nameLength = view.getUint16(at + 28, true);
  const next = at + CENTRAL_BYTES + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  const attributes = view.getUint32(at + 38, true);
  const local = view.getUint32(at + 42, true);
  if (next > end) return broken("its directory is damaged");
  if ((flags & IS_ENCRYPTED) !== 0) return broken("it is encrypted");
  if (method !== 0 && method !== 8) return broken("it is packed in a way that is not read here");
  const rawName = bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength);
  const path = decode(rawName);
  if (path === undefined) return broken("a name in it is not UTF-8");
  const data = localData({ bytes, view, end }, { local, rawName, packedSize });
  if (data === undefined) return broken("its directory and its files differ");
  const mode = view.getUint8(at + 5) === UNIX ? attributes >>> 16 : 0;
  return success({
    next,
    entry: {
      path,
      ...kindOf(path, mode),
      size,
      isExecutable: (mode & 0o111) !== 0,
      isDeflated: method === 8,
      crc: view.getUint32(at + 16, true),
      packed: data,
    },
  });
};

const FILE_TYPE = 0o170000;
const FOLDER = 0o040000;
const FILE = 0o100000;
const LINK = 0o120000;

const kindOf = (path: string, mode: number): Pick<PackageEntry, "kind" | "what"> => {
  const type = mode & FILE_TYPE;
  if (path.endsWith("/") || type === FOLDER) return { kind: "folder" };
  if (type === LINK) return { kind: "other", what: "a symbolic link" };
  return type === 0 || type === FILE ? { kind: "file" } : { kind: "other", what: "something that is no file" };
};

interface Place {
  readonly local: number;
  readonly rawName: Uint8Array;
  readonly packedSize: number;
}

/** The packed bytes of a member; undefined when its own header is elsewhere or names something else. */
const localData = ({ bytes, view, end }: Archive, { local, rawName, packedSize }: Place): Uint8Array | undefined => {
  if (local + LOCAL_BYTES > end || view.getUint32(local, true) !== LOCAL) return undefined;
  const nameLength = view.getUint16(local + 26, true);
  const name = bytes.subarray(local + LOCAL_BYTES, local + LOCAL_BYTES + nameLength);
  const from = local + LOCAL_BYTES + nameLength + view.getUint16(local + 28, true);
  if (Buffer.compare(name, rawName) !== 0 || from + packedSize > end) return undefined;
  return bytes.subarray(from, from + packedSize);
};

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder's one way to say that bytes are no UTF-8.
    return undefined;
  }
};
