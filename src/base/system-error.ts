/** The code of a failed system call (`ENOENT`, `EPIPE`, …) or of one of Node's own errors; undefined for anything else. */
export const systemErrorCode = (thrown: unknown): string | undefined =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;

/** Whether an operation failed because nothing is at the path. */
export const isMissing = (thrown: unknown): boolean => systemErrorCode(thrown) === "ENOENT";

/** For `.catch`: what is not there, or cannot be there because a file stands above it, is undefined; everything else stays an error. */
export const absent = (thrown: unknown): undefined => {
  if (isMissing(thrown) || systemErrorCode(thrown) === "ENOTDIR") return undefined;
  throw thrown;
};
