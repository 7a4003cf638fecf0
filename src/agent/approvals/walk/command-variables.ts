import { quoteForBash } from "../../../base/shell-quote.ts";
import type { Word } from "../shell/expand-word.ts";
import { absolutePath } from "./paths.ts";
import { fileContent, runScriptFile } from "./run-script.ts";
import { copyScope } from "./scope.ts";
import type { Scope } from "./scope.ts";
import { doubt } from "./walker.ts";
import type { Flow, Walker } from "./walker.ts";

/** Variables whose value a program runs as a command. */
const COMMAND_VARIABLES = new Set(
  [
    "PROMPT_COMMAND EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE FCEDIT SYSTEMD_EDITOR SYSTEMD_PAGER SUDO_EDITOR",
    "GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS",
    "SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH SVN_SSH FZF_DEFAULT_COMMAND FZF_CTRL_T_COMMAND BAT_PAGER DELTA_PAGER",
    "PSQL_PAGER PSQL_EDITOR AWS_PAGER GH_PAGER GH_EDITOR GH_BROWSER KUBE_EDITOR",
  ]
    .join(" ")
    .split(" "),
);

/** Those that name a compiler or another tool of a build, which scripts set from one another all the time. */
const TOOL_VARIABLES = new Set(
  "CC CXX CPP LD AR AS FC NM RANLIB RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTDOC CARGO MAKE SHELL".split(" "),
);

/** Variables whose value is more arguments for a program. */
const ARGUMENT_VARIABLES: ReadonlyMap<string, string> = new Map([
  ["TAR_OPTIONS", "tar"],
  ["MANOPT", "man"],
  ["MAKEFLAGS", "make"],
  ["GOFLAGS", "go build"],
  ["LESS", "less"],
]);

/** Variables that name a script which a shell runs as it starts. */
const SCRIPT_VARIABLES = new Set(["BASH_ENV", "ENV"]);

/** Variables that make programs load code or take settings from elsewhere, and what of their values does so. */
const LOADER_VARIABLES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|PYTHONSTARTUP|PERL5DB|GCONV_PATH)$/, /./],
  [/^(?:GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG(?:_PARAMETERS|_COUNT|_GLOBAL|_SYSTEM)?)$/, /./],
  [/^NODE_OPTIONS$/, /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--env-file)/],
  [/^(?:PERL5OPT|RUBYOPT)$/, /-[Mmrex]/],
  [/^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|MAVEN_OPTS|GRADLE_OPTS|SBT_OPTS)$/, /agent/],
  [/^PS[0124]$/, /\$\(|`/],
  // Another home of the agent has other rules, and nobody is asked in the agent's name.
  [/^HERMES_(?:HOME|YOLO_MODE|PROFILE|EXEC_ASK|INTERACTIVE|IGNORE_USER_CONFIG)$/, /./],
];

/** Variables that name a folder in which programs look for start files and settings, and those of them that run code. */
const SETTINGS_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "HOME",
    ".bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .gitconfig .config/git/config .npmrc .hermes/config.yaml .ssh/config .vimrc".split(
      " ",
    ),
  ],
  ["XDG_CONFIG_HOME", ["git/config", "fish/config.fish", "nvim/init.vim", "nvim/init.lua"]],
  ["ZDOTDIR", [".zshrc", ".zshenv", ".zprofile"]],
]);

interface Setting {
  readonly name: string;
  readonly value: Word;
}

interface Place {
  readonly scope: Scope;
  readonly flow: Flow;
}

/** Follows what a variable's value makes a later program run. A command that is known only when it runs is a doubt. */
export const runVariable = (walker: Walker, setting: Setting, place: Place): void => {
  const { name, value } = setting;
  const text = value.kind === "static" ? value.value : value.text;
  if (
    LOADER_VARIABLES.some(([names, values]) => names.test(name) && values.test(text)) ||
    hasOwnSettings(walker, setting, place)
  )
    doubt(walker, place, { kind: "loader-variable", name });
  if (value.kind === "static" && ARITHMETIC_CODE.test(text)) doubt(walker, place, { kind: "unresolved-script", text });
  const scripts = scriptsOf(setting);
  // A copy for each of a shell's thousands of variables would take longer than all else.
  if (scripts.length === 0 && !SCRIPT_VARIABLES.has(name)) return;
  const flow = { ...place.flow, depth: place.flow.depth + 1 };
  for (const script of scripts) walker.script(script, copyScope(place.scope), flow);
  if (SCRIPT_VARIABLES.has(name))
    runScriptFile(walker, { path: value, positional: [], scope: copyScope(place.scope), flow });
};

/** Text that is a number to be computed, and runs a command in a subscript when it is: `a[$(command)]`. */
const ARITHMETIC_CODE = /^\s*(?:[\w$]+\s*[-+*/%<>=!&|^,?:(~]+\s*)*[A-Za-z_]\w*\[[^\]]*(?:\$\(|`)/;

/** The commands in a value. */
const scriptsOf = ({ name, value }: Setting): readonly string[] => {
  const text = knownText(value);
  if (text === undefined) return COMMAND_VARIABLES.has(name) ? [UNKNOWN_PROGRAM] : [];
  const program = ARGUMENT_VARIABLES.get(name);
  if (program !== undefined) return [`${program} ${wordsIn(text).map(quoteForBash).join(" ")}`];
  // A bar in front means that the program's output is read.
  return TOOL_VARIABLES.has(name) || COMMAND_VARIABLES.has(name) ? [text.replace(/^\s*\|{1,2}-?/, "")] : [];
};

/** The words of a value that the program splits itself: at blanks, unless a backslash or quotes protect them. */
const wordsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:\\.|'[^']*'|"[^"]*"|[^\s\\])+/gs)].map(([word]) => word.replaceAll(/\\(.)|['"]/gs, "$1"));

const UNKNOWN_PROGRAM = '"$command"';

/** `${EDITOR:-vim}` is taken for what it falls back to: the other value was set by the owner, or judged. */
const knownText = (value: Word): string | undefined => {
  if (value.kind === "static") return value.value;
  return /^\$\{\w+:?-[^}$`]*\}$/.test(value.text) ? value.guess : undefined;
};

/** Whether the agent has put start files or settings into the folder. */
const hasOwnSettings = (walker: Walker, { name, value }: Setting, { scope }: Place): boolean => {
  const files = SETTINGS_FOLDERS.get(name);
  if (files === undefined || value.kind === "dynamic" || value.value === walker.world.userHome) return false;
  return scope.cwd.values.some((cwd) => {
    const folder = absolutePath(value.value, cwd);
    return files.some((file) => fileContent(walker, absolutePath(file, folder)) !== undefined);
  });
};
