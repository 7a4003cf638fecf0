import { resolve } from "node:path";
import type { ExitCode } from "../../../base/app-error.ts";
import { restoreAll, snapshotsSince } from "../../../agent/checkpoints/checkpoints.ts";
import type { RestoreReport } from "../../../agent/checkpoints/restore-snapshot.ts";
import type { CommandCall } from "../../command-call.ts";
import { confirm } from "../../confirm.ts";
import { plural } from "../../format.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { openApp } from "../../open-app.ts";
import { checkpointsHere, namedEntry, needStore, printJson } from "./context.ts";

/** `hermes checkpoints restore N [FILE]`: files as they were then. The present is kept as a checkpoint first. */
export const runRestore = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  using interrupts = listenForInterrupts(output);
  const { signal } = interrupts;
  const store = needStore(app);
  const { max_snapshots: limit } = app.config.section("checkpoints");
  const entries = await checkpointsHere(app, store, { limit, signal });
  const entry = namedEntry(entries, args[0]);
  const snapshots = snapshotsSince(entries, entry);
  const path = typeof args[1] === "string" ? resolve(args[1]) : undefined;
  const what = path ?? snapshots.map(({ project }) => project.root).join(", ");
  if (flags["yes"] !== true) {
    const agreed = await confirm(output, `Bring ${what} back to checkpoint ${entry.number}?`, "Restoring");
    if (!agreed) return 1;
  }
  const deleteNew = flags["deleteNew"] === true;
  const reports = await restoreAll(store, { snapshots, path, deleteNew, session: "", signal });
  if (flags.json === true) printJson(output, reports.map(reportJson));
  else output.stdout(reports.map(reportText).join(""));
  return reports.some(({ blocked }) => blocked.length > 0) ? 1 : 0;
};

const reportJson = ({ root, kept, restored, removed, left, blocked }: RestoreReport) => ({
  folder: root,
  kept_commit: kept.commit,
  restored,
  removed,
  left,
  blocked,
});

const reportText = ({ root, restored, removed, left, blocked }: RestoreReport): string =>
  [
    `${root}: ${plural(restored.length, "path")} restored, ${removed.length} removed`,
    ...left.map((path) => `  left, though it was not there then: ${path} (--delete-new removes it)`),
    ...blocked.map(({ path, why }) => `  not restored: ${path}: ${why}`),
    "  What was there before is checkpoint 1 now.",
    "",
  ].join("\n");
