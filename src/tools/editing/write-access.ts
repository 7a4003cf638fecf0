import { access, constants } from "node:fs/promises";
import type { ToolContext, ToolResult } from "../../agent/tool.ts";
import { isMissing } from "../../base/system-error.ts";
import type { FileWriteDeps } from "../files/file-tool-deps.ts";
import { describeFileError } from "../files/open-regular.ts";
import { absolutePath, displayPath, hostFlavour, realPathOf } from "../resolve-path.ts";
import { denial, fault } from "../tool-answer.ts";

/** A path that is to be written. `real` has no links; `shown` is how it is named to the model. */
export interface WritablePath {
  readonly absolute: string;
  readonly real: string;
  readonly shown: string;
}

/** What a write is asked for. */
export interface WriteRequest {
  readonly path: string;
  /** The model says that it means another profile's home. */
  readonly crossProfile: boolean;
}

/** A path that may be written as far as this tool knows, or the result that refuses it. */
export type WriteAccess =
  | { readonly kind: "ok"; readonly path: WritablePath }
  | { readonly kind: "refused"; readonly result: ToolResult };

/**
 * Resolves a path for writing (links included, also for files that do not exist yet). Refuses other profiles' homes unless
 * the call names that intent, and read-only files. Protected places are `askWhereProtected`'s matter.
 */
export const resolveWritable = async (
  deps: FileWriteDeps,
  request: WriteRequest,
  cwd: string,
): Promise<WriteAccess> => {
  const absolute = absolutePath(request.path, { cwd, home: deps.home, flavour: hostFlavour() });
  if (absolute.kind === "invalid") return refused(fault(absolute.why));
  if (/[\\/]$/u.test(request.path)) return refused(fault(`${request.path} names a folder, not a file.`));
  const resolved = await realPathOf(absolute.path);
  if (resolved.kind === "invalid") return refused(fault(resolved.why));
  const path = { absolute: absolute.path, real: resolved.path, shown: displayPath(absolute.path, cwd) };
  const profile = deps.otherProfileOf(path.real);
  if (profile !== undefined && !request.crossProfile) {
    return refused(
      denial(
        `${path.shown} belongs to the profile "${profile}". If the person wants that, call again with cross_profile true.`,
      ),
    );
  }
  const readOnly = await whyReadOnly(path);
  return readOnly === undefined ? { kind: "ok", path } : refused(fault(readOnly));
};

const refused = (result: ToolResult): WriteAccess => ({ kind: "refused", result });

/** A rename would replace a read-only file whose folder is writable; its permission bits are respected instead. */
const whyReadOnly = async ({ real, shown }: WritablePath): Promise<string | undefined> => {
  try {
    await access(real, constants.W_OK);
    return undefined;
  } catch (error) {
    return isMissing(error) ? undefined : describeFileError(error, shown);
  }
};

/**
 * Asks the owner about each protected path, last thing before a write: so nobody is asked about a call that would fail anyway.
 * The first refusal is returned as the call's result.
 */
export const askWhereProtected = async (
  deps: FileWriteDeps,
  paths: readonly WritablePath[],
  context: ToolContext,
): Promise<ToolResult | undefined> => {
  for (const { absolute, real, shown } of paths) {
    const guarded = await deps.guard(absolute);
    if (guarded.kind === "ok") continue;
    const outcome = await context.approve({ kind: "write", path: real });
    if (outcome.kind === "refused") {
      return denial(`${shown} is protected (${guarded.why}), and writing it was refused: ${outcome.because}`);
    }
  }
  return undefined;
};
