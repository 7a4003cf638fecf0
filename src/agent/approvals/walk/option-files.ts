import type { Word } from "../shell/expand-word.ts";
import { allOptions } from "./options.ts";
import { pathsOf } from "./paths.ts";
import { fileContent, STDIN_PATHS } from "./run-script.ts";
import { doubt } from "./walker.ts";
import type { Call, Walker } from "./walker.ts";

/** How a program takes more options from a file. */
interface OptionFile {
  readonly names: readonly string[];
  readonly short: string;
  /** The options in one line of it. */
  readonly read: (line: string) => readonly string[];
}

const CURL: OptionFile = {
  names: ["K", "--config"],
  short: "oHdXuATbceEFKmPrQwxyYzDC",
  read: (line) => {
    const [, name = "", value = ""] = /^\s*(-{0,2}[\w-]+)(?:\s*[=:]\s*|\s+|$)(.*)$/.exec(line) ?? [];
    if (name === "") return [];
    return [name.startsWith("-") ? name : `--${name}`, ...(value === "" ? [] : [unquoted(value)])];
  },
};

const WGET: OptionFile = {
  names: ["--config"],
  short: "OaoePtTUQwil",
  read: (line) => (/^\s*[\w-]+\s*=/.test(line) ? ["-e", line.trim()] : []),
};

const OPTION_FILES: ReadonlyMap<string, OptionFile> = new Map([
  ["curl", CURL],
  ["wget", WGET],
]);

const unquoted = (value: string): string =>
  /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? value.trim();

/**
 * A call with the options of its option file written out, where the agent wrote that file or its text is given. The owner's
 * files are the owner's; one that something else prints is a doubt.
 */
export const withOptionFile = (walker: Walker, program: string, call: Call): Call => {
  const kind = OPTION_FILES.get(program);
  if (kind === undefined) return call;
  const { values } = allOptions(call.words.slice(1), { short: kind.short, long: kind.names });
  const file = kind.names.map((name) => values.get(name)).find((word) => word !== undefined);
  if (file === undefined) return call;
  const words = optionTexts(walker, call, file)
    .flatMap((text) => text.split("\n"))
    .filter((line) => !line.trim().startsWith("#"))
    .flatMap(kind.read);
  return { ...call, words: [...call.words, ...words.map((value): Word => ({ kind: "static", value }))] };
};

const optionTexts = (walker: Walker, call: Call, file: Word): readonly string[] => {
  if (file.kind === "dynamic") {
    if (file.text.startsWith("<(")) doubt(walker, call, { kind: "piped-script", from: [file.text] });
    return [];
  }
  const { stdin } = call.flow;
  if (STDIN_PATHS.has(file.value)) {
    if (stdin.kind === "stream") doubt(walker, call, { kind: "piped-script", from: stdin.programs });
    return stdin.kind === "text" ? [stdin.text] : [];
  }
  return pathsOf(file, call.scope.cwd).flatMap((path) => {
    const content = fileContent(walker, path);
    if (content !== undefined && content.content === undefined) doubt(walker, call, { kind: "fresh-script", path });
    return content?.content ?? [];
  });
};
