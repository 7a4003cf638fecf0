import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { failure, type Result, success } from "../../../../base/result.ts";
import { systemErrorCode } from "../../../../base/system-error.ts";
import { PACKAGE_LIMITS, type PackageListing } from "../package-file.ts";
import type { PackageProblem } from "../package-problem.ts";
import { readTar } from "./read-tar.ts";
import { readZip, unzipEntry } from "./read-zip.ts";

/** An archive by what it holds, not by its name: tar, tar packed with gzip, or zip. Nothing is extracted. */
export const openArchive = async (bytes: Uint8Array): Promise<Result<PackageListing, PackageProblem>> => {
  if (startsWith(bytes, [0x50, 0x4b])) return openZip(bytes);
  if (!startsWith(bytes, [0x1f, 0x8b])) return openTar(bytes);
  const unpacked = await unpack(bytes);
  return unpacked.ok ? openTar(unpacked.value) : unpacked;
};

const startsWith = (bytes: Uint8Array, beginning: readonly number[]): boolean =>
  beginning.every((byte, index) => bytes[index] === byte);

const unpack = async (bytes: Uint8Array): Promise<Result<Uint8Array, PackageProblem>> => {
  try {
    return success(await promisify(gunzip)(bytes, { maxOutputLength: PACKAGE_LIMITS.bytes }));
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ERR_BUFFER_TOO_LARGE") return failure(tooLarge);
    return failure({ kind: "broken", why: "its gzip data is damaged" });
  }
};

const tooLarge: PackageProblem = {
  kind: "large",
  why: `more than ${PACKAGE_LIMITS.bytes / 1024 / 1024} MiB when it is unpacked`,
};

const openTar = (bytes: Uint8Array): Result<PackageListing, PackageProblem> => {
  const isTar = Buffer.from(bytes.subarray(257, 262)).toString("latin1") === "ustar";
  if (!isTar) return failure({ kind: "broken", why: "it is neither tar (with or without gzip) nor zip" });
  const entries = readTar(bytes);
  if (!entries.ok) return entries;
  const data = new Map(entries.value.map((entry) => [entry.path, entry.data]));
  return success({
    entries: entries.value,
    read: (wanted) => Promise.resolve(success(wanted.map(({ path }) => data.get(path) ?? new Uint8Array()))),
  });
};

const openZip = (bytes: Uint8Array): Result<PackageListing, PackageProblem> => {
  const entries = readZip(bytes);
  if (!entries.ok) return entries;
  const members = new Map(entries.value.map((entry) => [entry.path, entry]));
  return success({
    entries: entries.value,
    read: async (wanted) => {
      const found: Uint8Array[] = [];
      for (const { path } of wanted) {
        const member = members.get(path);
        if (member === undefined) return failure({ kind: "broken", why: `it has no ${path}` });
        const data = await unzipEntry(member);
        if (!data.ok) return data;
        found.push(data.value);
      }
      return success(found);
    },
  });
};
