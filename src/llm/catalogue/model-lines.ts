import { nameOfLine, readModelLine, type ModelFacts } from "./model-facts.ts";
import { comparable } from "./model-name.ts";

/** The models of one provider as lines, in the order of their comparable names. */
export type ModelLines = readonly string[];

const byCode = (left: string, right: string): number => {
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

/** Brings lines into the order that `findLine` needs; of two with the same name the first counts. */
export const sortLines = (lines: readonly string[]): ModelLines => {
  const unique = new Map<string, string>();
  for (const line of lines) if (!unique.has(nameOfLine(line))) unique.set(nameOfLine(line), line);
  return [...unique.values()].toSorted(
    (left, right) =>
      byCode(comparable(nameOfLine(left)), comparable(nameOfLine(right))) ||
      byCode(nameOfLine(left), nameOfLine(right)),
  );
};

const BLANK = 0x20;
const SLASH = 0x2f;
const DASH = 0x2d;
const SMALLER = 0x20;

/** The character as `comparable` writes it. */
const comparableCode = (code: number): number => {
  if (code >= 0x41 && code <= 0x5a) return code + SMALLER;
  return code === 0x2e || code === 0x3a || code === 0x40 || code === 0x5f ? DASH : code;
};

/** Orders the name that a line begins with against a comparable one, from a position of the line on; makes no new text. */
const compareName = (line: string, wanted: string, from = 0): number => {
  for (let index = 0; ; index += 1) {
    const code = from + index < line.length ? line.charCodeAt(from + index) : BLANK;
    const left = code === BLANK ? 0 : comparableCode(code);
    const right = index < wanted.length ? wanted.charCodeAt(index) : 0;
    if (left !== right) return left - right;
    if (left === 0) return 0;
  }
};

/** The model of a name, by halving: nothing is parsed but the line that is found. The exact spelling comes before a similar one. */
export const findLine = (lines: ModelLines, name: string): ModelFacts | undefined => {
  const wanted = comparable(name);
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareName(lines[middle] ?? "", wanted) < 0) low = middle + 1;
    else high = middle;
  }
  let found: string | undefined;
  for (let index = low; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (compareName(line, wanted) !== 0) break;
    if (nameOfLine(line) === name) return readModelLine(line);
    found ??= line;
  }
  return found === undefined ? undefined : readModelLine(found);
};

/** The first model of any maker that has the name (`maker/name`). */
export const findOfAnyMaker = (lines: ModelLines, name: string): ModelFacts | undefined => {
  const wanted = comparable(name);
  const line = lines.find((candidate) => {
    const start = candidate.indexOf(" ") - wanted.length;
    return start > 0 && candidate.charCodeAt(start - 1) === SLASH && compareName(candidate, wanted, start) === 0;
  });
  return line === undefined ? undefined : readModelLine(line);
};
