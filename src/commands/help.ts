import { type Command, type CommandInfo, defineCommand, errorResult, textResult } from "./command.ts";
import { matchCommand } from "./match-command.ts";

const usageOf = (command: CommandInfo): string =>
  command.argsHint === "" ? `/${command.name}` : `/${command.name} ${command.argsHint}`;

const describe = (command: CommandInfo): string => {
  const aliases =
    command.aliases.length === 0 ? [] : [`Also: ${command.aliases.map((alias) => `/${alias}`).join(", ")}`];
  const during = command.during === "idle" ? ["Not while a turn runs."] : [];
  return [usageOf(command), command.description, ...aliases, ...during].join("\n");
};

/** `/help [command]` over the given commands; it lists itself too. */
export const createHelp = (others: readonly Command[]): Command => {
  const help: Command = defineCommand({
    name: "help",
    argsHint: "[command]",
    description: "List the commands, or explain one",
    during: "any",
    run: async ({ args }) => {
      const all = [help, ...others];
      if (args === "") {
        return {
          kind: "table",
          columns: ["command", "does"],
          rows: all.map((command) => [
            [usageOf(command), ...command.aliases.map((alias) => `/${alias}`)].join(", "),
            command.description,
          ]),
          note: "The beginning of a name is enough; of several the first in this list is meant. /new, /clear and /undo ask first; `now` at the end skips the question.",
        };
      }
      const match = matchCommand(args.replace(/^\//u, ""), all);
      if (match.kind === "found") return textResult(describe(match.command));
      return errorResult(
        `There is no command "${args}"`,
        match.nearest === undefined ? "/help lists them." : `Did you mean /${match.nearest}?`,
      );
    },
  });
  return help;
};
