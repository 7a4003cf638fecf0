import type { Word } from "../shell/expand-word.ts";
import { leadingOptions } from "./options.ts";
import type { OptionSyntax } from "./options.ts";
import { fdCommands, findCommands } from "./find-commands.ts";
import { PACKAGE_RUNNERS } from "./package-runners.ts";
import { replaceIn } from "./inner-command.ts";
import { runuser, TERMINAL_WRAPPERS } from "./terminal-wrappers.ts";
import { afterWord, joined, plain, shifted, withText } from "./wrapper.ts";
import type { PlainSyntax, Wrapper } from "./wrapper.ts";

const SUDO: PlainSyntax = {
  short: "ughpCrtTURD",
  long: [
    "--user",
    "--group",
    "--host",
    "--prompt",
    "--close-from",
    "--role",
    "--type",
    "--chroot",
    "--chdir",
    "--other-user",
    "--command-timeout",
  ],
  assignments: true,
};

/** `sudo -s words` gives the words to a shell; without `-s` they are a command of their own. */
const sudo: Wrapper = {
  inner: (args, stdin) => {
    const { flags, rest } = leadingOptions(args, SUDO);
    const shell = flags.some((flag) => ["s", "i", "--shell", "--login"].includes(flag));
    return [...plain(SUDO).inner(args, stdin), ...(shell ? joined(args.slice(rest)) : [])];
  },
};

const ENV: PlainSyntax = { short: "uCSP", long: ["--unset", "--chdir", "--split-string"], assignments: true };

/** `env -S text` splits a text like a shell. */
const env: Wrapper = {
  inner: (args, stdin) => {
    const { values, rest } = leadingOptions(args, ENV);
    const text = values.get("S") ?? values.get("--split-string");
    // A lone dash means an empty environment.
    const lone = args[rest];
    const from = lone?.kind === "static" && lone.value === "-" ? rest + 1 : rest;
    if (text !== undefined) return joined([text, ...args.slice(from)]);
    return plain({ assignments: true })
      .inner(args.slice(from), stdin)
      .map((inner) => shifted(inner, from));
  },
};

const XARGS: OptionSyntax = {
  short: "InPLsdEa",
  long: ["--replace", "--max-args", "--max-procs", "--max-lines", "--max-chars", "--delimiter", "--arg-file"],
};

