import type { Word } from "../shell/expand-word.ts";
import type { Inner } from "./inner-command.ts";
import { leadingOptions } from "./options.ts";
import type { OptionSyntax } from "./options.ts";
import { isStatic, textOf } from "./resolved-command.ts";
import type { Stdin } from "./resolved-command.ts";

/** What a program that runs others does with its arguments. */
export interface Wrapper {
  readonly inner: (args: readonly Word[], stdin: Stdin) => readonly Inner[];
  /** The inner command runs on another machine or in a container. */
  readonly remote?: true;
}

export interface PlainSyntax extends OptionSyntax {
  /** Operands before the inner command. */
  readonly skip?: number;
  /** Whether `NAME=value` may stand before the inner command. */
  readonly assignments?: true;
}

/** The usual form: options, some operands, then a command. */
export const plain = (syntax: PlainSyntax = {}): Wrapper => ({
  inner: (args) => {
    let index = leadingOptions(args, syntax).rest + (syntax.skip ?? 0);
    const assignments: string[] = [];
    while (syntax.assignments === true && isAssignment(args[index])) {
      const word = args[index];
      if (word !== undefined) assignments.push(textOf(word));
      index += 1;
    }
    return index < args.length ? [{ kind: "words", words: args.slice(index), index, assignments }] : [];
  },
});

const isAssignment = (word: Word | undefined): boolean => word !== undefined && /^[A-Za-z_]\w*=/.test(textOf(word));

/** The words that stand behind the options, joined to a text for a shell. */
export const joined = (words: readonly Word[]): readonly Inner[] => {
  if (words.length === 0) return [];
  const text = words.map(textOf).join(" ");
  return [
    {
      kind: "text",
      text: words.every(isStatic)
        ? { kind: "static", value: text }
        : { kind: "dynamic", text, guess: text, splits: false },
    },
  ];
};

/** `su -c text`, `script -c text`: the text in an option, wherever it stands. */
export const withText = (names: readonly string[], syntax: OptionSyntax): Wrapper => ({
  inner: (args) => {
    const found: Inner[] = [];
    let rest = args;
    while (rest.length > 0) {
      const { values, rest: index } = leadingOptions(rest, syntax);
      for (const name of names) {
        const text = values.get(name);
        if (text !== undefined) found.push({ kind: "text", text });
      }
      rest = rest.slice(index + 1);
    }
    return found;
  },
});

export const shifted = (inner: Inner, by: number): Inner =>
  inner.kind === "words" && inner.index !== undefined ? { ...inner, index: inner.index + by } : inner;

/** The words behind one of these words: `xterm -e command`, `nix develop -c command`. A single one is a text for a shell. */
export const afterWord = (marks: readonly string[]): Wrapper => ({
  inner: (args) => {
    const at = args.findIndex((word) => word.kind === "static" && marks.includes(word.value));
    const words = at === -1 ? [] : args.slice(at + 1);
    if (words.length < 2) return joined(words);
    return [{ kind: "words", words }];
  },
});
