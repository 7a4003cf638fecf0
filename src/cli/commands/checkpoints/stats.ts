import type { ExitCode } from "../../../base/app-error.ts";
import { lastPrune, listProjects, storeBytes } from "../../../agent/checkpoints/prune-store.ts";
import { listSnapshots } from "../../../agent/checkpoints/snapshot-record.ts";
import type { CommandCall } from "../../command-call.ts";
import { displayZone } from "../../display-zone.ts";
import { formatBytes, formatTime, plural } from "../../format.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { openApp } from "../../open-app.ts";
import { needStore, printJson } from "./context.ts";

/** `hermes checkpoints status`: how many, of which folders, how large. */
export const runStats = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  using interrupts = listenForInterrupts(output);
  const store = needStore(app);
  const { enabled } = app.config.section("checkpoints");
  const projects: { folder: string; checkpoints: number; last_touch: string }[] = [];
  for (const { project, file } of await listProjects(store.directory)) {
    const snapshots = await listSnapshots(store, project, { signal: interrupts.signal });
    const lastTouch = new Date(file.last_touch * 1000).toISOString();
    projects.push({ folder: project.root, checkpoints: snapshots.length, last_touch: lastTouch });
  }
  const bytes = await storeBytes(store.directory);
  const pruned = await lastPrune(store.directory);
  if (flags.json === true) {
    const lastPruned = pruned === 0 ? null : new Date(pruned).toISOString();
    printJson(output, { enabled, store: store.directory, bytes, last_prune: lastPruned, projects });
    return 0;
  }
  const zone = displayZone(app, output);
  const count = projects.reduce((sum, { checkpoints }) => sum + checkpoints, 0);
  output.stdout(
    [
      `checkpoints are ${enabled ? "on" : "off"}`,
      `${plural(count, "checkpoint")} of ${plural(projects.length, "folder")}, ${formatBytes(bytes)} in ${store.directory}`,
      pruned === 0 ? "never pruned" : `pruned ${formatTime(pruned, zone)}`,
      ...projects.map(({ folder, checkpoints }) => `  ${folder}: ${checkpoints}`),
      "",
    ].join("\n"),
  );
  return 0;
};
