import type { Word } from "../shell/expand-word.ts";
import { allOptions, leadingOptions } from "./options.ts";

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

/**
 * The shell texts that git runs: `-c alias.x=!text`, `config core.pager text`, `submodule foreach text`, `rebase --exec text`,
 * `bisect run words`, `filter-branch`, `--upload-pack text`, `ext::text`.
 */
export const gitCommands = (args: readonly Word[]): readonly Word[] => [
  ...configured(args),
  ...ofSubcommand(args),
  ...inOptions(args),
];

/** Settings whose value git runs: always, or where it begins with `!`. */
const RUN_KEY =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|interactive\.difffilter|pager\..+|diff\.(?:external|.+\.(?:command|textconv))|(?:difftool|mergetool|man|browser|guitool)\..+\.cmd|(?:difftool|mergetool|man|browser)\..+\.path|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|gpg(?:\..+)?\.program|gpg\.ssh\.defaultkeycommand|remote\..+\.(?:uploadpack|receivepack)|uploadpack\.packobjectshook|sendemail\..*cmd|trailer\..+\.(?:command|cmd)|credential(?:\..+)?\.helper)$/i;
const BANG_KEY = /^(?:alias\..+|credential(?:\..+)?\.helper|submodule\..+\.update)$/i;

/** Settings that name where git finds programs or further settings. */
const PLACE_KEY =
  /^(?:core\.(?:hookspath|attributesfile|worktree)|include(?:if\..+)?\.path|init\.templatedir|url\..+\.(?:pushinsteadof|insteadof)|protocol\..*allow)$/i;

const commandIn = (key: string, value: string): readonly Word[] => {
  const isBang = value.startsWith("!");
  if (isBang && BANG_KEY.test(key)) return [{ kind: "static", value: value.slice(1) }];
  // `true` and `false` are no programs here; a helper is a name of git's own unless it is a path.
  if (!RUN_KEY.test(key) || /^(?:true|false|yes|no|on|off|\d*)$/i.test(value)) return [];
  if (/helper$/i.test(key) && !value.includes("/")) return [];
  return [{ kind: "static", value }];
};

const configured = (args: readonly Word[]): readonly Word[] =>
  gitSettings(args).flatMap(({ key, value }) => commandIn(key, value));

interface GitSetting {
  readonly key: string;
  readonly value: string;
}

/** What `-c key=value` and `git config key value` set. */
const gitSettings = (args: readonly Word[]): readonly GitSetting[] => {
  const given = args.flatMap((word, index) => {
    const before = args[index - 1];
    const pair = word.kind === "static" && isWord(before, "-c") ? /^([^=]+)=(.*)$/s.exec(word.value) : null;
    return pair === null ? [] : [{ key: pair[1] ?? "", value: pair[2] ?? "" }];
  });
  const { name, args: rest } = gitSubcommand(args);
  if (name !== "config") return given;
  const { operands } = allOptions(rest, {
    short: "ft",
    long: ["--file", "--type", "--blob", "--default", "--comment"],
  });
  const words = isWord(operands[0], "set") ? operands.slice(1) : operands;
  const [key, value] = words;
  return key?.kind === "static" && value?.kind === "static"
    ? [...given, { key: key.value, value: value.value }]
    : given;
};

/** A setting by which git finds programs, further settings or addresses elsewhere; undefined = none is set. */
export const gitPlaceSetting = (args: readonly Word[]): string | undefined => {
  const path = leadingOptions(args, GLOBAL).values.get("--exec-path");
  if (path !== undefined) return "--exec-path";
  return gitSettings(args).find(({ key }) => PLACE_KEY.test(key))?.key;
};

/** Programs in options, and in an address that git hands to one. */
const inOptions = (args: readonly Word[]): readonly Word[] => {
  const { name, args: rest } = gitSubcommand(args);
  const values = optionValues(rest, [
    "--upload-pack",
    "--receive-pack",
    "--extcmd",
    ...(name === "difftool" ? ["-x"] : []),
  ]);
  const inside = rest.flatMap((word) => {
    if (word.kind !== "static") return [];
    const text =
      /^--(?:upload-pack|receive-pack|exec|extcmd|open-files-in-pager)=(.*)$/s.exec(word.value)?.[1] ??
      (name === "grep" ? /^-O(.+)$/s.exec(word.value)?.[1] : undefined) ??
      /^ext::(.*)$/s.exec(word.value)?.[1]?.replaceAll("% ", " ");
    return text === undefined ? [] : [{ kind: "static", value: text } as const];
  });
  return [...values, ...inside];
};

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
