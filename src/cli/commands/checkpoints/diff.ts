import { resolve } from "node:path";
import type { ExitCode } from "../../../base/app-error.ts";
import { diffAll, snapshotsSince } from "../../../agent/checkpoints/checkpoints.ts";
import type { CommandCall } from "../../command-call.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { openApp } from "../../open-app.ts";
import { checkpointsHere, namedEntry, needStore, printJson } from "./context.ts";

/** `hermes checkpoints diff N [FILE]`: what changed since, as a unified diff. */
export const runDiff = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  using interrupts = listenForInterrupts(output);
  const { signal } = interrupts;
  const store = needStore(app);
  const { max_snapshots: limit } = app.config.section("checkpoints");
  const entries = await checkpointsHere(app, store, { limit, signal });
  const snapshots = snapshotsSince(entries, namedEntry(entries, args[0]));
  const path = typeof args[1] === "string" ? resolve(args[1]) : undefined;
  const diff = await diffAll(store, snapshots, { path, signal });
  if (flags.json === true) printJson(output, { diff });
  else output.stdout(diff === "" ? "Nothing has changed since.\n" : diff);
  return 0;
};
