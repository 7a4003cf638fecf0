import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ExitCode } from "../../../base/app-error.ts";
import { withProcessLock } from "../../../base/process-lock.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { absent } from "../../../base/system-error.ts";
import { createMessageRedactor } from "../../../llm/redact-message.ts";
import { importState, type ImportEntry } from "../../../store/import/import-state.ts";
import { cleanText } from "../../chat/text-safety.ts";
import type { CommandCall } from "../../command-call.ts";
import { plural } from "../../format.ts";
import { openApp } from "../../open-app.ts";
import { importLock } from "./import-lock.ts";

/** `hermes sessions import`: copies what the Python system kept; exit code 1 where a session could not be copied. One import runs at a time. */
export const runImport = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const isDryRun = flags["dryRun"] === true;
  const path = typeof flags["from"] === "string" ? await databaseIn(flags["from"]) : app.paths.pythonDatabase;
  const masking = createMessageRedactor(app.redactor);
  const store = await app.store();
  await makeFolder(app.paths.scratch);
  const entries: ImportEntry[] = [];
  const found = importState({
    store,
    clock: app.clock,
    path,
    scratchDirectory: app.paths.scratch,
    isDryRun,
    maskText: (text) => app.redactor.text(text),
    maskMessage: (message) => masking.message(message),
  });
  const copyAll = async (): Promise<void> => {
    for await (const entry of found) {
      entries.push(entry);
      if (flags.json !== true) output.stdout(renderEntry(entry, isDryRun));
    }
  };
  const purpose = "importing sessions";
  if (isDryRun) await copyAll();
  else await withProcessLock({ ...importLock(app), clock: app.clock, timeoutMs: 0, purpose }, copyAll);
  const report = countEntries(entries);
  if (flags.json === true)
    output.stdout(`${JSON.stringify({ from: path, dry_run: isDryRun, ...report }, undefined, 2)}\n`);
  else output.stdout(renderSum(report, { path, isDryRun }));
  return report.failed.length > 0 ? 1 : 0;
};

const databaseIn = async (given: string): Promise<string> => {
  const path = resolve(given);
  const isFolder = (await stat(path).catch(absent))?.isDirectory() === true;
  return isFolder ? join(path, "state.db") : path;
};

const countEntries = (entries: readonly ImportEntry[]) => ({
  done: entries.flatMap(({ kind, ...entry }) => (kind === "done" ? [entry] : [])),
  skipped: entries.flatMap(({ kind, ...entry }) => (kind === "skipped" ? [entry] : [])),
  failed: entries.flatMap(({ kind, ...entry }) => (kind === "failed" ? [entry] : [])),
});

const renderEntry = (entry: ImportEntry, isDryRun: boolean): string => {
  if (entry.kind !== "done")
    return entry.kind === "failed" ? `✗ ${cleanText(entry.id)}: ${cleanText(entry.why)}\n` : "";
  const notes = entry.notes.length === 0 ? "" : ` (${entry.notes.join("; ")})`;
  const title = entry.title === null ? "" : `  ${cleanText(entry.title)}`;
  return `${isDryRun ? "would copy" : "✓"} ${entry.id}  ${plural(entry.messages, "message")}${title}${cleanText(notes)}\n`;
};

const renderSum = (
  { done, skipped, failed }: ReturnType<typeof countEntries>,
  { path, isDryRun }: { readonly path: string; readonly isDryRun: boolean },
): string => {
  const reasons = new Map<string, number>();
  for (const { why } of skipped.flatMap((entry) => ("why" in entry ? [entry] : [])))
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  const words = [...reasons].map(([why, times]) => `${times}: ${why}`).join("; ");
  return [
    `${isDryRun ? "Would copy" : "Copied"} ${plural(done.length, "session")} from ${path}.`,
    ...(skipped.length === 0 ? [] : [`${skipped.length} skipped (${words}).`]),
    ...(failed.length === 0 ? [] : [`${failed.length} failed.`]),
    "",
  ].join("\n");
};
