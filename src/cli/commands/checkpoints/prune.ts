import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ExitCode } from "../../../base/app-error.ts";
import { absent } from "../../../base/system-error.ts";
import { notePruned, pruneStore } from "../../../agent/checkpoints/prune-store.ts";
import { checkpointsFolder, prunePolicy } from "../../../app/checkpoint-store.ts";
import type { CommandCall } from "../../command-call.ts";
import { confirm } from "../../confirm.ts";
import { formatBytes, plural } from "../../format.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { openApp } from "../../open-app.ts";
import { wholeNumber } from "../../whole-number.ts";
import { needStore, printJson } from "./context.ts";

const WAIT_MS = 60_000;
const MIB = 1024 * 1024;

/** `hermes checkpoints prune`: removes what the settings, or its options, do not let stay. */
export const runPrune = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  using interrupts = listenForInterrupts(output);
  const { signal } = interrupts;
  const store = needStore(app);
  const settings = prunePolicy(app);
  const number = (flag: string, key: string, usual: number): number =>
    flags[key] === undefined ? usual : wholeNumber(flag, flags[key]);
  const policy = {
    ...settings,
    retentionDays: number("--retention-days", "retentionDays", settings.retentionDays),
    maxTotalBytes: number("--max-size-mb", "maxSizeMb", settings.maxTotalBytes / MIB) * MIB,
    deleteOrphans: settings.deleteOrphans && flags["keepOrphans"] !== true,
  };
  const report = await store.alone("removing old checkpoints", { signal, waitMs: WAIT_MS }, async () => {
    const done = await pruneStore(store, policy, signal);
    await notePruned(store);
    return done;
  });
  if (flags.json === true)
    printJson(output, { checkpoints: report.snapshots, folders: report.projects, freed_bytes: report.freedBytes });
  else
    output.stdout(
      `${plural(report.snapshots, "checkpoint")} and ${plural(report.projects, "folder")} removed, ${formatBytes(report.freedBytes)} freed.\n`,
    );
  return 0;
};

/** `hermes checkpoints clear`: removes all. */
export const runClear = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  using interrupts = listenForInterrupts(output);
  const store = needStore(app);
  if (flags["force"] !== true && !(await confirm(output, "Remove every checkpoint?", "Removing checkpoints"))) return 1;
  await store.alone("removing all checkpoints", { signal: interrupts.signal, waitMs: WAIT_MS }, () =>
    rm(store.directory, { recursive: true, force: true }),
  );
  output.stdout("All checkpoints are removed.\n");
  return 0;
};

/** `hermes checkpoints clear-legacy`: removes the stores that older versions of the Python system kept one a folder. */
export const runClearLegacy = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const folder = checkpointsFolder(app);
  const names = ((await readdir(folder).catch(absent)) ?? []).filter((name) => name.startsWith("legacy-"));
  if (names.length === 0) {
    output.stdout("There are no stores of older versions.\n");
    return 0;
  }
  const question = `Remove ${names.join(", ")} in ${folder}?`;
  if (flags["force"] !== true && !(await confirm(output, question, "Removing old stores"))) return 1;
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
  output.stdout(`${plural(names.length, "store")} removed.\n`);
  return 0;
};
