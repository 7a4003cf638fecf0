import { defineErrors } from "../../base/app-error.ts";

/** What checkpoints can fail with. */
export const checkpointErrors = defineErrors({
  noGit: {
    code: "checkpoint.no_git",
    message: () => "Checkpoints need the program git, and there is none on the PATH.",
    hint: () => "Install git, or switch checkpoints off (`hermes config set checkpoints.enabled false`).",
    exitCode: 1,
  },
  gitFailed: {
    code: "checkpoint.git_failed",
    message: (p: { command: string; why: string }) => `git ${p.command} failed in the checkpoint store: ${p.why}`,
    hint: () => "`hermes logs errors` has the details; `hermes checkpoints clear` begins with an empty store.",
    exitCode: 1,
  },
  tooManyFiles: {
    code: "checkpoint.too_many_files",
    message: (p: { root: string; limit: number }) => `${p.root} holds more than ${p.limit} files.`,
    hint: () => "Name what need not be kept in a .gitignore there.",
    exitCode: 1,
  },
  unknown: {
    code: "checkpoint.unknown",
    message: (p: { name: string }) => `There is no checkpoint ${p.name}.`,
    hint: () => "`hermes checkpoints list` shows them; in the chat: /rollback.",
    exitCode: 1,
  },
  notInCheckpoint: {
    code: "checkpoint.file_not_in_it",
    message: (p: { path: string }) =>
      `${p.path} is not in that checkpoint, and is not among the files that came after it.`,
    hint: () => "`hermes checkpoints diff N` shows what differs.",
    exitCode: 1,
  },
  rootGone: {
    code: "checkpoint.root_unusable",
    message: (p: { root: string; why: string }) => `${p.root} cannot be restored: ${p.why}`,
    hint: () => "Nothing was changed.",
    exitCode: 1,
  },
});
