import type { Word } from "../shell/expand-word.ts";
import { allOptions } from "./options.ts";
import type { ParsedOptions } from "./options.ts";

/** Tar's letters with a value. */
const SHORT = "fCTXbHKLNVgIF";

const LONG = [
  "--file",
  "--directory",
  "--files-from",
  "--exclude-from",
  "--use-compress-program",
  "--to-command",
  "--info-script",
  "--new-volume-script",
  "--rsh-command",
];

/** Tar's arguments taken apart; also in the old style, where the first word has the letters and their values follow in order. */
export const tarOptions = (args: readonly Word[]): ParsedOptions & { readonly operands: readonly Word[] } =>
  allOptions(modern(args), { short: SHORT, long: LONG });

/** `xfC a.tar there` as `-x -f a.tar -C there`. */
const modern = (args: readonly Word[]): readonly Word[] => {
  const [first, ...rest] = args;
  if (first?.kind !== "static" || !/^[A-Za-z]+$/.test(first.value)) return args;
  let next = 0;
  const words = Array.from(first.value).flatMap((letter): readonly Word[] => {
    const flag: Word = { kind: "static", value: `-${letter}` };
    const value = SHORT.includes(letter) ? rest[next] : undefined;
    if (value === undefined) return [flag];
    next += 1;
    return [flag, value];
  });
  return [...words, ...rest.slice(next)];
};
