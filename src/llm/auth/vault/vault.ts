import { readFileSync, statSync } from "node:fs";
import type { AppError } from "../../../base/app-error.ts";
import { messageOf } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import { fileStamp } from "../../../base/file-stamp.ts";
import { withProcessLock } from "../../../base/process-lock.ts";
import { removeAbandoned, writeSecretFile } from "../../../base/secret-file.ts";
import { authErrors } from "../errors.ts";
import { emptyVault, parseVault, renderVault, type VaultDocument } from "./vault-document.ts";

/** Where the credentials' file of a home is, and what it is locked with. */
export interface VaultOptions {
  /** `<home>/auth.json`. */
  readonly file: string;
  /** The home's `locks/`. */
  readonly locksDirectory: string;
  readonly clock: Clock;
}

/** What the file holds now. */
export type VaultRead =
  | { readonly kind: "document"; readonly document: VaultDocument }
  | { readonly kind: "broken"; readonly error: AppError };

/** How a change is waited for. */
export interface VaultWait {
  readonly signal?: AbortSignal | undefined;
  /** How long another process's change is waited for; default 15 s. */
  readonly timeoutMs?: number;
}

/** The one reader and the one writer of `auth.json` (R-CRED-3). */
export interface Vault {
  readonly options: VaultOptions;
  /** The content; the file is read only if it has changed since. Never throws. */
  read(): VaultRead;
  /**
   * Changes the file under the lock that all processes share: what `change` gets has just been read. Nothing is written where it
   * gives back what it got. Throws `auth.broken_file` (a file that does not parse is never written over), `lock.busy`,
   * `file.write_failed`, and what `change` throws; the file is then as before.
   */
  update(change: (document: VaultDocument) => VaultDocument, wait?: VaultWait): Promise<VaultDocument>;
}

/** A home with thousands of logins has some megabytes; what is larger is no such file. */
const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** Names the temporary files of this writer, so that those of killed processes can be told apart. */
const WRITER = "auth";

interface Snapshot {
  readonly stamp: string;
  readonly read: VaultRead;
}

/** Opens the file; nothing is read yet. */
export const createVault = (options: VaultOptions): Vault => {
  let last: Snapshot | undefined;
  const read = (): VaultRead => {
    const stamp = fileStamp(options.file);
    if (last?.stamp !== stamp) last = { stamp, read: readVault(options.file) };
    return last.read;
  };
  return {
    options,
    read,
    update: async (change, { signal, timeoutMs } = {}) => {
      const request = { directory: options.locksDirectory, name: "auth", clock: options.clock };
      const waiting = {
        ...(signal === undefined ? {} : { signal }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      };
      return await withProcessLock({ ...request, ...waiting, purpose: "changing the credentials" }, async () => {
        const before = readVault(options.file);
        if (before.kind === "broken") throw before.error;
        const after = change(before.document);
        if (after === before.document && !before.document.hadForeignSecrets) return after;
        const text = renderVault(after);
        // Whoever holds the lock is the only writer: what another one left is of a process that was killed.
        await removeAbandoned(options.file, WRITER);
        await writeSecretFile(options.file, text, { writer: WRITER });
        last = undefined;
        return { ...after, hadForeignSecrets: false };
      });
    },
  };
};

const readVault = (file: string): VaultRead => {
  const broken = (reason: string): VaultRead => ({ kind: "broken", error: authErrors.brokenFile({ file, reason }) });
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return { kind: "document", document: emptyVault() };
    if (!found.isFile()) return broken("is no ordinary file");
    if (found.size > LARGEST_FILE_BYTES) return broken(`is larger than ${LARGEST_FILE_BYTES} bytes`);
    const parsed = parseVault(readFileSync(file, "utf8"));
    return parsed.kind === "broken" ? broken(parsed.reason) : parsed;
  } catch (error) {
    return broken(`cannot be read: ${messageOf(error)}`);
  }
};
