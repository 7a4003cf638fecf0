import { defineErrors } from "../base/app-error.ts";

/** What the command line itself refuses. */
export const cliErrors = defineErrors({
  unexpected: {
    code: "cli.unexpected",
    message: (p: { message: string }) => `Something went wrong that should not have: ${p.message}`,
    hint: () => "Run it again with --debug to see where, and please report it.",
    exitCode: 1,
  },
  usage: {
    code: "cli.usage",
    message: (p: { message: string }) => p.message,
    hint: () => "`hermes --help` lists the commands, `hermes COMMAND --help` their options.",
    exitCode: 2,
  },
  notBuilt: {
    code: "cli.not_in_this_version",
    message: (p: { what: string }) => `${p.what} is not in this version.`,
    hint: () => "`hermes --help` lists what is.",
    exitCode: 2,
  },
  needsTerminal: {
    code: "cli.needs_terminal",
    message: () => "The interactive chat needs a terminal on standard input and output.",
    hint: () => 'Ask one question with `hermes -z "…"` or `hermes chat -q "…"`.',
    exitCode: 2,
  },
  noModel: {
    code: "cli.no_model",
    message: (p: { why: string }) => `no model configured: ${p.why}`,
    hint: () =>
      "Set one: `hermes config set model.provider openrouter`, `hermes config set model.default MODEL`, `hermes config set OPENROUTER_API_KEY KEY`; or try `--provider practice`.",
    exitCode: 1,
  },
  emptyPrompt: {
    code: "cli.empty_prompt",
    message: () => "There is nothing to ask: the prompt is empty.",
    hint: () => 'Give it as `hermes -z "…"`, or pipe text into it.',
    exitCode: 2,
  },
  pipedTooLong: {
    code: "cli.piped_too_long",
    message: (p: { limit: number }) => `Standard input holds more than ${p.limit} bytes, too much for one prompt.`,
    hint: () => "Put it into a file and name the file in the prompt.",
    exitCode: 1,
  },
  sessionNotFound: {
    code: "cli.session_not_found",
    message: (p: { name: string; nearest: readonly string[] }) => `There is no session "${p.name}".`,
    hint: (p: { nearest: readonly string[] }) =>
      p.nearest.length === 0 ? "`hermes sessions list` shows them." : `Did you mean: ${p.nearest.join(", ")}?`,
    exitCode: 1,
  },
  sessionAmbiguous: {
    code: "cli.session_ambiguous",
    message: (p: { name: string; candidates: readonly string[] }) => `"${p.name}" names more than one session.`,
    hint: (p: { candidates: readonly string[] }) => `Type more of the id: ${p.candidates.join(", ")}.`,
    exitCode: 1,
  },
  titleTaken: {
    code: "cli.title_taken",
    message: (p: { title: string; by: string }) => `The title "${p.title}" belongs to session ${p.by}.`,
    hint: () => "Choose another one, or rename that session first.",
    exitCode: 1,
  },
  noSessions: {
    code: "cli.no_sessions",
    message: () => "There is no session to continue.",
    hint: () => "Start one with `hermes`.",
    exitCode: 1,
  },
  notConfirmed: {
    code: "cli.not_confirmed",
    message: (p: { what: string }) => `${p.what} needs a yes, and there is no terminal to ask on.`,
    hint: () => "Add --yes.",
    exitCode: 2,
  },
});
