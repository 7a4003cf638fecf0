import type { Word } from "../shell/expand-word.ts";
import { SQL_CLIENTS } from "./client-commands.ts";
import { allOptions } from "./options.ts";
import { pathsOf } from "./paths.ts";
import { fileContent, STDIN_PATHS } from "./run-script.ts";
import { doubt } from "./walker.ts";
import type { Call, Walker } from "./walker.ts";

/** How a program takes more options from a file. */
interface OptionFile {
  readonly names: readonly string[];
  readonly short: string;
  /** The options in its content. */
  readonly read: (content: string) => readonly string[];
}

const byLine =
  (read: (line: string) => readonly string[]) =>
  (content: string): readonly string[] =>
    content
      .split("\n")
      .filter((line) => !line.trim().startsWith("#"))
      .flatMap(read);

const CURL: OptionFile = {
  names: ["K", "--config"],
  short: "oHdXuATbceEFKmPrQwxyYzDC",
  read: byLine((line) => {
    const [, name = "", value = ""] = /^\s*(-{0,2}[\w-]+)(?:\s*[=:]\s*|\s+|$)(.*)$/.exec(line) ?? [];
    if (name === "") return [];
    return [name.startsWith("-") ? name : `--${name}`, ...(value === "" ? [] : [unquoted(value)])];
  }),
};

const WGET: OptionFile = {
  names: ["--config"],
  short: "OaoePtTUQwil",
  read: byLine((line) => (/^\s*[\w-]+\s*=/.test(line) ? ["-e", line.trim()] : [])),
};

/** A file of SQL counts like SQL on the command line. */
const SQL = { read: (content: string): readonly string[] => ["-c", content] };

const OPTION_FILES: ReadonlyMap<string, OptionFile> = new Map([
  ["curl", CURL],
  ["wget", WGET],
  ["psql", { ...SQL, names: ["f", "--file"], short: "cdfFhLoPpRTUv" }],
  ["sqlite3", { ...SQL, names: ["-init"], short: "" }],
  ["duckdb", { ...SQL, names: ["f", "-f", "-init"], short: "" }],
]);

const unquoted = (value: string): string =>
  /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? value.trim();

/**
 * A call with the options of its option file written out, where the agent wrote that file or its text is given. The owner's
 * files are the owner's; one that something else prints is a doubt.
 */
export const withOptionFile = (walker: Walker, program: string, given: Call): Call => {
  const call = SQL_CLIENTS.has(program) ? withKnownInput(walker, given) : given;
  const kind = OPTION_FILES.get(program);
  if (kind === undefined) return call;
  const { values } = allOptions(call.words.slice(1), { short: kind.short, long: kind.names });
  const file = kind.names.map((name) => values.get(name)).find((word) => word !== undefined);
  if (file === undefined) return call;
  const words = optionTexts(walker, call, file).flatMap(kind.read);
  return { ...call, words: [...call.words, ...words.map((value): Word => ({ kind: "static", value }))] };
};

/** `mysql < file`: the text of a file that the agent wrote. */
const withKnownInput = (walker: Walker, call: Call): Call => {
  const { stdin } = call.flow;
  if (stdin.kind !== "file") return call;
  const text = pathsOf(stdin.path, call.scope.cwd)
    .map((path) => fileContent(walker, path)?.content)
    .find((content) => content !== undefined);
  return text === undefined ? call : { ...call, flow: { ...call.flow, stdin: { kind: "text", text, certain: true } } };
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
