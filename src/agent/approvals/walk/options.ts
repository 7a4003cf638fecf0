import type { Word } from "../shell/expand-word.ts";

/** Which options of a program take a value in the next word. */
export interface OptionSyntax {
  /** Letters of short options with a value: `"uC"` for `-u x -C y`. In a cluster the value is the rest of the word, if any. */
  readonly short?: string;
  /** Long options, or long ones with one dash, whose value stands in the next word. */
  readonly long?: readonly string[];
}

/** Arguments taken apart. */
export interface ParsedOptions {
  /** Short letters and long names without their values, in order: `["r", "f", "--force"]`. */
  readonly flags: readonly string[];
  /** The values of options by letter or name. */
  readonly values: ReadonlyMap<string, Word>;
  /** The index of the first word that is no option. */
  readonly rest: number;
}

/** Reads options up to the first operand, as programs do that hand the rest to another program. */
export const leadingOptions = (args: readonly Word[], syntax: OptionSyntax): ParsedOptions => {
  const found: Found = { flags: [], values: new Map() };
  const { at } = readOptions(args, { from: 0, syntax, found });
  return { ...found, rest: at };
};

/** Reads options wherever they stand before `--`; `operands` are the other words. */
export const allOptions = (
  args: readonly Word[],
  syntax: OptionSyntax = {},
): ParsedOptions & { readonly operands: readonly Word[] } => {
  const found: Found = { flags: [], values: new Map() };
  const operands: Word[] = [];
  let from = 0;
  while (from < args.length) {
    const { at, ended } = readOptions(args, { from, syntax, found });
    if (ended) {
      for (const operand of args.slice(at)) operands.push(operand);
      break;
    }
    const operand = args[at];
    if (operand !== undefined) operands.push(operand);
    from = at + 1;
  }
  return { ...found, operands, rest: args.length };
};

interface Found {
  readonly flags: string[];
  readonly values: Map<string, Word>;
}

interface Position {
  readonly from: number;
  readonly syntax: OptionSyntax;
  readonly found: Found;
}

/** Reads options from a place on. `at` = the first word that is none; `ended` = a `--` stood before it. */
const readOptions = (
  args: readonly Word[],
  { from, syntax, found }: Position,
): { readonly at: number; readonly ended: boolean } => {
  let at = from;
  for (;;) {
    const word = args[at];
    if (word?.kind !== "static" || !/^-./.test(word.value)) return { at: Math.min(at, args.length), ended: false };
    at += 1;
    if (word.value === "--") return { at, ended: true };
    const { flags, wantsValue, value: inline } = readOption(word.value, syntax);
    found.flags.push(...flags);
    if (wantsValue === undefined) continue;
    const value = inline === undefined ? args[at] : ({ kind: "static", value: inline } as const);
    if (inline === undefined) at += 1;
    if (value !== undefined) found.values.set(wantsValue, value);
  }
};

interface ReadOption {
  readonly flags: readonly string[];
  readonly wantsValue?: string;
  readonly value?: string;
}

const readOption = (text: string, { short = "", long = [] }: OptionSyntax): ReadOption => {
  const [name = text, ...inline] = text.split("=");
  if (text.startsWith("--")) {
    if (inline.length > 0) return { flags: [name], wantsValue: name, value: inline.join("=") };
    return { flags: [name], ...(long.includes(name) ? { wantsValue: name } : {}) };
  }
  if (long.includes(text)) return { flags: [text], wantsValue: text };
  const flags: string[] = [];
  for (const [index, letter] of Array.from(text.slice(1)).entries()) {
    flags.push(letter);
    if (!short.includes(letter)) continue;
    const value = text.slice(index + 2);
    return { flags, wantsValue: letter, ...(value === "" ? {} : { value }) };
  }
  return { flags };
};
