import { decodeAnsiC } from "../shell/ansi-c.ts";
import type { Word } from "../shell/expand-word.ts";
import type { Inner } from "./inner-command.ts";
import { allOptions, leadingOptions } from "./options.ts";
import type { OptionSyntax } from "./options.ts";
import { afterWord, joined, plain, withText } from "./wrapper.ts";
import type { Wrapper } from "./wrapper.ts";

/** Tmux's commands that run a text, and their options with a value. */
const TMUX_COMMANDS: ReadonlyMap<string, string> = new Map([
  ...["new-session", "new"].map((name) => [name, "cefFnstxy"] as const),
  ...["new-window", "neww"].map((name) => [name, "ceFnt"] as const),
  ...["split-window", "splitw"].map((name) => [name, "ceFlpt"] as const),
  ...["respawn-pane", "respawnp", "respawn-window", "respawnw"].map((name) => [name, "cet"] as const),
  ...["run-shell", "run"].map((name) => [name, "cdt"] as const),
  ...["if-shell", "if"].map((name) => [name, "t"] as const),
  ...["pipe-pane", "pipep"].map((name) => [name, "t"] as const),
  ...["display-popup", "popup"].map((name) => [name, "bcdehsStTwxy"] as const),
  ...["send-keys", "send"].map((name) => [name, "cNt"] as const),
]);

/** What `send-keys` takes for a key. */
const KEY = /^(?:Enter|Escape|Space|Tab|BSpace|Up|Down|Left|Right|Home|End|[CMS]-.+|F\d+)$/;

const tmux: Wrapper = {
  inner: (args) =>
    split(args.slice(leadingOptions(args, { short: "cfLST" }).rest)).flatMap(([verb, ...rest]) => {
      const short = verb?.kind === "static" ? TMUX_COMMANDS.get(verb.value) : undefined;
      if (short === undefined) return [];
      const words = rest.slice(leadingOptions(rest, { short }).rest);
      return words.filter((word) => word.kind !== "static" || !KEY.test(word.value)).flatMap((word) => joined([word]));
    }),
};

/** The commands between words that are a semicolon. */
const split = (words: readonly Word[]): readonly (readonly Word[])[] => {
  const at = words.findIndex((word) => word.kind === "static" && word.value === ";");
  return at === -1 ? [words] : [words.slice(0, at), ...split(words.slice(at + 1))];
};

/** `screen -dmS name command`, `screen -X stuff text`. */
const screen: Wrapper = {
  inner: (args, stdin) => {
    const syntax = { short: "cehpsStT" };
    const { flags, rest } = leadingOptions(args, syntax);
    if (!flags.includes("X")) return plain(syntax).inner(args, stdin);
    const [verb, ...words] = args.slice(rest);
    if (verb?.kind !== "static") return [];
    if (verb.value === "exec") return plain().inner(words, stdin);
    return verb.value === "stuff" ? words.flatMap((word) => joined([typed(word)])) : [];
  },
};

/** `\n` and `^M` press the key. */
const typed = (word: Word): Word =>
  word.kind === "static" ? { ...word, value: decodeAnsiC(word.value.replaceAll("^M", "\n")) } : word;

/** `entr -s text`, `entr command`. */
const entr: Wrapper = {
  inner: (args, stdin) => {
    const { flags, rest } = leadingOptions(args, {});
    return flags.includes("s") ? joined(args.slice(rest, rest + 1)) : plain().inner(args, stdin);
  },
};

const WATCHEXEC: OptionSyntax = {
  short: "wefidsEoSjNW",
  long: [
    "--watch",
    "--exts",
    "--filter",
    "--ignore",
    "--delay-run",
    "--signal",
    "--on-busy-update",
    "--shell",
    "--env",
  ],
};

/** Every operand is a text of its own: `concurrently 'npm run a' 'npm run b'`. */
const texts = (syntax: OptionSyntax, named: readonly string[] = []): Wrapper => ({
  inner: (args) => {
    const { operands, values } = allOptions(args, syntax);
    return [...named.flatMap((name) => values.get(name) ?? []), ...operands].map((text): Inner => ({
      kind: "text",
      text,
    }));
  },
});

const HYPERFINE: OptionSyntax = {
  short: "wmMrpcsLnuSPDN",
  long: [
    "--warmup",
    "--min-runs",
    "--max-runs",
    "--runs",
    "--prepare",
    "--cleanup",
    "--setup",
    "--conclude",
    "--parameter-list",
    "--command-name",
    "--shell",
    "--export-json",
    "--export-markdown",
  ],
};

/** `start-stop-daemon --start --exec program -- arguments`. */
const startStop: Wrapper = {
  inner: (args) => {
    const { values, operands } = allOptions(args, {
      short: "xanpucgksNdrRI",
      long: ["--exec", "--startas", "--name", "--pidfile", "--user", "--chuid", "--group", "--chdir"],
    });
    const program = ["a", "--startas", "x", "--exec"]
      .map((name) => values.get(name))
      .find((word) => word !== undefined);
    return program === undefined ? [] : [{ kind: "words", words: [program, ...operands] }];
  },
};

