import type { Word } from "../shell/expand-word.ts";
import { awkCode } from "./awk-code.ts";
import { allOptions } from "./options.ts";
import type { OptionSyntax } from "./options.ts";
import { argumentsOf, knownValues } from "./resolved-command.ts";
import type { ResolvedCommand } from "./resolved-command.ts";
import { tarOptions } from "./tar-options.ts";

type Targets = (args: readonly Word[]) => readonly Word[];

const operands =
  (syntax: OptionSyntax = {}): Targets =>
  (args) =>
    allOptions(args, syntax).operands;

/** The last operand, or the folder in `-t`, of programs that copy. */
const lastOperand =
  (syntax: OptionSyntax): Targets =>
  (args) => {
    const { operands: words, values } = allOptions(args, syntax);
    const folder = values.get("t") ?? values.get("--target-directory");
    const destination = folder ?? (words.length > 1 ? words.at(-1) : undefined);
    if (destination === undefined) return [];
    const sources = folder === undefined ? words.slice(0, -1) : words;
    return [destination, ...sources.flatMap((source) => inside(destination, source))];
  };

/** Where a source lands if the destination is a folder. */
const inside = (destination: Word, source: Word): readonly Word[] => {
  if (destination.kind === "dynamic" || source.kind === "dynamic") return [];
  const name = source.value.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return name === "" || name === "." || name === ".."
    ? []
    : [{ kind: "static", value: `${destination.value}/${name}` }];
};

const optionValues =
  (names: readonly string[], syntax: OptionSyntax): Targets =>
  (args) => {
    const { values } = allOptions(args, syntax);
    return names.flatMap((name) => values.get(name) ?? []);
  };

const COPY: OptionSyntax = { short: "tSgmo", long: ["--target-directory", "--suffix", "--mode", "--owner", "--group"] };

