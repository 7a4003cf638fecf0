import { defineErrors } from "../base/app-error.ts";

/** What opening a session can fail with. */
export const sessionErrors = defineErrors({
  notFound: {
    code: "session.not_found",
    message: (p: { name: string; nearest: readonly string[] }) => `There is no session "${p.name}".`,
    hint: (p: { nearest: readonly string[] }) =>
      p.nearest.length === 0 ? "`hermes sessions list` shows them." : `Did you mean: ${p.nearest.join(", ")}?`,
    exitCode: 1,
  },
  ambiguous: {
    code: "session.ambiguous",
    message: (p: { name: string; candidates: readonly string[] }) => `"${p.name}" names more than one session.`,
    hint: (p: { candidates: readonly string[] }) => `Type more of the id: ${p.candidates.join(", ")}.`,
    exitCode: 1,
  },
  none: {
    code: "session.none",
    message: () => "There is no session to continue.",
    hint: () => "Start one with `hermes`.",
    exitCode: 1,
  },
});
