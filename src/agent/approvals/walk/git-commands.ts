import type { Word } from "../shell/expand-word.ts";
import { leadingOptions } from "./options.ts";

/** Git's options before the subcommand that have a value. */
const GLOBAL = {
  short: "Cc",
  long: ["--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix"],
};

/** `git -C there -c a=b push --force`: the subcommand and what follows it. */
export const gitSubcommand = (
  args: readonly Word[],
): { readonly name: string | undefined; readonly args: readonly Word[] } => {
  const { rest } = leadingOptions(args, GLOBAL);
  const name = args[rest];
  return { name: name?.kind === "static" ? name.value : undefined, args: args.slice(rest + 1) };
};

/** The shell texts that git runs: `-c alias.x=!text`, `submodule foreach text`, `rebase --exec text`, `bisect run words`, `filter-branch`. */
export const gitCommands = (args: readonly Word[]): readonly Word[] => [...configured(args), ...ofSubcommand(args)];

const configured = (args: readonly Word[]): readonly Word[] =>
  args.flatMap((word, index) => {
    const before = args[index - 1];
    if (before?.kind !== "static" || before.value !== "-c" || word.kind !== "static") return [];
    const match =
      /^(?:alias\.[^=]+=!|core\.(?:pager|editor|sshcommand|fsmonitor)=|sequence\.editor=|diff\.external=)(.*)$/is.exec(
        word.value,
      );
    return match === null ? [] : [{ kind: "static", value: match[1] ?? "" } as const];
  });

const ofSubcommand = (args: readonly Word[]): readonly Word[] => {
  const { name, args: rest } = gitSubcommand(args);
  switch (name) {
    case "submodule":
      return isWord(rest[0], "foreach") ? [joined(rest.slice(1).filter((word) => !isWord(word, "--recursive")))] : [];
    case "bisect":
      return isWord(rest[0], "run") ? [joined(rest.slice(1))] : [];
    case "rebase":
      return optionValues(rest, ["-x", "--exec"]);
    case "filter-branch":
      return optionValues(rest, [
        "--tree-filter",
        "--index-filter",
        "--msg-filter",
        "--env-filter",
        "--commit-filter",
        "--parent-filter",
        "--tag-name-filter",
      ]);
    default:
      return [];
  }
};

const isWord = (word: Word | undefined, value: string): boolean => word?.kind === "static" && word.value === value;

const optionValues = (args: readonly Word[], names: readonly string[]): readonly Word[] =>
  args.filter((_, index) => {
    const before = args[index - 1];
    return before?.kind === "static" && names.includes(before.value);
  });

const joined = (words: readonly Word[]): Word => {
  const text = words.map((word) => (word.kind === "static" ? word.value : word.text)).join(" ");
  return words.every((word) => word.kind === "static")
    ? { kind: "static", value: text }
    : { kind: "dynamic", text, guess: text, splits: false };
};
