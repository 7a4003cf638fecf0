import type { Word } from "../shell/expand-word.ts";
import { allOptions } from "./options.ts";
import { knownValues } from "./resolved-command.ts";
import { tarOptions } from "./tar-options.ts";

/** Where a program takes a shell text, or a program's name, among its options. */
interface TextOptions {
  /** Letters, and long options, whose value is such a text. */
  readonly texts?: readonly string[];
  /** All letters with a value. */
  readonly short?: string;
  /** Words that hold the text themselves, as the first group that takes part. */
  readonly inside?: RegExp;
}

const SSH_SETTING = /^(?:-[A-Za-z]*o)?\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.*)$/is;
const COPY_OVER_SSH: TextOptions = { texts: ["S"], short: "BcDFiJloPRsSX", inside: SSH_SETTING };
const TAR: TextOptions = { inside: /^--checkpoint-act\w*=exec=(.*)$/s };
const VIM: TextOptions = { inside: /^(?:\+|:|-c|--cmd)*:*!(.*)$/s };
const NETCAT: TextOptions = { texts: ["e", "c", "--exec", "--sh-exec"], short: "ecghiIopqsTVwWxXmd" };
const GO: TextOptions = { texts: ["-exec", "-toolexec"], inside: /^--?(?:exec|toolexec)=(.*)$/s };
const APT: TextOptions = { inside: /^(?:-o)?\s*[\w:-]+Invoke[\w:]*=(.*)$/is };
const YOUTUBE: TextOptions = { texts: ["--exec", "--exec-before-download"] };

/** Programs that hand a text in their options to a shell, or run the program that it names. */
const TEXT_OPTIONS: ReadonlyMap<string, TextOptions> = new Map<string, TextOptions>([
  ["ssh", { inside: SSH_SETTING }],
  ["scp", COPY_OVER_SSH],
  ["sftp", COPY_OVER_SSH],
  ["rsync", { texts: ["e", "--rsh", "--rsync-path"], short: "efTBM" }],
  ["tar", TAR],
  ["gtar", TAR],
  ["bsdtar", TAR],
  ["man", { texts: ["P", "H", "--pager", "--html"], short: "PCLmMSsErRpT" }],
  ["less", { inside: /^\++!(.*)$/s }],
  ["zip", { texts: ["-TT", "--unzip-command"] }],
  ["split", { texts: ["--filter"] }],
  ["sort", { texts: ["--compress-program"] }],
  ["mapfile", { texts: ["C"], short: "CcdnOsu" }],
  ["readarray", { texts: ["C"], short: "CcdnOsu" }],
  ["compgen", { texts: ["C"], short: "oAGWFCXPS" }],
  ["ansible", { texts: ["a", "--args"], short: "aimMutTBPfleCcD" }],
  ["systemd-run", { inside: /^(?:-p|--property=)?Exec\w+=[-+!@:]*(.*)$/s }],
  ["complete", { texts: ["C"], short: "oAGWFCXPS" }],
  ["bind", { inside: /^[^:]*:\s*(.*)$/s }],
  ...["vim", "vi", "nvim", "gvim", "view", "vimdiff", "ex"].map((name) => [name, VIM] as const),
  ["sed", { inside: /^\d*e\s+(.*)$/s }],
  [
    "fzf",
    { texts: ["--preview"], inside: /(?:execute|execute-silent|reload|become|preview|transform)[([:](.*?)[)\]]?$/s },
  ],
  ["rg", { texts: ["--pre"] }],
  ["bat", { texts: ["--pager"] }],
  ["mysql", { texts: ["--pager"] }],
  ["nc", NETCAT],
  ["netcat", NETCAT],
  ["ncat", NETCAT],
  ["socat", { inside: /^(?:EXEC|SYSTEM|SHELL):"?([^",]*)/is }],
  ["go", GO],
  ["gcc", { texts: ["-wrapper"] }],
  ["aria2c", { inside: /^--on-[\w-]+=(.*)$/s }],
  ["yt-dlp", YOUTUBE],
  ["youtube-dl", YOUTUBE],
  ["wget", { texts: ["--use-askpass"], inside: /^(?:-e|--execute=)?\s*use_askpass\s*=\s*(.*)$/s }],
  ["apt", APT],
  ["apt-get", APT],
  ["rpm", { inside: /%\(([^)]*)/ }],
  ["tcpdump", { texts: ["z"], short: "BcCDEFGijmMQrsTVwWyz" }],
  ["gh", { inside: /^!(.*)$/s }],
  ["npm", { texts: ["--script-shell", "script-shell"], inside: /^script-shell=(.*)$/s }],
  ["pnpm", { texts: ["--script-shell", "script-shell"], inside: /^script-shell=(.*)$/s }],
]);

const TAR_TEXTS = [
  "I",
  "F",
  "--to-command",
  "--use-compress-program",
  "--info-script",
  "--new-volume-script",
  "--rsh-command",
];

/** The shell texts in a program's options. */
export const optionTexts = (program: string, args: readonly Word[]): readonly Word[] => {
  const options = TEXT_OPTIONS.get(program);
  if (options === undefined) return [];
  const isTar = options === TAR;
  const names = isTar ? TAR_TEXTS : (options.texts ?? []);
  const whole = args.map((word) => unabbreviated(word, names));
  const { values } = isTar
    ? tarOptions(whole)
    : allOptions(whole, { short: options.short ?? "", long: names.filter((name) => name.length > 1) });
  const named = names.flatMap((name) => values.get(name) ?? []);
  // `npm config set name value`: the name is no option.
  const behind = args.filter((_, index) => {
    const before = args[index - 1];
    return before?.kind === "static" && !before.value.startsWith("-") && names.includes(before.value);
  });
  const inside = knownValues(args).flatMap((value) => {
    const match = options.inside?.exec(value);
    return match?.[1] === undefined ? [] : [{ kind: "static", value: match[1] } as const];
  });
  return [...named.map(withoutCommas(program)), ...behind, ...inside];
};

/** GNU programs take the unambiguous beginnings of long options. */
const unabbreviated = (word: Word, names: readonly string[]): Word => {
  const match = word.kind === "static" ? /^(--[a-z][a-z-]+)(=.*)?$/s.exec(word.value) : null;
  const [, given = "", value = ""] = match ?? [];
  const name = given.length < 5 ? undefined : names.find((each) => each.startsWith(given));
  return name === undefined ? word : { kind: "static", value: name + value };
};

/** `gcc -wrapper program,argument`. */
const withoutCommas =
  (program: string) =>
  (word: Word): Word =>
    program === "gcc" && word.kind === "static" ? { ...word, value: word.value.replaceAll(",", " ") } : word;