/** What comes from the input stands behind the command, or in the place of `-I`'s mark. */
const xargs: Wrapper = {
  inner: (args, stdin) => {
    const { values, rest } = leadingOptions(args, XARGS);
    const mark = values.get("I") ?? values.get("--replace");
    const added: readonly Word[] =
      stdin.kind === "text" && stdin.certain
        ? stdin.text
            .split(/\s+/)
            .filter(Boolean)
            .map((value) => ({ kind: "static", value: value.replaceAll(/["'\\]/g, "") }))
        : [{ kind: "dynamic", text: `"$input"`, guess: "", splits: true }];
    const words = args.slice(rest);
    // It prints then.
    if (words.length === 0) return [];
    if (mark?.kind !== "static" || mark.value === "")
      return [{ kind: "words", words: [...words, ...added], index: rest }];
    return added.map((item) => ({
      kind: "words",
      words: words.map((word) => replaceIn(word, mark.value, item)),
      index: rest,
    }));
  },
};

/** `parallel command ::: arguments`. */
const parallel: Wrapper = {
  inner: (args) => {
    const { rest } = leadingOptions(args, {
      short: "jNnIPSaLd",
      long: ["--jobs", "--arg-file", "--colsep", "--delay", "--joblog", "--results", "--sshlogin"],
    });
    const words = args.slice(rest);
    const split = words.findIndex((word) => word.kind === "static" && /^:::\+?$/.test(word.value));
    const command = split === -1 ? words : words.slice(0, split);
    const items =
      split === -1 ? [{ kind: "dynamic", text: `"$input"`, guess: "", splits: true } as const] : words.slice(split + 1);
    if (command.length === 0) return items.flatMap((item) => joined([item]));
    return items.flatMap((item) => {
      const filled = command.map((word) => replaceIn(word, "{}", item));
      const hasMark = command.some((word) => word.kind === "static" && word.value.includes("{}"));
      return joined(hasMark ? filled : [...filled, item]);
    });
  },
};

const WATCH: OptionSyntax = { short: "nq", long: ["--interval", "--equexit"] };

const watch: Wrapper = {
  inner: (args) => joined(args.slice(leadingOptions(args, WATCH).rest)),
};

const ssh: Wrapper = {
  remote: true,
  inner: (args) => joined(args.slice(leadingOptions(args, { short: "BbcDEeFIiJLlmOoPpQRSWw" }).rest + 1)),
};

const CONTAINER_OPTIONS: OptionSyntax = {
  short: "ewucvphlmn",
  long: [
    "--env",
    "--env-file",
    "--workdir",
    "--user",
    "--volume",
    "--name",
    "--network",
    "--entrypoint",
    "--mount",
    "--publish",
    "--platform",
    "--container",
    "--namespace",
    "--context",
    "--index",
    "--memory",
    "--cpus",
    "--label",
    "--file",
    "--project-name",
  ],
};

/** `docker exec box command`, `docker run image command`, `kubectl exec pod -- command`, `docker compose exec service command`. */
const container: Wrapper = {
  remote: true,
  inner: (args, stdin) => {
    const verb = args.findIndex((word) => word.kind === "static" && (word.value === "exec" || word.value === "run"));
    if (verb === -1) return [];
    const rest = args.slice(verb + 1);
    const dashes = rest.findIndex((word) => word.kind === "static" && word.value === "--");
    if (dashes !== -1) return plain().inner(rest.slice(dashes), stdin);
    return plain({ ...CONTAINER_OPTIONS, skip: 1 }).inner(rest, stdin);
  },
};

/** `command -v x` only looks a program up. */
const command: Wrapper = {
  inner: (args, stdin) =>
    leadingOptions(args, {}).flags.some((flag) => flag === "v" || flag === "V") ? [] : plain().inner(args, stdin),
};

/** Programs that run another one which stands in their own arguments. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["sudo", sudo],
  ["doas", plain({ short: "uCa" })],
  ["env", env],
  ["nohup", plain()],
  ["setsid", plain()],
  ["nice", plain({ short: "n", long: ["--adjustment"] })],
  ["ionice", plain({ short: "cnp", long: ["--class", "--classdata"] })],
  ["chrt", plain({ skip: 1 })],
  ["taskset", plain({ skip: 1 })],
  ["time", plain({ short: "fo", long: ["--format", "--output"] })],
  ["timeout", plain({ short: "ks", long: ["--kill-after", "--signal"], skip: 1 })],
  ["gtimeout", plain({ short: "ks", long: ["--kill-after", "--signal"], skip: 1 })],
  ["stdbuf", plain({ short: "ioe", long: ["--input", "--output", "--error"] })],
  ["unbuffer", plain()],
  ["strace", plain({ short: "oepsEauIP" })],
  ["ltrace", plain({ short: "oepsnauF" })],
  ["chroot", plain({ long: ["--groups", "--userspec"], skip: 1 })],
  ["unshare", plain({ short: "SGRw" })],
  ["setpriv", plain()],
  ["caffeinate", plain({ short: "tw" })],
  [
    "systemd-run",
    plain({
      short: "upEHMGt",
      long: ["--unit", "--property", "--setenv", "--working-directory", "--uid", "--gid", "--slice", "--on-active"],
    }),
  ],
  ["command", command],
  ["builtin", plain()],
  ["exec", plain({ short: "a" })],
  ["busybox", plain()],
  ["toybox", plain()],
  ["xargs", xargs],
  ["parallel", parallel],
  ["watch", watch],
  ["find", { inner: findCommands }],
  ["fd", { inner: fdCommands }],
  ["su", withText(["c", "--command"], { short: "cgGsw", long: ["--command", "--shell", "--group"] })],
  ["runuser", runuser],
  ["script", withText(["c", "--command"], { short: "cEIOBTm", long: ["--command"] })],
  [
    "flock",
    {
      inner: (args, stdin) => [
        ...plain({ short: "wEc", skip: 1 }).inner(args, stdin),
        ...withText(["c", "--command"], { short: "cwE", long: ["--command"] }).inner(args, stdin),
      ],
    },
  ],
  ["ssh", ssh],
  ["autossh", ssh],
  ["adb", { ...afterWord(["shell"]), remote: true }],
  ["vagrant", { ...withText(["c", "--command"], { short: "c", long: ["--command"] }), remote: true }],
  ["multipass", container],
  ["docker", container],
  ["podman", container],
  ["kubectl", container],
  ["docker-compose", container],
  ["lxc", container],
  ["incus", container],
  ...PACKAGE_RUNNERS,
  ...TERMINAL_WRAPPERS,
]);
