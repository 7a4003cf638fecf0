import { defineErrors } from "../../base/app-error.ts";
import { describeNotPending } from "./describe-not-pending.ts";

/** What commands about memory end with; the tool answers instead. */
export const memoryErrors = defineErrors({
  refused: {
    code: "memory.refused",
    message: (p: { why: string }) => p.why,
    exitCode: 1,
  },
  noFile: {
    code: "memory.no_file",
    message: (p: { path: string; why: string }) => `${p.path} ${p.why}`,
    hint: () => "Put an ordinary text file in its place, or move it away.",
    exitCode: 1,
  },
  unknownTarget: {
    code: "memory.unknown_target",
    message: (p: { given: string; known: string }) => `There is no memory file "${p.given}": ${p.known}.`,
    exitCode: 2,
  },
  nothingToUndo: {
    code: "memory.nothing_to_undo",
    message: () => "There is no change to undo.",
    hint: () => "`hermes memory history` lists the changes; `hermes memory undo N` takes back one of them.",
    exitCode: 1,
  },
  noChange: {
    code: "memory.no_change",
    message: (p: { id: number }) => `There is no change #${p.id}.`,
    hint: () => "`hermes memory history` lists the changes.",
    exitCode: 1,
  },
  notPending: {
    code: "memory.not_pending",
    message: (p: { id: number; state: string | undefined }) => describeNotPending(p.id, p.state),
    hint: () => "`hermes memory pending` lists what waits.",
    exitCode: 1,
  },
  editorFailed: {
    code: "memory.editor_failed",
    message: (p: { editor: string; reason: string; copy: string }) => `The editor (${p.editor}) ${p.reason}.`,
    hint: (p: { copy: string }) =>
      `Nothing was changed. What was written is in ${p.copy}. Set EDITOR to another editor.`,
    exitCode: 1,
  },
  editRejected: {
    code: "memory.edit_rejected",
    message: (p: { why: string; copy: string }) => p.why,
    hint: (p: { copy: string }) => `Your text is in ${p.copy}.`,
    exitCode: 1,
  },
});
