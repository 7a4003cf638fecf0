import { quoteForBash } from "../../../base/shell-quote.ts";
import type { SavedShell, ShellState } from "../backend.ts";

/** A state larger than this is not kept: the shell holds data then, not settings. */
export const MAX_STATE_BYTES = 4 * 1024 * 1024;

/** What one shell is told to do. */
export interface ScriptSpec {
  readonly command: string;
  readonly state?: ShellState;
  readonly exports: Readonly<Record<string, string>>;
  readonly atExit:
    | { readonly kind: "save"; readonly what: "cwd" | "state" | "everything"; readonly path: string }
    /** Writes the directory, as the system itself calls it, into a file. */
    | { readonly kind: "note_directory"; readonly path: string }
    /** Writes the exit code into a file. */
    | { readonly kind: "note_code"; readonly path: string };
}

/** The arguments of a bash that reads its whole script from the named pipe. The command stands in no argument list. */
export const bashArguments = (scriptPath: string, interactive: boolean): readonly string[] => [
  "--noprofile",
  "--norc",
  ...(interactive ? ["-i"] : []),
  "-c",
  `eval "$(<${quoteForBash(scriptPath)})"`,
  // $0, the name in front of bash's own messages.
  "bash",
];

/**
 * The script of one command. The command is evaluated as one quoted word, so nothing in it (unclosed quotes, `exit`,
 * `set -e`, here-documents) reaches what stands around it. All else stands on its first line, so bash counts the
 * command's lines from 1, and `set -v` shows nothing of ours. `\builtin` and a backslash keep the user's functions and
 * aliases of the same names out.
 */
export const renderScript = (spec: ScriptSpec): Uint8Array => {
  const atExit = renderAtExit(spec.atExit);
  const onExit = `{ case \${__hermes_done-} in "") ${atExit};; esac; } 2>/dev/null`;
  const exports = Object.entries(spec.exports).map(
    ([name, value]) => `\\builtin export ${name}=${quoteForBash(value)}`,
  );
  const rest = [
    ...exports,
    `\\builtin trap ${quoteForBash(onExit)} EXIT`,
    `\\builtin eval ${quoteForBash(spec.command)}`,
    `{ __hermes_code=$?; } 2>/dev/null`,
    // The command may have set an EXIT trap of its own, which replaced ours and runs at `exit`.
    `{ ${atExit} || \\builtin :; \\builtin set +vx; __hermes_done=1; \\builtin exit "$__hermes_code"; } 2>/dev/null`,
  ];
  return Buffer.concat([
    Buffer.from("\\builtin shopt -s expand_aliases; "),
    ...(spec.state === undefined ? [] : [renderRestore(spec.state)]),
    Buffer.from(rest.join("; ")),
  ]);
};

// Attempts to set what is read-only in this shell would be reported.
const renderRestore = (state: ShellState): Uint8Array =>
  Buffer.concat([
    Buffer.from("\\exec 10>&2 2>/dev/null; \\builtin eval "),
    quoteOnOneLine(state.script),
    Buffer.from(`; ${renderOptions(state.options).join("; ")}; \\exec 2>&10 10>&-; `),
  ]);

