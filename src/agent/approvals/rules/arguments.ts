import type { Word } from "../shell/expand-word.ts";
import { allOptions, leadingOptions } from "../walk/options.ts";
import type { OptionSyntax } from "../walk/options.ts";
import { argumentsOf, knownValues, textOf } from "../walk/resolved-command.ts";
import type { Doubt, ResolvedCommand } from "../walk/resolved-command.ts";
import type { Rule, RuleParams } from "./rule.ts";

/** Whether a command has one of the short flags, or a long one (GNU programs take unambiguous beginnings of those). */
export const hasFlag = (command: ResolvedCommand, names: readonly string[], syntax: OptionSyntax = {}): boolean =>
  allOptions(argumentsOf(command), syntax).flags.some((flag) =>
    names.some((name) => flag === name || (flag.startsWith("--") && name.startsWith(flag))),
  );

/** The words that are no options. */
export const operandsOf = (command: ResolvedCommand, syntax: OptionSyntax = {}): readonly Word[] =>
  allOptions(argumentsOf(command), syntax).operands;

/** The known operands' texts. */
export const operandTexts = (command: ResolvedCommand, syntax: OptionSyntax = {}): readonly string[] =>
  knownValues(operandsOf(command, syntax));

/** The known arguments' texts. */
export const argumentTexts = (command: ResolvedCommand): readonly string[] => knownValues(argumentsOf(command));

/** The command as one line, cut to what a message can hold. */
export const commandText = (command: ResolvedCommand): string => {
  const text = command.words.map(textOf).join(" ");
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
};

/** Whether the program is one of these. */
export const isProgram = (command: ResolvedCommand, ...names: readonly string[]): boolean =>
  command.program !== undefined && names.includes(command.program);

const SUDO_VALUES: OptionSyntax = {
  short: "ughpCrtTURD",
  long: [
    "--user",
    "--group",
    "--prompt",
    "--host",
    "--chdir",
    "--chroot",
    "--role",
    "--type",
    "--close-from",
    "--other-user",
    "--command-timeout",
  ],
};

/** Looks at sudo's own flags, not at those of the command that it runs. */
export const hasSudoFlag = (command: ResolvedCommand, names: readonly string[]): boolean =>
  isProgram(command, "sudo") &&
  leadingOptions(argumentsOf(command), SUDO_VALUES).flags.some((flag) => names.includes(flag));

/** Makes a rule's `matches` of a doubt that the walk left. */
export const matchesDoubt =
  <K extends Doubt["kind"]>(kind: K, params: (doubt: Extract<Doubt, { kind: K }>) => RuleParams): Rule["matches"] =>
  (command) => {
    const found = command.doubts.find((doubt): doubt is Extract<Doubt, { kind: K }> => doubt.kind === kind);
    return found === undefined ? undefined : params(found);
  };
