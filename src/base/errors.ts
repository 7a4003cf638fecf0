import { defineErrors } from "./app-error.ts";

/** What can go wrong in the base services. */
export const baseErrors = defineErrors({
  writeFailed: {
    code: "file.write_failed",
    message: (p: { path: string; why: string }) => `cannot write ${p.path}: ${p.why}`,
    hint: () => "check free space and permissions; the previous file is unchanged",
    exitCode: 1,
  },
  leadsElsewhere: {
    code: "file.leads_elsewhere",
    message: (p: { path: string }) => `${p.path} leads somewhere else than before`,
    hint: () => "something exchanged it for a link just now; look at it and try again",
    exitCode: 1,
  },
  lockName: {
    code: "lock.bad_name",
    message: (p: { name: string }) => `"${p.name}" cannot name a lock`,
    exitCode: 1,
  },
  lockBusy: {
    code: "lock.busy",
    message: (p: { name: string; holder: string }) => `"${p.name}" is in use by ${p.holder}`,
    hint: () => "wait until it is done, or stop that process",
    exitCode: 1,
  },
  lockUnusable: {
    code: "lock.unusable",
    message: (p: { path: string; why: string }) => `cannot lock ${p.path}: ${p.why}`,
    hint: (p: { why: string }) =>
      /disk is full|no space/i.test(p.why)
        ? "free some space"
        : "keep the home on a local disk; set HERMES_HOME to a directory on one",
    exitCode: 1,
  },
  unquotable: {
    code: "shell.unquotable",
    message: () => "a shell word cannot hold a NUL character",
    exitCode: 1,
  },
});