/** Bytes as one word of bash without a line break. Latin-1 maps bytes to characters one to one. */
const quoteOnOneLine = (bytes: Uint8Array): Uint8Array => {
  const text = Buffer.from(bytes)
    .toString("latin1")
    .replace(/[\\']/g, String.raw`\$&`)
    .replaceAll("\n", String.raw`\n`);
  return Buffer.from(`$'${text}'`, "latin1");
};

/** Options of a fresh non-interactive bash. */
const DEFAULT_OPTIONS = ["braceexpand", "hashall", "interactive-comments"];
/**
 * Not carried to the next command: what would end or silence it without a word (`errexit`, `noexec`, `onecmd`), what only
 * fills its output (`xtrace`, `verbose`), and what belongs to interactive shells.
 */
const NOT_CARRIED = new Set(
  "errexit noexec onecmd xtrace verbose monitor history histexpand emacs vi ignoreeof notify privileged".split(" "),
);

const renderOptions = (options: readonly string[]): readonly string[] => {
  const on = options.filter((name) => !NOT_CARRIED.has(name) && !DEFAULT_OPTIONS.includes(name));
  const off = DEFAULT_OPTIONS.filter((name) => !options.includes(name));
  return [
    "\\builtin :",
    ...off.map((name) => `\\builtin set +o ${name}`),
    ...on.map((name) => `\\builtin set -o ${name}`),
  ];
};

// Opening a named pipe for both ends never waits; written to through the other end alone, a reader that died ends the shell.
// A subshell leaves the options as they are.
const renderAtExit = (atExit: ScriptSpec["atExit"]): string => {
  const path = quoteForBash(atExit.path);
  switch (atExit.kind) {
    case "note_directory":
      // Git's bash knows `-W`: `C:/Users` instead of `/c/Users`.
      return `( \\builtin pwd -W || \\builtin pwd ) >| ${path}`;
    case "note_code":
      // Not in a subshell, which would be the last command itself. A shell that a signal ends comes by here too, with the
      // code of its last command and that command's text: 0 counts where that is the outermost `eval`, left by `exit` alone.
      return `case \${__hermes_code-$?}:\${__hermes_code-$BASH_COMMAND} in 0:0|0:"eval "*|[!0]*) \\builtin printf %s "\${__hermes_code-$?}" >| ${path};; esac`;
    case "save":
      return `( __hermes_options=$SHELLOPTS; \\builtin set +euxvf; { { ${SAVE[atExit.what]}; } 10>&- >&11; } 10<> ${path} 11> ${path} )`;
  }
};

const END = "end";
const CWD = String.raw`\builtin pwd; \builtin printf "\0"`;
/** Variables that bash sets itself, or that mean nothing in another shell. */
const OWN_VARIABLES =
  "BASH|BASHOPTS|BASHPID|BASH_[!E]*|BASH_EXECUTION_STRING|COMP_*|DIRSTACK|EPOCH*|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|OPTERR|OPTIND|PIPESTATUS|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_|__hermes_*";
/**
 * Order matters when it is read again: `extglob` before functions; functions last, because they may have names of builtins,
 * and without alias expansion, which would change them. Read-only variables stay so.
 */
const STATE = [
  String.raw`\builtin set +o posix`,
  String.raw`\builtin shopt -p`,
  String.raw`\builtin compgen -v | while IFS= \builtin read -r __hermes_name; do case $__hermes_name in ${OWN_VARIABLES}) ;; *) \builtin declare -p "$__hermes_name";; esac; done`,
  String.raw`\builtin umask -p`,
  String.raw`\builtin alias -p`,
  String.raw`\builtin printf "%s\n" "\\builtin shopt -u expand_aliases"`,
  String.raw`\builtin declare -f`,
  String.raw`\builtin declare -Fx | while \builtin read -r _ _ __hermes_name; do \builtin printf "\\\\builtin export -f %q\n" "$__hermes_name"; done`,
  String.raw`\builtin printf "%s" "\\builtin "; \builtin shopt -p expand_aliases`,
  String.raw`\builtin printf "\0%s\0" "$__hermes_options"`,
].join("; ");
const EXPORTED = String.raw`\builtin compgen -e | while IFS= \builtin read -r __hermes_name; do \builtin printf "%s=%s\0" "$__hermes_name" "${"$"}{!__hermes_name}"; done`;

const SAVE = {
  cwd: `${CWD}; \\builtin printf ${END}`,
  state: `${CWD}; ${STATE}; \\builtin printf ${END}`,
  everything: `${CWD}; ${STATE}; ${EXPORTED}; \\builtin printf ${END}`,
} as const;

/**
 * Reads what a shell saved; undefined when it did not get to the end of it.
 */
export const parseSaved = (bytes: Buffer, what: "cwd" | "state" | "everything"): SavedShell | undefined => {
  const fields = splitAtNul(bytes);
  // `pwd` ends its line.
  const cwd = fields[0]?.toString("utf8").slice(0, -1) ?? "";
  if (!cwd.startsWith("/") || fields.at(-1)?.toString("latin1") !== END) return undefined;
  if (what === "cwd") return { cwd };
  const [, script, options] = fields;
  if (script === undefined || options === undefined) return undefined;
  const state: ShellState = { script, options: options.toString("latin1").split(":") };
  if (what === "state") return { cwd, state };
  const exported = fields.slice(3, -1).map((pair) => splitPair(pair.toString("utf8")));
  return { cwd, state, exported: Object.fromEntries(exported) };
};

const splitAtNul = (bytes: Buffer): readonly Buffer[] => {
  const fields: Buffer[] = [];
  let start = 0;
  for (let at = bytes.indexOf(0); at !== -1; at = bytes.indexOf(0, start)) {
    fields.push(bytes.subarray(start, at));
    start = at + 1;
  }
  return [...fields, bytes.subarray(start)];
};

const splitPair = (pair: string): readonly [string, string] => {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)];
};

/** The state without some variables; names that cannot be variables are passed over. */
export const withoutVariables = (state: ShellState, names: readonly string[]): ShellState => {
  const unset = names.filter((name) => /^[A-Za-z_]\w*$/.test(name)).map((name) => `\n\\builtin unset -v ${name}`);
  return { ...state, script: Buffer.concat([state.script, Buffer.from(unset.join(""))]) };
};
