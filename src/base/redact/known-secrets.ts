import { showsEvidence } from "./evidence.ts";
import type { FindSecrets } from "./find-secrets.ts";
import type { NameIndex } from "./name-verdict.ts";
import type { SecretSpan } from "./secret-span.ts";

/** A setting or variable as the owner gave it. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** What is shorter, or longer, or no more than words would be found where it is not meant. */
const SHORTEST = 8;
const LONGEST = 4096;

const isTelling = (value: string): boolean =>
  value.length >= SHORTEST && value.length <= LONGEST && !/\s|«secret:/.test(value) && showsEvidence(value, "password");

/**
 * Adds the owner's own secrets to what `find` finds: those of `values` whose names say secret and whose values are more than words,
 * wherever they stand and whatever stands before them, also as a URL writes them.
 */
export const withKnownSecrets = (find: FindSecrets, names: NameIndex, values: readonly NamedValue[]): FindSecrets => {
  const kinds = new Map<string, string>();
  for (const { name, value } of values) {
    const row = isTelling(value) ? names.verdict(name) : undefined;
    if (row === undefined) continue;
    for (const form of [value, encodeURIComponent(value.toWellFormed())])
      if (!kinds.has(form)) kinds.set(form, row.kind);
  }
  if (kinds.size === 0) return find;
  const longestFirst = [...kinds.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(
    longestFirst.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join("|"),
    "g",
  );
  return (text, from = 0) => {
    const known = knownSpans(text, from, { pattern, kinds });
    return known.length === 0 ? find(text, from) : united([...find(text, from), ...known]);
  };
};

const knownSpans = (
  text: string,
  from: number,
  { pattern, kinds }: { readonly pattern: RegExp; readonly kinds: ReadonlyMap<string, string> },
): readonly SecretSpan[] => {
  const spans: SecretSpan[] = [];
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [value] = match;
    spans.push({ start: match.index, end: match.index + value.length, kind: kinds.get(value) ?? "secret" });
  }
  return spans;
};

/** Spans in order without overlaps: what overlaps becomes one, of the kind that begins first or reaches further. */
const united = (spans: readonly SecretSpan[]): readonly SecretSpan[] => {
  const result: SecretSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end) result[result.length - 1] = { ...last, end: span.end };
  }
  return result;
};
