import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../base/app-error.ts";

/** What became of a spool file. */
export type SpoolEnd =
  | { readonly kind: "unused" }
  | { readonly kind: "kept"; readonly path: string; readonly cutAtBytes: number | undefined }
  | { readonly kind: "failed"; readonly reason: string };

/** A file for output that is too long to be kept in memory. Never throws: a full disk must not end a command. */
export interface SpoolFile {
  write(bytes: Uint8Array): void;
  close(): SpoolEnd;
}

/** A file (0600) that is made at the first write and takes at most `limit` bytes. */
export const createSpoolFile = (path: string, limit: number): SpoolFile => {
  let fd: number | undefined;
  let size = 0;
  let cut = false;
  let failed: string | undefined;

  const put = (bytes: Uint8Array): void => {
    if (fd === undefined) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      fd = openSync(path, "w", 0o600);
    }
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    size += bytes.length;
  };
  return {
    write: (bytes) => {
      if (failed !== undefined) return;
      const fits = bytes.subarray(0, limit - size);
      cut ||= fits.length < bytes.length;
      if (fits.length === 0) return;
      try {
        put(fits);
      } catch (thrown) {
        failed = messageOf(thrown);
      }
    },
    close: () => {
      if (fd !== undefined) closeSync(fd);
      if (failed !== undefined) return { kind: "failed", reason: failed };
      return fd === undefined ? { kind: "unused" } : { kind: "kept", path, cutAtBytes: cut ? limit : undefined };
    },
  };
};