/** `runuser -u name -- command`; without `-u` its text stands in `-c`. */
export const runuser: Wrapper = {
  inner: (args, stdin) => {
    const syntax = { short: "cgGsuw", long: ["--command", "--shell", "--group", "--user"] };
    const { values } = leadingOptions(args, syntax);
    return values.has("u") || values.has("--user")
      ? plain(syntax).inner(args, stdin)
      : withText(["c", "--command"], syntax).inner(args, stdin);
  },
};

const PERF: OptionSyntax = { short: "eoFcpCtGgmrI", long: ["--event", "--output", "--freq", "--call-graph"] };

const perf: Wrapper = {
  inner: (args, stdin) => {
    const [verb, ...rest] = args;
    return verb?.kind === "static" && /^(?:record|stat|trace|mem|lock|sched|c2c|ftrace)$/.test(verb.value)
      ? plain(PERF).inner(rest, stdin)
      : [];
  },
};

/** `cmake -E rm file`: the same tools on every system. */
const CMAKE_TOOLS: ReadonlyMap<string, readonly string[]> = new Map([
  ["rm", ["rm"]],
  ["remove", ["rm", "-f"]],
  ["remove_directory", ["rm", "-r"]],
  ["copy", ["cp"]],
  ["copy_if_different", ["cp"]],
  ["copy_directory", ["cp", "-r"]],
  ["rename", ["mv"]],
  ["env", ["env"]],
  ["time", []],
]);

const cmake: Wrapper = {
  inner: (args) => {
    const [mode, tool, ...rest] = args;
    if (mode?.kind !== "static" || mode.value !== "-E" || tool?.kind !== "static") return [];
    const words = CMAKE_TOOLS.get(tool.value)?.map((value): Word => ({ kind: "static", value }));
    return words === undefined ? [] : [{ kind: "words", words: [...words, ...rest] }];
  },
};

/** Terminals, watchers, sandboxes and tracers that run a command which stands in their arguments. */
export const TERMINAL_WRAPPERS: readonly (readonly [string, Wrapper])[] = [
  ["tmux", tmux],
  ["screen", screen],
  ...[
    "xterm",
    "konsole",
    "gnome-terminal",
    "xfce4-terminal",
    "alacritty",
    "kitty",
    "foot",
    "urxvt",
    "st",
    "wezterm",
    "terminator",
  ].map((name) => [name, afterWord(["-e", "-x", "--", "--command"])] as const),
  ["entr", entr],
  ["watchexec", { inner: (args) => joined(args.slice(leadingOptions(args, WATCHEXEC).rest)) }],
  [
    "nodemon",
    withText(["x", "--exec"], { short: "xewid", long: ["--exec", "--ext", "--watch", "--ignore", "--delay"] }),
  ],
  ["concurrently", texts({ short: "nckpm", long: ["--names", "--prefix", "--prefix-colors", "--max-processes"] })],
  ["hyperfine", texts(HYPERFINE, ["p", "--prepare", "c", "--cleanup", "s", "--setup", "--conclude"])],
  ["start-stop-daemon", startStop],
  ["perf", perf],
  ["gdb", afterWord(["--args", "-args"])],
  ["sg", { inner: (args) => joined(args.filter((word) => word.kind !== "static" || word.value !== "-c").slice(1)) }],
  ...[
    "dbus-run-session",
    "dbus-launch",
    "fakeroot",
    "firejail",
    "catchsegv",
    "valgrind",
    "chronic",
    "ifne",
    "ts",
    "linux64",
    "linux32",
    "i386",
    "x86_64",
    "tini",
    "dumb-init",
    "run0",
    "prlimit",
  ].map((name) => [name, plain()] as const),
  ...["setarch", "faketime", "gosu", "su-exec"].map((name) => [name, plain({ skip: 1 })] as const),
  ...["ld.so", "ld-linux.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1"].map(
    (name) => [name, plain({ long: ["--library-path", "--preload", "--argv0", "--audit"] })] as const,
  ),
  ["xvfb-run", plain({ short: "enpsfw" })],
  ["nsenter", plain({ short: "tSG", long: ["--target", "--setuid", "--setgid"] })],
  ["pkexec", plain({ long: ["--user"] })],
  ["cmake", cmake],
  ["sshpass", plain({ short: "pfdeP" })],
  ["cgexec", plain({ short: "g" })],
  ["choom", plain({ short: "np" })],
  ["numactl", plain({ short: "NmCipl" })],
  ["rlwrap", plain({ short: "bCDfHlmMOpPqsStTw" })],
  ["ssh-agent", plain({ short: "aEtPO" })],
  ["systemd-inhibit", plain({ long: ["--what", "--who", "--why", "--mode"] })],
  ["wsl", plain({ short: "du", long: ["--distribution", "--user", "--cd"] })],
];
