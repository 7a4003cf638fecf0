import type { Word } from "../shell/expand-word.ts";
import { allOptions } from "./options.ts";
import { knownValues } from "./resolved-command.ts";

/** The names under which awk is found. */
export const AWKS: ReadonlySet<string> = new Set(["awk", "gawk", "mawk", "nawk"]);

/** What an awk program starts and writes. */
export interface AwkCode {
  /** Shell texts that stand in it whole. */
  readonly commands: readonly string[];
  /** Whether it starts others too, whose text it makes or reads, or loads machine code. */
  readonly startsUnknown: boolean;
  /** Files that it may write. */
  readonly files: readonly string[];
}

const SYNTAX = { short: "iFfvel", long: ["--source", "--file", "--assign", "--load", "--include"] };

/** Reads the awk program in the arguments of a call. */
export const awkCode = (args: readonly Word[]): AwkCode => {
  const { operands, values } = allOptions(args, SYNTAX);
  const inOptions = ["e", "--source"].flatMap((name) => values.get(name) ?? []);
  const isElsewhere = inOptions.length > 0 || values.has("f") || values.has("--file");
  const code = knownValues([...inOptions, ...(isElsewhere ? [] : operands.slice(0, 1))]).join("\n");
  if (code.length > LONGEST_CODE) return { commands: [], startsUnknown: true, files: [] };
  const { bare, strings } = withoutStrings(code);
  const stringAt = (mark: string | undefined): string[] => (mark === undefined ? [] : [strings[Number(mark)] ?? ""]);
  const whole = [...bare.matchAll(WHOLE_COMMAND)].flatMap((match) => stringAt(match[1] ?? match[2] ?? match[3]));
  const rest = bare.replaceAll(WHOLE_COMMAND, " ");
  const assigned = knownValues([values.get("v") ?? []].flat()).map((text) => text.replace(/^\w+=/, ""));
  const toVariable = /\bprintf?\b[^;}\n]*>\s*[^\s"=]/.test(bare.replaceAll(/>{1,2}\s*\0\d+\0\s*(?=[;}\n]|$)/g, ""));
  return {
    commands: whole,
    startsUnknown: values.has("l") || /\bsystem\s*\(|(?<!\|)\|(?!\|)|@load\b/.test(rest),
    files: [
      ...[...bare.matchAll(/>{1,2}\s*\0(\d+)\0/g)].flatMap((match) => stringAt(match[1])),
      ...(toVariable ? [...strings, ...assigned].filter((text) => text.startsWith("/")) : []),
    ],
  };
};

/** Nobody types a longer program; what is in one counts as unknown. */
const LONGEST_CODE = 20_000;

/** Strings are marked by their number: `\0` number `\0`. A text is whole where nothing is joined to it on either side. */
const WHOLE_COMMAND =
  /\bsystem\s*\(\s*\0(\d+)\0\s*\)|(?<!\|)\|&?\s*\0(\d+)\0\s*(?=[;}\n]|$)|(?=\0)(?<=(?:^|[{;(\n!&])\s*)\0(\d+)\0\s*\|&?(?=\s*getline\b)/g;

/** The program with its strings taken out, and without regular expressions and comments, in which bars and quotes mean nothing. */
const withoutStrings = (code: string): { readonly bare: string; readonly strings: readonly string[] } => {
  const strings: string[] = [];
  let bare = "";
  let last = "\n";
  for (const [piece] of code.matchAll(PIECE)) {
    if (piece.startsWith('"')) {
      bare += `\0${strings.length}\0`;
      strings.push(piece.slice(1, -1).replaceAll(/\\(.)/gs, "$1"));
    } else if (piece.startsWith("/") && piece.length > 1) bare += BEFORE_REGEX.includes(last) ? "r" : piece;
    else if (!piece.startsWith("#")) bare += piece;
    last = piece.trim() === "" ? last : (piece.trimEnd().at(-1) ?? last);
    if (/\n\s*$/.test(piece.slice(-200))) last = "\n";
  }
  return { bare, strings };
};

const PIECE = /"(?:[^"\\]|\\.)*"|#[^\n]*|\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[^"#/]+|["#/]/gs;

/** Behind these a slash begins a regular expression; elsewhere it divides. */
const BEFORE_REGEX = "({,;!~&|\n=";
