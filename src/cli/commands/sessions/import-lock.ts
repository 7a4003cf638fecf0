import type { App } from "../../../app/app.ts";

/**
 * The lock of whoever brings sessions in, or removes deleted ones for good: to each, what the other has not finished looks like
 * what a crash left.
 */
export const importLock = ({ paths }: Pick<App, "paths">): { readonly directory: string; readonly name: string } => ({
  directory: paths.locks,
  name: "session-import",
});
