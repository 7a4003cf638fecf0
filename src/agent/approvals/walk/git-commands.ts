import type { Word } from "../shell/expand-word.ts";
import { allOptions, leadingOptions } from "./options.ts";
import { textOf } from "./resolved-command.ts";

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

const ALIAS_KEY = /^alias\..+$/i;

const commandIn = ({ key, value }: GitSetting): readonly Word[] => {
  if (value.kind === "dynamic") return RUN_KEY.test(key) || BANG_KEY.test(key) ? [value] : [];
  const text = value.value;
  if (text.startsWith("!") && BANG_KEY.test(key)) return [known(text.slice(1))];
  if (ALIAS_KEY.test(key)) return [known(`git ${text}`)];
  // `true` and `false` are no programs here; a helper is a name of git's own unless it is a path.
  if (!RUN_KEY.test(key) || /^(?:true|false|yes|no|on|off|\d*)$/i.test(text)) return [];
  if (/helper$/i.test(key) && !text.includes("/")) return [];
  return [value];
};

const configured = (args: readonly Word[]): readonly Word[] => {
  const settings = gitSettings(args);
  const { name, args: rest } = gitSubcommand(args);
  // `git -c alias.p=push p --force`
  const alias = settings.find(({ key }) => key.toLowerCase() === `alias.${name?.toLowerCase() ?? ""}`)?.value;
  const called =
    alias?.kind === "static" && !alias.value.startsWith("!") ? [joined([known("git"), alias, ...rest])] : [];
  return [...settings.flatMap(commandIn), ...called];
};

const known = (value: string): Word => ({ kind: "static", value });

interface GitSetting {
  readonly key: string;
  readonly value: Word;
}

const PAIR = /^([^=\s]+)=(.*)$/s;

/** `key=value` as one word. */
const settingIn = (word: Word): readonly GitSetting[] => {
  const [, key = "", value = ""] = PAIR.exec(textOf(word)) ?? [];
  if (key === "") return [];
  return [{ key, value: word.kind === "static" ? known(value) : { ...word, text: value } }];
};

/** What `-c key=value`, `--config key=value` and `git config key value` set. */
const gitSettings = (args: readonly Word[]): readonly GitSetting[] => {
  const given = args.flatMap((word, index) => {
    const before = args[index - 1];
    if (isWord(before, "-c") || isWord(before, "--config")) return settingIn(word);
    const inline = /^--config=(.*)$/s.exec(textOf(word))?.[1];
    return inline === undefined
      ? []
      : settingIn({ ...word, ...(word.kind === "static" ? { value: inline } : { text: inline }) });
  });
  const { name, args: rest } = gitSubcommand(args);
  if (name !== "config") return given;
  const { operands } = allOptions(rest, {
    short: "ft",
    long: ["--file", "--type", "--blob", "--default", "--comment"],
  });
  const words = isWord(operands[0], "set") ? operands.slice(1) : operands;
  const [key, value] = words;
  return key?.kind === "static" && value !== undefined ? [...given, { key: key.value, value }] : given;
};

/** A setting by which git finds programs, further settings or addresses elsewhere; undefined = none is set. */
export const gitPlaceSetting = (args: readonly Word[]): string | undefined => {
  const path = leadingOptions(args, GLOBAL).values.get("--exec-path");
  if (path !== undefined) return "--exec-path";
  const { values } = allOptions(args, { long: ["--config-env", "--template"] });
  const fromVariable = /^([^=]+)=/.exec(textOf(values.get("--config-env") ?? known("")))?.[1];
  if (fromVariable !== undefined && (RUN_KEY.test(fromVariable) || BANG_KEY.test(fromVariable))) return fromVariable;
  if (values.has("--template") && /^(?:init|clone)$/.test(gitSubcommand(args).name ?? "")) return "--template";
  return gitSettings(args).find(({ key }) => PLACE_KEY.test(key))?.key;
};

/** Long options whose value git runs. */
const PROGRAM_OPTIONS: readonly string[] = [
  "--upload-pack",
  "--receive-pack",
  "--exec",
  "--extcmd",
  "--smtp-server",
  "--sendmail-cmd",
  "--to-cmd",
  "--cc-cmd",
  "--header-cmd",
];

/** Letters with a value; the first one's value is run. */
const PROGRAM_LETTERS: ReadonlyMap<string, string> = new Map([
  ["difftool", "xt"],
  ["clone", "ubojc"],
  ["rebase", "xsXCS"],
]);

/** Programs in options, and in an address that git hands to one. */
const inOptions = (args: readonly Word[]): readonly Word[] => {
  const { name, args: rest } = gitSubcommand(args);
  const { values } = allOptions(rest, { short: PROGRAM_LETTERS.get(name ?? "") ?? "", long: PROGRAM_OPTIONS });
  const programs = [...values].flatMap(([option, value]) =>
    PROGRAM_OPTIONS.includes(option) || (PROGRAM_LETTERS.get(name ?? "") ?? "").startsWith(option) ? [value] : [],
  );
  const inside = rest.flatMap((word) => {
    if (word.kind !== "static") return [];
    const text =
      /^--open-files-in-pager=(.*)$/s.exec(word.value)?.[1] ??
      (name === "grep" ? /^-O(.+)$/s.exec(word.value)?.[1] : undefined) ??
      /^ext::(.*)$/s.exec(word.value)?.[1]?.replaceAll("% ", " ");
    return text === undefined ? [] : [{ kind: "static", value: text } as const];
  });
  return [...programs, ...inside];
};

const ofSubcommand = (args: readonly Word[]): readonly Word[] => {
  const { name, args: rest } = gitSubcommand(args);
  switch (name) {
    case "submodule":
      return foreach(rest);
    case "bisect":
      return isWord(rest[0], "run") ? [joined(rest.slice(1))] : [];
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

/** `git submodule --quiet foreach --recursive text`. */
const foreach = (args: readonly Word[]): readonly Word[] => {
  const words = args.slice(leadingOptions(args, {}).rest);
  if (!isWord(words[0], "foreach")) return [];
  const rest = words.slice(1);
  return [joined(rest.slice(leadingOptions(rest, {}).rest))];
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
