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
  const flags: string[] = [];
  const values = new Map<string, Word>();
  let index = 0;
  while (index < args.length) {
    const word = args[index];
    if (word?.kind !== "static" || !/^-./.test(word.value)) break;
    index += 1;
    if (word.value === "--") break;
    const read = readOption(word.value, syntax);
    flags.push(...read.flags);
    const name = read.wantsValue;
    if (name === undefined) continue;
    const inline = read.value === undefined ? undefined : ({ kind: "static", value: read.value } as const);
    const value = inline ?? args[index];
    if (inline === undefined) index += 1;
    if (value !== undefined) values.set(name, value);
  }
  return { flags, values, rest: Math.min(index, args.length) };
};

/** Reads options wherever they stand before `--`; `operands` are the other words. */
export const allOptions = (
  args: readonly Word[],
  syntax: OptionSyntax = {},
): ParsedOptions & { readonly operands: readonly Word[] } => {
  const flags: string[] = [];
  const values = new Map<string, Word>();
  const operands: Word[] = [];
  let rest = args;
  while (rest.length > 0) {
    const parsed = leadingOptions(rest, syntax);
    flags.push(...parsed.flags);
    for (const [name, value] of parsed.values) values.set(name, value);
    const ended = rest[parsed.rest - 1];
    const operand = rest[parsed.rest];
    if (ended?.kind === "static" && ended.value === "--") {
      operands.push(...rest.slice(parsed.rest));
      break;
    }
    if (operand !== undefined) operands.push(operand);
    rest = rest.slice(parsed.rest + 1);
  }
  return { flags, values, operands, rest: args.length };
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
