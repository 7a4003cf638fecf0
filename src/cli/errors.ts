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
  unknownCommand: {
    code: "cli.unknown_command",
    message: (p: { name: string; group: string | undefined; nearest: string | undefined }) =>
      `There is no command "${p.group === undefined ? "" : `${p.group} `}${p.name}".`,
    hint: (p: { group: string | undefined; nearest: string | undefined }) => {
      if (p.nearest !== undefined) return `Did you mean \`hermes ${p.nearest}\`?`;
      return p.group === undefined
        ? '`hermes --help` lists them. To ask something: `hermes -z "…"`.'
        : `\`hermes ${p.group} --help\` lists them.`;
    },
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
  noDirectory: {
    code: "cli.no_directory",
    message: () => "The folder that this was started in does not exist any more.",
    hint: () => "Change to one that exists (`cd`) and try again.",
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
  noValue: {
    code: "cli.no_value",
    message: (p: { key: string; isSecret: boolean }) => `There is no value for ${p.key}.`,
    hint: (p: { key: string; isSecret: boolean }) =>
      p.isSecret
        ? `On a terminal \`hermes config set ${p.key}\` asks for it; from a file or command: \`… | hermes config set ${p.key} -\`.`
        : `\`hermes config set ${p.key} VALUE\`, or \`… | hermes config set ${p.key} -\`.`,
    exitCode: 2,
  },
  fallbackIsMain: {
    code: "cli.fallback_is_main",
    message: (p: { provider: string; model: string }) =>
      `${p.provider} ${p.model} is the model that answers already; it cannot take over from itself.`,
    hint: () => "Name another model; `hermes model list` shows which there are.",
    exitCode: 1,
  },
  valueTooLong: {
    code: "cli.value_too_long",
    message: (p: { limit: number }) => `Standard input holds more than ${p.limit} bytes, too much for one setting.`,
    exitCode: 1,
  },
  cannotWrite: {
    code: "cli.cannot_write",
    message: (p: { path: string; why: string }) => `${p.path} cannot be written: ${p.why}`,
    hint: () => "Choose another place; what was written so far is not the whole.",
    exitCode: 1,
  },
  titleTaken: {
    code: "cli.title_taken",
    message: (p: { title: string; by: string }) => `The title "${p.title}" belongs to session ${p.by}.`,
    hint: () => "Choose another one, or rename that session first.",
    exitCode: 1,
  },
  notConfirmed: {
    code: "cli.not_confirmed",
    message: (p: { what: string }) => `${p.what} needs a yes, and there is no terminal to ask on.`,
    hint: () => "Add --yes.",
    exitCode: 2,
  },
});
