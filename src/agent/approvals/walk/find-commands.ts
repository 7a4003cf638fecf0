import type { Word } from "../shell/expand-word.ts";
import { replaceIn } from "./inner-command.ts";
import type { Inner } from "./inner-command.ts";

const EXECUTES = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const FD_EXECUTES = new Set(["-x", "--exec", "-X", "--exec-batch"]);

/** Tests and actions of `find` that leave everything below the start in the result. */
const NOT_NARROWING = new Set([
  "-delete",
  "-depth",
  "-d",
  "-xdev",
  "-mount",
  "-print",
  "-print0",
  "-follow",
  "-noleaf",
  "-true",
  "-ignore_readdir_race",
  "-a",
  "-o",
  "(",
  ")",
  "!",
]);
const NOT_NARROWING_WITH_VALUE = new Set(["-mindepth", "-maxdepth", "-type"]);

/** What is found, where it is not everything below a start: something in there. */
const foundIn = (start?: Word): Word => ({
  kind: "dynamic",
  text: `"$found"`,
  guess: start?.kind === "static" ? `${start.value}/` : "",
  splits: false,
});

/** The commands that `find` runs, with `{}` filled in; `-delete` counts as `rm -r` of the starts where nothing narrows the search. */
export const findCommands = (args: readonly Word[]): readonly Inner[] => {
  const begin = args.findIndex((word) => isExpression(word));
  const expression = begin === -1 ? [] : args.slice(begin);
  const operands = (begin === -1 ? args : args.slice(0, begin)).filter((word) => !valueOf(word).startsWith("-"));
  const starts: readonly Word[] = operands.length > 0 ? operands : [{ kind: "static", value: "." }];
  const results = isNarrowed(expression) ? starts.map(foundIn) : starts;
  const commands = executed(expression, EXECUTES).flatMap((words) => fill(words, results));
  const deletes = expression.some((word) => valueOf(word) === "-delete") && !isNarrowed(expression);
  const removals = deletes
    ? starts.map((start): Inner => ({ kind: "words", words: [known("rm"), known("-r"), known("--"), start] }))
    : [];
  return [...commands, ...removals];
};

/** The commands that `fd` runs for what it finds. */
export const fdCommands = (args: readonly Word[]): readonly Inner[] =>
  executed(args, FD_EXECUTES).flatMap((words) => fill([...words, known("{}")], [foundIn()]));

const known = (value: string): Word => ({ kind: "static", value });

const valueOf = (word: Word): string => (word.kind === "static" ? word.value : "");

const isExpression = (word: Word): boolean =>
  /^(?:-(?![HLPDO])|[()!,]$)./.test(`${valueOf(word)} `) && valueOf(word) !== "--";

const executed = (expression: readonly Word[], flags: ReadonlySet<string>): readonly (readonly Word[])[] =>
  expression.flatMap((word, index) => {
    if (!flags.has(valueOf(word))) return [];
    const rest = expression.slice(index + 1);
    const end = rest.findIndex(
      (each, at) =>
        valueOf(each) === ";" || (valueOf(each) === "+" && valueOf(rest[at - 1] ?? known("")).includes("{}")),
    );
    return [end === -1 ? rest : rest.slice(0, end)];
  });

const fill = (words: readonly Word[], results: readonly Word[]): readonly Inner[] =>
  results.map((result) => ({ kind: "words", words: words.map((word) => replaceIn(word, "{}", result)) }));

const isNarrowed = (expression: readonly Word[]): boolean => {
  let index = 0;
  while (index < expression.length) {
    const value = valueOf(expression[index] ?? known(""));
    if (EXECUTES.has(value)) {
      const end = expression.findIndex((word, at) => at > index && [";", "+"].includes(valueOf(word)));
      index = end === -1 ? expression.length : end + 1;
    } else if (NOT_NARROWING.has(value)) index += 1;
    else if (NOT_NARROWING_WITH_VALUE.has(value)) index += 2;
    else if (value === "-name" && valueOf(expression[index + 1] ?? known("")) === "*") index += 2;
    else return true;
  }
  return false;
};
