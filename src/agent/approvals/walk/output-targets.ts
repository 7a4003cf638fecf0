import type { Word } from "../shell/expand-word.ts";
import { gitSubcommand } from "./git-commands.ts";
import { allOptions, leadingOptions } from "./options.ts";
import type { OptionSyntax } from "./options.ts";
import { argumentsOf, isStatic } from "./resolved-command.ts";
import type { ResolvedCommand } from "./resolved-command.ts";

type Targets = (args: readonly Word[]) => readonly Word[];

const known = (value: string): Word => ({ kind: "static", value });

/** A path below a folder that another option names. */
const below = (folder: Word | undefined, path: Word): Word =>
  folder?.kind !== "static" || path.kind !== "static" || path.value.startsWith("/")
    ? path
    : known(`${folder.value}/${path.value}`);

/** The value of an option, below the value of another where that is given. */
const named =
  (names: readonly string[], syntax: OptionSyntax = {}, folders: readonly string[] = []): Targets =>
  (args) => {
    const { values } = allOptions(args, syntax);
    const folder = folders.map((name) => values.get(name)).find((value) => value !== undefined);
    return names.flatMap((name) => values.get(name) ?? []).map((path) => below(folder, path));
  };

const COMPILER = named(["o"], { short: "oIDLlxUEWfmOBTuze" });

const lastOperand: Targets = (args) => {
  const { operands } = allOptions(args);
  return operands.length > 1 ? operands.slice(-1) : [];
};

/** `docker cp box:/file there`; a path in the box is none of this machine's. */
const containerCopy: Targets = (args) => {
  const at = args.findIndex((word) => word.kind === "static" && word.value === "cp");
  const target = at === -1 ? undefined : args.slice(at + 1).at(-1);
  return target === undefined || (target.kind === "static" && /^[\w./-]+:/.test(target.value)) ? [] : [target];
};

const GIT_GLOBAL: OptionSyntax = { short: "Cc", long: ["--work-tree", "--git-dir"] };

/** Files that git takes back to what they were, and folders that it makes. */
const git: Targets = (all) => {
  const { values } = leadingOptions(all, GIT_GLOBAL);
  const folder = values.get("--work-tree") ?? values.get("C");
  const { name, args } = gitSubcommand(all);
  return gitTargets(name ?? "", args).map((path) => below(folder, path));
};

const gitTargets = (name: string, args: readonly Word[]): readonly Word[] => {
  const dashes = args.findIndex((word) => word.kind === "static" && word.value === "--");
  switch (name) {
    case "checkout":
      return dashes === -1 ? [] : args.slice(dashes + 1);
    case "restore":
      return allOptions(args, { short: "sU", long: ["--source"] }).operands;
    case "clone":
      return allOptions(args, { short: "bocujr", long: ["--depth", "--branch", "--origin"] }).operands.slice(1);
    case "init":
      return allOptions(args, { short: "b", long: ["--initial-branch"] }).operands;
    case "worktree":
      return allOptions(args, { short: "bB" }).operands.slice(1, 2);
    case "archive":
    case "format-patch":
      return named(["o", "--output", "--output-directory"], { short: "o", long: ["--output"] })(args);
    case "bundle":
      return allOptions(args).operands.slice(1, 2);
    default:
      return [];
  }
};

const COMPILERS = [
  "gcc",
  "cc",
  "g++",
  "c++",
  "clang",
  "clang++",
  "ld",
  "as",
  "rustc",
  "ghc",
  "gfortran",
  "swiftc",
  "nasm",
];
const SHORT_OUTPUT = [
  "iconv",
  "shuf",
  "pandoc",
  "age",
  "dot",
  "bison",
  "flex",
  "strip",
  "zstd",
  "http",
  "xh",
  "asciidoctor",
];

/** Programs that write what they make where an option or the last word says. */
const OUTPUTS: ReadonlyMap<string, Targets> = new Map<string, Targets>([
  ["git", git],
  ...COMPILERS.map((name) => [name, COMPILER] as const),
  ...SHORT_OUTPUT.map((name) => [name, named(["o"], { short: "oftTMnr" })] as const),
  ["go", named(["o"], { long: ["-tags", "-ldflags", "-gcflags", "-mod"], short: "o" })],
  ["psql", named(["o", "L"], { short: "cdfFhLoPpRTUv" })],
  ["pg_dump", named(["f", "--file"], { short: "fhpUdntT", long: ["--file"] })],
  ["mysqldump", named(["r", "--result-file"], { short: "rhuPp", long: ["--result-file"] })],
  ["aria2c", named(["o", "--out", "d", "--dir"], { short: "odjxsiTl", long: ["--out", "--dir"] }, ["d", "--dir"])],
  ["yt-dlp", named(["o", "P"], { short: "ofPSr" })],
  ["csplit", named(["f"], { short: "fbn" })],
  ["split", (args) => allOptions(args, { short: "abClntn" }).operands.slice(1)],
  ["docker", containerCopy],
  ["podman", containerCopy],
  ["kubectl", containerCopy],
  ...["ffmpeg", "convert", "magick", "objcopy", "wkhtmltopdf"].map((name) => [name, lastOperand] as const),
]);

/** Long options that say, whatever the program, where something is written. */
const OUTPUT_OPTION =
  /^--(?:out|outfile|out-file|output|output-file|output-dir|outdir|out-dir|dest|destination|target-dir|log-file|logfile|report-file)$/;

const byLongOption: Targets = (args) =>
  args.flatMap((word, index): readonly Word[] => {
    if (word.kind !== "static") return [];
    const [name = "", ...value] = word.value.split("=");
    if (!OUTPUT_OPTION.test(name)) return [];
    if (value.length > 0) return [known(value.join("="))];
    const next = args[index + 1];
    return next === undefined || !isStatic(next) || next.value.startsWith("-") ? [] : [next];
  });

/**
 * Files that a command makes by its trade: a compiler's program, a converter's result, what git takes back. They may be no protected ones;
 * but unlike those of `writeTargets` they are not the agent's own text.
 */
export const outputTargets = (command: ResolvedCommand): readonly Word[] => {
  const args = argumentsOf(command);
  const targets = command.program === undefined ? undefined : OUTPUTS.get(command.program);
  return [...(targets?.(args) ?? []), ...byLongOption(args)];
};
