import * as z from "zod";
import { parseJson } from "../../../base/parse-json.ts";
import type { Word } from "../shell/expand-word.ts";
import { runVariable } from "./command-variables.ts";
import { allOptions, leadingOptions } from "./options.ts";
import { absolutePath, pathsOf } from "./paths.ts";
import { fileContent, runScriptText } from "./run-script.ts";
import { knownValues } from "./resolved-command.ts";
import { copyScope } from "./scope.ts";
import { doubt } from "./walker.ts";
import type { Call, Walker } from "./walker.ts";

/** Follows the commands of a Makefile or package.json that the agent wrote: running them through `make` or `npm` counts as running them. */
export const runProjectScripts = (walker: Walker, program: string, call: Call): void => {
  const args = call.words.slice(1);
  const texts = MAKES.has(program) ? recipesFor(walker, args, call) : packageScripts(walker, { program, args, call });
  for (const value of texts) {
    runScriptText(walker, { text: { kind: "static", value }, scope: copyScope(call.scope), flow: call.flow });
  }
};

const MAKES = new Set(["make", "gmake"]);

/** What the agent wrote into one of the files, in each folder that the command may run in. */
const contentsOf = (
  walker: Walker,
  call: Call,
  { names, folder = "." }: { readonly names: readonly string[]; readonly folder?: string | undefined },
): readonly string[] =>
  pathsOf({ kind: "static", value: folder }, call.scope.cwd).flatMap((directory) =>
    names.flatMap((name) => {
      const path = absolutePath(name, directory);
      const known = fileContent(walker, path);
      if (known !== undefined && known.content === undefined) doubt(walker, call, { kind: "fresh-script", path });
      return known?.content ?? [];
    }),
  );

const MAKE_OPTIONS = {
  short: "fCIjloW",
  long: ["--file", "--makefile", "--directory", "--include-dir", "--jobs", "--load-average", "--eval"],
};

const recipesFor = (walker: Walker, args: readonly Word[], call: Call): readonly string[] => {
  const { values, operands } = allOptions(args, MAKE_OPTIONS);
  const valueOf = (...names: readonly string[]): Word | undefined =>
    names.map((name) => values.get(name)).find((value) => value !== undefined);
  const given = knownValues([valueOf("--eval") ?? [], ...operands].flat());
  // A variable on the command line may be what recipes run; its own `$(shell …)` runs anyway.
  for (const text of given) {
    const [, name, value = ""] = /^([\w.-]+)\s*[:?+]?=(.*)$/s.exec(text) ?? [];
    if (name !== undefined) runVariable(walker, { name, value: { kind: "static", value } }, call);
  }
  const file = valueOf("f", "--file", "--makefile");
  const folder = knownValues([valueOf("C", "--directory") ?? []].flat())[0];
  return [...given, ...makefiles(walker, call, { file, folder })].flatMap(recipesIn);
};

interface MakeFile {
  readonly file: Word | undefined;
  readonly folder: string | undefined;
}

/** The makefiles that are known. One that is printed or read from the input is given like a script. */
const makefiles = (walker: Walker, call: Call, { file, folder }: MakeFile): readonly string[] => {
  if (file === undefined) return contentsOf(walker, call, { names: ["GNUmakefile", "makefile", "Makefile"], folder });
  if (file.kind === "dynamic") {
    doubt(walker, call, { kind: "unresolved-script", text: file.text });
    return [];
  }
  if (file.value !== "-" && file.value !== "/dev/stdin")
    return contentsOf(walker, call, { names: [file.value], folder });
  const { stdin } = call.flow;
  if (stdin.kind === "text") return [stdin.text];
  if (stdin.kind === "stream") doubt(walker, call, { kind: "piped-script", from: stdin.programs });
  return [];
};

const ASSIGNMENT = /^[ ]*(?:export\s+|override\s+)*([\w.-]+)\s*(?:::?|\?|\+)?=\s*(.*)$/gm;

/** The commands of a Makefile: its recipe lines with its own variables put in, and what `$(shell …)` runs. */
const recipesIn = (makefile: string): readonly string[] => {
  const whole = makefile.replaceAll(/\\\n/g, " ");
  const variables = new Map([...whole.matchAll(ASSIGNMENT)].map(([, name = "", value = ""]) => [name, value] as const));
  const expand = (text: string, depth: number): string =>
    text.replaceAll(/\$(?:\$|\(([\w.-]+)\)|\{([\w.-]+)\}|([@<^?*+]))/g, (written, round?: string, curly?: string) => {
      if (written === "$$") return "$";
      // What make itself fills in is the name of a file or of a program of the system.
      const value = variables.get(round ?? curly ?? "");
      return value === undefined || depth > 5 ? "x" : expand(value, depth + 1);
    });
  const shells = [...whole.matchAll(/\$\(shell ([^()]*(?:\([^()]*\)[^()]*)*)\)/g)].map((match) => match[1] ?? "");
  const recipes = whole
    .split("\n")
    .flatMap((line) => /^(?:\t|[^#\s][^=]*:[^=]*;)[\s@+-]*(.*)$/.exec(line)?.[1] ?? [])
    .map((line) =>
      line.replaceAll(/\$\((?:shell|wildcard|patsubst|foreach|call|filter|notdir|addprefix)\b[^)]*\)/g, "x"),
    );
  return [...shells, ...recipes].map((text) => expand(text, 0)).filter((text) => text.trim() !== "");
};

const PACKAGE = z.object({ scripts: z.record(z.string(), z.unknown()) });

/** Scripts that a command of the package managers runs by itself. */
const LIFECYCLE: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["t", ["test"]],
  ["tst", ["test"]],
  ...["i", "install", "ci", "add", "it"].map((name) => [name, ["install", "prepare", "prepublish"]] as const),
  ...["publish", "pack"].map((name) => [name, [name, "prepare", "prepublishOnly", "prepack"]] as const),
  ["version", ["version"]],
]);

const PACKAGE_MANAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);
const PACKAGE_OPTIONS = { short: "wC", long: ["--prefix", "--workspace", "--dir", "--cwd", "--filter"] };

interface PackageCall {
  readonly program: string;
  readonly args: readonly Word[];
  readonly call: Call;
}

const packageScripts = (walker: Walker, { program, args, call }: PackageCall): readonly string[] => {
  const { values, rest } = leadingOptions(args, { ...PACKAGE_OPTIONS, long: [...PACKAGE_OPTIONS.long, "--run"] });
  const [first, second] = knownValues(args.slice(rest));
  const wanted = program === "node" ? knownValues([values.get("--run") ?? []].flat())[0] : scriptName(first, second);
  if (wanted === undefined || !(program === "node" || PACKAGE_MANAGERS.has(program))) return [];
  const names = (LIFECYCLE.get(wanted) ?? [wanted]).flatMap((name) => [`pre${name}`, name, `post${name}`]);
  const [folder] = knownValues(["--prefix", "C", "--dir", "--cwd"].flatMap((name) => values.get(name) ?? []));
  return contentsOf(walker, call, { names: ["package.json"], folder }).flatMap((content) => {
    const parsed = PACKAGE.safeParse(parseJson(content));
    const scripts = parsed.success ? parsed.data.scripts : {};
    return names.flatMap((name) => {
      const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
      return typeof text === "string" ? [text] : [];
    });
  });
};

const scriptName = (first: string | undefined, second: string | undefined): string | undefined =>
  first === "run" || first === "run-script" || first === "rum" ? second : first;
