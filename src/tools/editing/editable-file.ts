import { describeFileError, openRegular } from "../files/open-regular.ts";
import { readAll } from "../files/read-page.ts";
import { decodeFile } from "../files/text-file.ts";
import type { DecodedText } from "../files/text-file.ts";
import { hashOf } from "../file-state.ts";
import type { FileFingerprint } from "../file-state.ts";

/** Larger files are not edited by these tools: whole content is held in memory several times over. */
const MAX_EDITABLE_BYTES = 16 * 1024 * 1024;

/** A file as it is before a write. */
export interface ExistingFile {
  readonly kind: "file";
  readonly bytes: Buffer;
  /** Permission bits. */
  readonly mode: number;
  readonly fingerprint: FileFingerprint;
  /** Undefined where the bytes are no text, or text that could not be written back unchanged; `notText` says what they are. */
  readonly text: DecodedText | undefined;
  readonly notText: string | undefined;
}

/** What stands where a tool wants to write. `problem.why` is one sentence for the model. */
export type WriteTarget =
  | ExistingFile
  | { readonly kind: "absent" }
  | { readonly kind: "problem"; readonly why: string };

/** Loads what a write would change. `shown` is how the path is named in problems. */
export const loadWriteTarget = async (real: string, shown: string): Promise<WriteTarget> => {
  const opened = await openRegular(real);
  if (opened.kind === "missing") return { kind: "absent" };
  if (opened.kind === "directory") return { kind: "problem", why: `${shown} is a folder.` };
  if (opened.kind === "problem") return opened;
  const { handle, stats } = opened;
  try {
    if (stats.size > MAX_EDITABLE_BYTES)
      return { kind: "problem", why: `${shown} is larger than 16 MB. Change it with a program in the terminal.` };
    const bytes = await readAll(handle);
    return {
      kind: "file",
      bytes,
      mode: stats.mode & 0o7777,
      fingerprint: { size: stats.size, modified: stats.mtimeMs, hash: hashOf(bytes) },
      ...decodeForEdit(bytes),
    };
  } catch (error) {
    return { kind: "problem", why: describeFileError(error, shown) };
  } finally {
    await handle.close();
  }
};

const decodeForEdit = (bytes: Buffer): Pick<ExistingFile, "text" | "notText"> => {
  const decoded = decodeFile(bytes);
  switch (decoded.kind) {
    case "text":
      return { text: decoded, notText: undefined };
    case "lossy":
      return { text: undefined, notText: "text in an encoding other than UTF-8" };
    case "binary":
    default:
      return { text: undefined, notText: decoded.type };
  }
};
