import { access, constants } from "node:fs/promises";
import type { ToolContext, ToolResult } from "../../agent/tool.ts";
import type { FileWriteDeps } from "../files/file-tool-deps.ts";
import { describeFileError, isMissing } from "../files/open-regular.ts";
import { absolutePath, displayPath, hostFlavour, realPathOf } from "../resolve-path.ts";
import { denial, fault } from "../tool-answer.ts";

/** A path that may be written. `real` has no links; `shown` is how it is named to the model. */
export interface WritablePath {
  readonly real: string;
  readonly shown: string;
}

/** What a write is asked for. */
export interface WriteRequest {
  readonly path: string;
  /** The model says that it means another profile's home. */
  readonly crossProfile: boolean;
}

/** A path that may be written, or the result that refuses it. */
export type WriteAccess =
  | { readonly kind: "ok"; readonly path: WritablePath }
  | { readonly kind: "refused"; readonly result: ToolResult };

/**
 * Decides whether a path may be written: resolves it (links included, also for files that do not exist yet), keeps out of
 * other profiles' homes unless the call names that intent, and asks the owner for protected places.
 */
export const checkWriteAccess = async (
  deps: FileWriteDeps,
  request: WriteRequest,
  context: ToolContext,
): Promise<WriteAccess> => {
  const cwd = context.cwd();
  const absolute = absolutePath(request.path, { cwd, home: deps.home, flavour: hostFlavour() });
  if (absolute.kind === "invalid") return refused(fault(absolute.why));
  if (/[\\/]$/u.test(request.path)) return refused(fault(`${request.path} names a folder, not a file.`));
  const resolved = await realPathOf(absolute.path);
  if (resolved.kind === "invalid") return refused(fault(resolved.why));
  const real = resolved.path;
  const shown = displayPath(absolute.path, cwd);
  const profile = deps.otherProfileOf(real);
  if (profile !== undefined && !request.crossProfile) {
    return refused(
      denial(
        `${shown} belongs to the profile "${profile}". If the person wants that, call again with cross_profile true.`,
      ),
    );
  }
  const refusal = await askIfProtected(deps, { absolute: absolute.path, real, shown }, context);
  if (refusal !== undefined) return refused(denial(refusal));
  const readOnly = await whyReadOnly(real, shown);
  return readOnly === undefined ? { kind: "ok", path: { real, shown } } : refused(fault(readOnly));
};

const refused = (result: ToolResult): WriteAccess => ({ kind: "refused", result });

const askIfProtected = async (
  deps: FileWriteDeps,
  { absolute, real, shown }: { readonly absolute: string; readonly real: string; readonly shown: string },
  context: ToolContext,
): Promise<string | undefined> => {
  const guarded = await deps.guard(absolute);
  if (guarded.kind === "ok") return undefined;
  const outcome = await context.approve({ kind: "write", path: real });
  return outcome.kind === "allowed"
    ? undefined
    : `${shown} is protected (${guarded.why}), and writing it was refused: ${outcome.because}`;
};

/** A rename would replace a read-only file whose folder is writable; its permission bits are respected instead. */
const whyReadOnly = async (real: string, shown: string): Promise<string | undefined> => {
  try {
    await access(real, constants.W_OK);
    return undefined;
  } catch (error) {
    return isMissing(error) ? undefined : describeFileError(error, shown);
  }
};
