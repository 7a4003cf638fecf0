import { defineErrors } from "../../../base/app-error.ts";

/** What keeping skills in order can fail with. */
export const curatorErrors = defineErrors({
  noBackups: {
    code: "curator.no_backups",
    message: () => "There is no backup of the skills.",
    hint: () => "`hermes curator backup` makes one.",
    exitCode: 1,
  },
  unknownBackup: {
    code: "curator.unknown_backup",
    message: (p: { id: string; known: readonly string[] }) => `There is no backup "${p.id}".`,
    hint: (p: { known: readonly string[] }) =>
      p.known.length === 0 ? "`hermes curator backup` makes one." : `There are: ${p.known.join(", ")}.`,
    exitCode: 1,
  },
  brokenBackup: {
    code: "curator.broken_backup",
    message: (p: { path: string; why: string }) => `The backup ${p.path} cannot be used: ${p.why}.`,
    hint: () => "Nothing was changed. `hermes curator rollback --list` shows the others.",
    exitCode: 1,
  },
  backupFailed: {
    code: "curator.backup_failed",
    message: (p: { why: string }) => `The skills could not be backed up: ${p.why}`,
    hint: () => "Nothing was changed. Free some space, or look at the file that is named.",
    exitCode: 1,
  },
  rollbackFailed: {
    code: "curator.rollback_failed",
    message: (p: { why: string; backup: string }) => `The skills could not be exchanged: ${p.why}`,
    hint: (p: { backup: string }) =>
      `What is missing is put in place by the next command that changes skills; how it was before is in the backup ${p.backup}.`,
    exitCode: 1,
  },
});
