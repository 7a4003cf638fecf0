import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../../../base/make-folder.ts";

/** One thing that was done, for the line that is kept of it. */
export interface AuditEntry {
  readonly action: "install" | "update" | "uninstall" | "archive" | "restore" | "recover";
  readonly name: string;
  /** Everything else worth keeping; no secret. */
  readonly facts: Readonly<Record<string, string | number>>;
}

/** Appends one line of JSON to `.hub/audit.log`. `now` in ms UTC. */
export const appendAudit = async (path: string, now: number, { action, name, facts }: AuditEntry): Promise<void> => {
  await makeFolder(dirname(path));
  await using file = await open(path, "a", 0o600);
  await file.appendFile(`${JSON.stringify({ time: new Date(now).toISOString(), action, name, ...facts })}\n`);
};
