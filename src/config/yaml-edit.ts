import { isDeepStrictEqual } from "node:util";
import { isAlias, isMap, isScalar, isSeq, parseDocument, type ParsedNode, stringify } from "yaml";
import { failure, type Result, success } from "../base/result.ts";
import { parseConfigText, type ParsedConfigFile } from "./config-file.ts";
import { memberAt, memberCount, type PathFailure, withMember, withoutMember } from "./plain-edit.ts";
import { findPlace, memberLines, type YamlPlace } from "./yaml-layout.ts";

/** Why a YAML text was not edited. `shared`: an alias or a merge shares the value, so it can't change alone. */
export type YamlEditFailure = PathFailure | { readonly kind: "shared" };

/**
 * The text with `value` at `path`. Every byte that doesn't belong to the value stays: comments, order, blank lines,
 * quoting, line ends. Missing mappings on the way are made; a list takes an index or, to append, its length.
 * The result was parsed again: it holds the old settings with this one changed, or the edit is refused.
 */
export const setInYaml = (
  file: ParsedConfigFile,
  path: readonly string[],
  value: unknown,
): Result<string, YamlEditFailure> => {
  const expected = withMember(file.value, path, value);
  if (!expected.ok) return expected;
  const rewrite = (): string | undefined => rewritten(file, (document) => document.setIn(pathIn(file, path), value));
  return firstThatHolds(expected.value, [() => spliceSet(file, path, value), rewrite]);
};

/** The text without what stands at `path`, and without mappings that this empties; undefined if nothing stands there. */
export const unsetInYaml = (
  file: ParsedConfigFile,
  path: readonly string[],
): Result<string | undefined, YamlEditFailure> => {
  if (memberAt(file.value, path) === undefined) return success(undefined);
  const highest = emptiedBy(file.value, path);
  const target = highest.length < path.length && holdsComments(file, highest) ? path : highest;
  const parent = path.slice(0, -1);
  const leavesNothing = target === path && parent.length > 0 && memberCount(memberAt(file.value, parent)) === 1;
  // A key whose last member goes away has nothing behind it, which is null in YAML.
  const expected = leavesNothing ? withMember(file.value, parent, null) : success(withoutMember(file.value, target));
  if (!expected.ok) return expected;
  const rewrite = (): string | undefined => rewritten(file, (document) => document.deleteIn(pathIn(file, target)));
  return firstThatHolds(expected.value, [() => spliceUnset(file, target), rewrite]);
};

const firstThatHolds = (
  expected: unknown,
  candidates: readonly (() => string | undefined)[],
): Result<string, YamlEditFailure> => {
  for (const candidate of candidates) {
    const text = candidate();
    const parsed = text === undefined ? undefined : parseConfigText(text);
    if (text !== undefined && parsed?.kind === "parsed" && isDeepStrictEqual(parsed.value, expected))
      return success(text);
  }
  return failure({ kind: "shared" });
};

const lineBreakOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

