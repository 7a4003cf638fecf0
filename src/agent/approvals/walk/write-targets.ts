import type { Word } from "../shell/expand-word.ts";
import { allOptions } from "./options.ts";
import type { OptionSyntax } from "./options.ts";
import { argumentsOf } from "./resolved-command.ts";
import type { ResolvedCommand } from "./resolved-command.ts";

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

/** `sed -i`: the operands behind the script, which is an operand itself without `-e` or `-f`. */
const sed: Targets = (args) => {
  const { flags, operands: words, values } = allOptions(args, { short: "efl", long: ["--expression", "--file"] });
  if (!flags.includes("i") && !flags.includes("--in-place")) return [];
  return values.has("e") || values.has("f") || values.has("--expression") || values.has("--file")
    ? words
    : words.slice(1);
};

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
  [
    "curl",
    optionValues(["o", "--output"], {
      short: "oHdXuATbceEFKmPrQwxyYz",
      long: ["--output", "--header", "--data", "--request", "--user"],
    }),
  ],
  ["wget", optionValues(["O", "--output-document"], { short: "OaoePtTUQwil", long: ["--output-document"] })],
  ["sudoedit", operands({ short: "uCgp" })],
  ["visudo", () => [{ kind: "static", value: "/etc/sudoers" }]],
]);

/** Every file that a command writes, by redirection or by what the program does with its arguments. */
export const writeTargets = (command: ResolvedCommand): readonly Word[] => {
  const redirected = command.redirects.filter((redirect) => redirect.writes).map((redirect) => redirect.target);
  const targets = command.program === undefined ? undefined : WRITERS.get(command.program);
  return [...redirected, ...(targets?.(argumentsOf(command)) ?? [])];
};
