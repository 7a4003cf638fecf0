import type { ExitCode } from "../../../base/app-error.ts";
import type { CheckpointEntry } from "../../../agent/checkpoints/checkpoints.ts";
import type { CommandCall } from "../../command-call.ts";
import { displayZone } from "../../display-zone.ts";
import { formatTime, plural } from "../../format.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { openApp } from "../../open-app.ts";
import { renderTable } from "../../table.ts";
import { wholeNumber } from "../../whole-number.ts";
import { checkpointsHere, needStore, printJson } from "./context.ts";

/** `hermes checkpoints list`: those of the current folder's project, newest first. */
export const runList = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  const limit = wholeNumber("--limit", flags["limit"]);
  await using app = openApp(flags);
  using interrupts = listenForInterrupts(output);
  const entries = await checkpointsHere(app, needStore(app), { limit, signal: interrupts.signal });
  if (flags.json === true) {
    printJson(output, entries.map(checkpointJson));
    return 0;
  }
  if (entries.length === 0) {
    const { enabled } = app.config.section("checkpoints");
    output.stdout(
      enabled
        ? "No checkpoints of this folder.\n"
        : "No checkpoints of this folder. They are off: `hermes config set checkpoints.enabled true`.\n",
    );
    return 0;
  }
  const zone = displayZone(app, output);
  const rows = entries.map((entry) => [
    String(entry.number),
    formatTime(entry.at, zone, "medium"),
    entry.kind === "restore" ? "before a restore" : plural(entry.touched.length, "path"),
    entry.summary,
  ]);
  const columns = [
    { heading: "#", align: "right" as const },
    { heading: "TAKEN" },
    { heading: "CHANGED AFTER" },
    { heading: "BEFORE" },
  ];
  output.stdout(renderTable(columns, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
  return 0;
};

const checkpointJson = ({ number, at, kind, turn, session, summary, snapshots, touched }: CheckpointEntry) => ({
  number,
  at: new Date(at).toISOString(),
  kind,
  turn: turn === "" ? null : turn,
  session: session === "" ? null : session,
  summary,
  folders: snapshots.map(({ project, commit }) => ({ folder: project.root, commit })),
  touched,
});