// Written so that YAML 1.1 readers, which take a bare `on` for true, read the same value.
const YAML_STYLE = {
  compat: "yaml-1.1",
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

// Line breaks, and what YAML readers strip, fold or refuse: odd blanks, controls, halves of surrogate pairs.
const UNSAFE = /[^ -~\p{L}\p{M}\p{N}\p{P}\p{S}]/gu;

/** A value as YAML on one line. */
const inline = (value: unknown): string => {
  if (typeof value === "string" && value.search(UNSAFE) !== -1)
    return JSON.stringify(value).replaceAll(UNSAFE, escaped);
  return stringify(value, { ...YAML_STYLE, collectionStyle: "flow", flowCollectionPadding: false }).trimEnd();
};

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");

/** `a:` and below it `b: value` for the part of a path that is new, each line behind `indent`. */
const newLines = (path: readonly string[], value: unknown, indent: string): string[] =>
  path.map((key, depth) => {
    const end = depth === path.length - 1 ? ` ${inline(value)}` : "";
    return `${indent}${"  ".repeat(depth)}${inline(key)}:${end}`;
  });

const spliceSet = (file: ParsedConfigFile, path: readonly string[], value: unknown): string | undefined => {
  const { text } = file;
  const place = findPlace(file, path);
  if (place === undefined) return insertLines(text, text.length, newLines(path, value, ""));
  const { rest } = place;
  if (rest.length === 0) return replaceValue(text, place, value);
  if (place.kind === "empty") return insertLines(text, place.after, newLines(rest, value, `${place.indent}  `));
  const { node } = place;
  if (isScalar(node) || isAlias(node)) return replaceNode(text, node, inline(nested(rest, value)));
  if (node.flow === true) return rerendered(file, node, (held) => withMember(held, rest, value));
  if (isMap(node)) return insertLines(text, place.after, newLines(rest, value, place.indent));
  return insertLines(text, place.after, [`${place.indent}- ${inline(nested(rest.slice(1), value))}`]);
};

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((held: unknown, key) => ({ [key]: held }), value);

/** Puts whole lines behind the line that ends at `after`. */
const insertLines = (text: string, after: number, lines: readonly string[]): string => {
  const lineBreak = lineBreakOf(text);
  const before = text.slice(0, after);
  const isOpen = before !== "" && before !== "\uFEFF" && !before.endsWith("\n");
  // A file that doesn't end in a line break goes on not to.
  return `${before}${isOpen ? lineBreak : ""}${lines.join(lineBreak)}${isOpen ? "" : lineBreak}${text.slice(after)}`;
};

const replaceValue = (text: string, place: YamlPlace, value: unknown): string | undefined => {
  if (place.kind === "empty") return `${text.slice(0, place.at)} ${inline(value)}${text.slice(place.at)}`;
  const { node } = place;
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true;
  return isBlock ? undefined : replaceNode(text, node, inline(value));
};

const replaceNode = (text: string, node: ParsedNode, rendered: string): string => {
  const [start, end] = node.range;
  // A block scalar's range ends behind its last line break.
  const lineBreak = /\r?\n$/.exec(text.slice(start, end))?.[0] ?? "";
  return text.slice(0, start) + rendered + lineBreak + text.slice(end);
};

const rerendered = (
  file: ParsedConfigFile,
  node: ParsedNode,
  change: (held: unknown) => Result<unknown, PathFailure>,
): string | undefined => {
  // Comments, anchors and line breaks inside would be lost; then the library's own way is the better one.
  if (/[#&*\n]/.test(file.text.slice(node.range[0], node.range[1]))) return undefined;
  const changed = change(node.toJS(file.document));
  return changed.ok ? replaceNode(file.text, node, inline(changed.value)) : undefined;
};

const spliceUnset = (file: ParsedConfigFile, path: readonly string[]): string | undefined => {
  const { text } = file;
  const place = findPlace(file, path.slice(0, -1));
  const key = path.at(-1);
  if (place?.kind !== "node" || place.rest.length > 0 || key === undefined) return undefined;
  if ((isMap(place.node) || isSeq(place.node)) && place.node.flow === true) {
    return rerendered(file, place.node, (held) => success(withoutMember(held, [key])));
  }
  const lines = memberLines(text, place.node, key);
  if (lines === undefined) return undefined;
  // The last line of a file that doesn't end in a line break takes the break before it along.
  const isOpenEnd = lines.end === text.length && !text.endsWith("\n");
  const before = text.slice(0, lines.start);
  return (isOpenEnd ? before.replace(/\r?\n$/, "") : before) + text.slice(lines.end);
};

const holdsComments = (file: ParsedConfigFile, path: readonly string[]): boolean => {
  const place = findPlace(file, path.slice(0, -1));
  const lines = place?.kind === "node" ? memberLines(file.text, place.node, path.at(-1) ?? "") : undefined;
  return lines !== undefined && /^[ \t]*#/m.test(file.text.slice(lines.start, lines.end));
};

/** The edit done by the YAML library: right for every shape, but it may lay out other lines anew. */
const rewritten = (
  file: ParsedConfigFile,
  change: (document: ReturnType<typeof parseDocument>) => void,
): string | undefined => {
  const document = parseDocument(file.text, { merge: true, prettyErrors: false, compat: "yaml-1.1" });
  try {
    change(document);
  } catch {
    // The library throws for paths that lead through a scalar or an alias; the caller says that it can't be done.
    return undefined;
  }
  const text = document.toString({ lineWidth: 0 });
  return lineBreakOf(file.text) === "\r\n" ? text.replaceAll(/\r?\n/g, "\r\n") : text;
};

/** The path with list indexes as numbers and keys as the document spells them. */
const pathIn = (file: ParsedConfigFile, path: readonly string[]): unknown[] => {
  let node: unknown = file.document.contents;
  return path.map((part) => {
    const holder = isAlias(node) ? node.resolve(file.document) : node;
    if (isSeq(holder)) {
      node = holder.items[Number(part)];
      return Number(part);
    }
    const pair = isMap(holder)
      ? holder.items.find((item) => isScalar(item.key) && String(item.key.value) === part)
      : undefined;
    node = pair?.value;
    return isScalar(pair?.key) ? pair.key.value : part;
  });
};

/** The highest mapping or list that holds nothing but what is taken out, or else the path itself. */
const emptiedBy = (value: unknown, path: readonly string[]): readonly string[] => {
  for (let length = 1; length < path.length; length++) {
    const below = path.slice(length).map((_, index) => path.slice(0, length + index));
    if (below.every((at) => memberCount(memberAt(value, at)) === 1)) return path.slice(0, length);
  }
  return path;
};
