import type { BeforeChange } from "../agent/before-change.ts";
import type { App } from "./app.ts";

/** What keeps folders before a session's calls change them; undefined where checkpoints are off. Nothing is loaded or run before the first change. */
export const sessionCheckpoints = (app: App, cwd: string): BeforeChange | undefined => {
  if (!app.config.section("checkpoints").enabled) return undefined;
  let made: Promise<BeforeChange> | undefined;
  return async (change, options) => {
    made ??= import("./checkpoint-store.ts").then(({ createSessionCheckpoints }) => createSessionCheckpoints(app, cwd));
    return await (
      await made
    )(change, options);
  };
};