/** `sed -i`: the operands behind the script, which is an operand itself without `-e` or `-f`; and what `w` writes. */
const sed: Targets = (args) => {
  const { flags, operands: words, values } = allOptions(args, { short: "efl", long: ["--expression", "--file"] });
  const written = namedIn(args, /(?:^|[;{}\n]|[\w$/|,#!]\s*|[gpIiMm\d])[wW]\s+([^\s;}][^\n;}]*)/g);
  if (!flags.includes("i") && !flags.includes("--in-place")) return written;
  const files = values.has("e") || values.has("f") || values.has("--expression") || values.has("--file");
  return [...written, ...(files ? words : words.slice(1))];
};

/** `print > "file"` in awk's code; the operands where gawk's `-i inplace` changes them. */
const awk: Targets = (args) => {
  const { operands: words, values } = allOptions(args, { short: "iFfv" });
  const inPlace = values.get("i");
  const changes = inPlace?.kind === "static" && inPlace.value === "inplace";
  return [...awkCode(args).files.map(known), ...(changes ? words : [])];
};

/** `perl -pi -e code files`: the operands, where `-i` stands among the flags and the code in an option. */
const changedInPlace =
  (syntax: OptionSyntax): Targets =>
  (args) => {
    const { flags, values, operands: words } = allOptions(args, syntax);
    return flags.includes("i") && (values.has("e") || values.has("E")) ? words : [];
  };

/** `npm pkg set scripts.x=…`. */
const packageFile: Targets = (args) => {
  const [area, verb] = allOptions(args).operands.map((word) => (word.kind === "static" ? word.value : ""));
  return (area === "pkg" && (verb === "set" || verb === "delete")) || area === "set-script"
    ? [known("package.json")]
    : [];
};

/** The paths that a pattern's only group names in the texts of the arguments. */
const namedIn = (args: readonly Word[], pattern: RegExp): readonly Word[] =>
  args
    .filter((word) => word.kind === "static")
    .flatMap(({ value }) => [...value.matchAll(pattern)].map((match) => known((match[1] ?? "").trim())));

const known = (value: string): Word => ({ kind: "static", value });

/** The words behind some of `find`'s actions. */
const findPrints: Targets = (args) =>
  args.filter((_, index) => {
    const before = args[index - 1];
    return before?.kind === "static" && /^-(?:fprint0?|fprintf|fls)$/.test(before.value);
  });

/** A download that keeps the name it has there, in the folder of an option or in the current one. */
const namedByUrl = (args: readonly Word[], folder: Word | undefined): readonly Word[] => {
  const base = folder ?? known(".");
  if (base.kind === "dynamic") return [];
  const names = args.flatMap((word) => {
    const url =
      word.kind === "static" ? /^(?:[a-z]+:\/\/)?[^/?#]+\/(?:[^?#]*\/)?([^/?#]+)(?:[?#].*)?$/i.exec(word.value) : null;
    return url?.[1] === undefined ? [] : [known(`${base.value}/${url[1]}`)];
  });
  return [base, ...names];
};

/** Curl's further options that name a file to be written. */
const CURL_FILES = ["--stderr", "--libcurl", "--trace", "--trace-ascii", "--hsts", "--alt-svc", "--etag-save"];

const CURL: OptionSyntax = {
  short: "oHdXuATbceEFKmPrQwxyYzDC",
  long: [
    "--output",
    "--header",
    "--data",
    "--request",
    "--user",
    "--output-dir",
    "--dump-header",
    "--cookie-jar",
    ...CURL_FILES,
  ],
};

const curl: Targets = (args) => {
  const { flags, values, operands: urls } = allOptions(args, CURL);
  const keepsName = flags.some((flag) => flag === "O" || flag.startsWith("--remote-name"));
  const folder = values.get("--output-dir");
  const outputs = ["o", "--output"].flatMap((name) => values.get(name) ?? []);
  return [
    ...outputs,
    ...(folder === undefined ? [] : outputs.flatMap((file) => inside(folder, file))),
    ...["D", "--dump-header", "c", "--cookie-jar", ...CURL_FILES].flatMap((name) => values.get(name) ?? []),
    ...(keepsName ? namedByUrl(urls, values.get("--output-dir")) : []),
  ];
};

const WGET: OptionSyntax = {
  short: "OaoePtTUQwil",
  long: [
    "--output-document",
    "--directory-prefix",
    "--output-file",
    "--append-output",
    "--execute",
    "--save-cookies",
    "--warc-file",
  ],
};

/** `-e output_document=file`: a setting as it stands in wget's own file. */
const WGET_SETTING =
  /^(?:--execute=)?\s*(?:output_?document|dir_?prefix|logfile|save_?cookies|warc_?file)\s*=\s*(.+)$/i;

const wget: Targets = (args) => {
  const { values, operands: urls } = allOptions(args, WGET);
  const files = [
    "O",
    "--output-document",
    "o",
    "--output-file",
    "a",
    "--append-output",
    "--save-cookies",
    "--warc-file",
  ];
  const named = [
    ...files.flatMap((name) => values.get(name) ?? []),
    ...knownValues(args)
      .flatMap((text) => WGET_SETTING.exec(text)?.[1] ?? [])
      .map((path) => known(path.trim())),
  ];
  const keepsName = !values.has("O") && !values.has("--output-document");
  return [...named, ...(keepsName ? namedByUrl(urls, values.get("P") ?? values.get("--directory-prefix")) : [])];
};

const WRITES_SQL =
  /\b(?:insert|update|delete|replace|drop|create|alter|vacuum|attach|reindex|pragma\s+\w+\s*=)\b|^\.(?:import|restore|read)/i;

/** The database, unless nothing is seen that changes it; and where its shell's commands send results. */
const sqlite: Targets = (args) => {
  const { operands: words, flags } = allOptions(args, {
    long: ["-cmd", "-init", "-separator", "-newline", "-nullvalue"],
  });
  const [database, ...statements] = words;
  const changes =
    statements.length === 0 || statements.some((word) => word.kind === "dynamic" || WRITES_SQL.test(word.value));
  const outputs = namedIn(args, /^\.(?:output|once|backup|save|clone|dump)\s+(\S+)/g);
  return [...outputs, ...(database === undefined || !changes || flags.includes("-readonly") ? [] : [database])];
};

/** The archive that is made; what is unpacked is a matter of whole folders. */
const tar: Targets = (args) => {
  const { flags, values } = tarOptions(args);
  const makes = flags.some((flag) => ["c", "r", "u", "A", "--create", "--append", "--update"].includes(flag));
  const archive = values.get("f") ?? values.get("--file");
  return makes && archive !== undefined ? [archive] : [];
};

const onlyAsks = (args: readonly Word[], flags: readonly string[]): boolean =>
  allOptions(args).flags.some((flag) => flags.includes(flag));

/** `dd of=path`. */
const dd: Targets = (args) =>
  args.flatMap((word) =>
    word.kind === "static" && word.value.startsWith("of=")
      ? [{ kind: "static", value: word.value.slice(3) } as const]
      : [],
  );

/** Programs that write files which stand in their arguments. */
const WRITERS: ReadonlyMap<string, Targets> = new Map<string, Targets>([
  ["tee", operands()],
  ["cp", lastOperand(COPY)],
  ["install", lastOperand(COPY)],
  ["ln", lastOperand(COPY)],
  ["rsync", lastOperand({ short: "efTB", long: ["--rsh", "--exclude", "--include", "--filter"] })],
  ["scp", lastOperand({ short: "cFiJloPS" })],
  ["mv", (args) => [...lastOperand(COPY)(args), ...allOptions(args, COPY).operands]],
  ["sed", sed],
  ["gsed", sed],
  ["dd", dd],
  ["truncate", operands({ short: "sr", long: ["--size", "--reference"] })],
  ["touch", operands({ short: "dtr", long: ["--date", "--reference"] })],
  ["shred", operands({ short: "ns" })],
  ["rm", operands()],
  ["unlink", operands()],
  ["patch", operands({ short: "pdioBDFgrVYz" })],
  ["sponge", operands()],
  ["curl", curl],
  ["wget", wget],
  ["find", findPrints],
  ["awk", awk],
  ["gawk", awk],
  ["mawk", awk],
  ["nawk", awk],
  ["perl", changedInPlace({ short: "eEIMmF" })],
  ["ruby", changedInPlace({ short: "eIrEC" })],
  ["mkfifo", operands({ short: "m", long: ["--mode"] })],
  ["mknod", (args) => allOptions(args, { short: "m", long: ["--mode"] }).operands.slice(0, 1)],
  ["npm", packageFile],
  ["ed", operands({ short: "p" })],
  ["ex", operands({ short: "cStTu" })],
  ["vi", operands({ short: "cStTu" })],
  ["vim", operands({ short: "cStTu" })],
  ["nvim", operands({ short: "cStTu" })],
  ["nano", operands()],
  ["sqlite3", sqlite],
  ["tar", tar],
  ["gtar", tar],
  ["zip", (args) => allOptions(args).operands.slice(0, 1)],
  ["xxd", (args) => allOptions(args, { short: "cglos" }).operands.slice(1)],
  ["uniq", (args) => allOptions(args, { short: "fsw" }).operands.slice(1)],
  ["yq", (args) => (onlyAsks(args, ["i", "--inplace"]) ? allOptions(args).operands.slice(1) : [])],
  ["sort", optionValues(["o", "--output"], { short: "oktST", long: ["--output"] })],
  ["openssl", optionValues(["-out"], { long: ["-out", "-in", "-keyout", "-pass"] })],
  ["gpg", optionValues(["o", "--output"], { short: "oru", long: ["--output"] })],
  ["strace", optionValues(["o"], { short: "oepsEauIP" })],
  ["script", operands({ short: "cEIOBTm" })],
  [
    "ssh-keygen",
    (args) => (onlyAsks(args, ["l", "y", "F", "B", "e"]) ? [] : optionValues(["f"], { short: "fbtCNPm" })(args)),
  ],
  [
    "crontab",
    (args) => (onlyAsks(args, ["l"]) && !onlyAsks(args, ["r", "e"]) ? [] : [known("/var/spool/cron/crontabs")]),
  ],
  ...[
    "useradd",
    "userdel",
    "usermod",
    "groupadd",
    "groupdel",
    "groupmod",
    "gpasswd",
    "adduser",
    "deluser",
    "passwd",
    "chpasswd",
    "chsh",
    "chfn",
  ].map(
    (name) =>
      [
        name,
        (args: readonly Word[]) => (onlyAsks(args, ["S", "--status", "--help"]) ? [] : [known("/etc/passwd")]),
      ] as const,
  ),
  ["sudoedit", operands({ short: "uCgp" })],
  ["visudo", () => [{ kind: "static", value: "/etc/sudoers" }]],
]);

/** Every file that a command writes, by redirection or by what the program does with its arguments. */
export const writeTargets = (command: ResolvedCommand): readonly Word[] => {
  const redirected = command.redirects.filter((redirect) => redirect.writes).map((redirect) => redirect.target);
  const targets = command.program === undefined ? undefined : WRITERS.get(command.program);
  return [...redirected, ...(targets?.(argumentsOf(command)) ?? [])];
};
