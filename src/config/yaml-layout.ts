import { type Document, isMap, isScalar, isSeq, type ParsedNode } from "yaml";

/** The deepest node on the way to a path; `rest` is the part of the path that does not exist yet. */
export type YamlPlace =
  /** A key with nothing behind its colon, which is at `at`. Lines below it go to `after`, behind `indent`. */
  | {
      readonly kind: "empty";
      readonly rest: readonly string[];
      readonly at: number;
      readonly after: number;
      readonly indent: string;
    }
  /** A node. New members of a block collection go to `after`, behind `indent`. */
  | {
      readonly kind: "node";
      readonly rest: readonly string[];
      readonly node: ParsedNode;
      readonly after: number;
      readonly indent: string;
    };

/** A document and the text that it was parsed from. */
export interface YamlSource {
  readonly document: Document.Parsed;
  readonly text: string;
}

/** Finds the deepest node on the way to a path; undefined for a document without content. Aliases are not followed. */
export const findPlace = (source: YamlSource, path: readonly string[]): YamlPlace | undefined => {
  let node: ParsedNode | null = source.document.contents;
  if (node === null) return undefined;
  for (const [depth, part] of path.entries()) {
    const member = findMember(node, part);
    if (member === undefined) return nodePlace(source, node, path.slice(depth));
    const { value } = member;
    if (value === null || (isScalar(value) && value.source === "" && value.value === null)) {
      const at = value?.range[0] ?? member.start;
      return {
        kind: "empty",
        rest: path.slice(depth + 1),
        at,
        after: lineEndAfter(source.text, at),
        indent: indentAt(source.text, member.start),
      };
    }
    node = value;
  }
  return nodePlace(source, node, []);
};

const nodePlace = ({ text }: YamlSource, node: ParsedNode, rest: readonly string[]): YamlPlace => {
  const indent = indentAt(text, node.range[0]);
  return { kind: "node", rest, node, indent, after: indent === "" ? text.length : afterMembers(node, text, indent) };
};

/** Behind the last member and the comments that follow it at the same depth. */
const afterMembers = (node: ParsedNode, text: string, indent: string): number => {
  let position = lineEndAfter(text, endOfMembers(node));
  while (text.startsWith(`${indent}#`, position)) position = lineEndAfter(text, position + indent.length + 1);
  return position;
};

const endOfMembers = (node: ParsedNode): number => {
  const last = isMap(node) || isSeq(node) ? node.items.at(-1) : undefined;
  if (last === undefined) return node.range[1];
  if ("range" in last) return endOfMembers(last);
  return last.value === null ? last.key.range[1] : endOfMembers(last.value);
};

interface YamlMember {
  /** Where its key or its dash begins. */
  readonly start: number;
  readonly end: number;
  readonly value: ParsedNode | null;
}

const findMember = (node: ParsedNode, part: string): YamlMember | undefined => {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === part);
    if (pair === undefined) return undefined;
    return {
      start: pair.key.range[0],
      end: pair.value === null ? pair.key.range[1] : endOfMembers(pair.value),
      value: pair.value,
    };
  }
  const item = isSeq(node) ? node.items[Number(part)] : undefined;
  if (item === undefined || !("range" in item)) return undefined;
  return { start: item.range[0], end: endOfMembers(item), value: item };
};

/**
 * The whole lines of one member of a block collection, its trailing comment included; undefined where it shares
 * its first line with something else.
 */
export const memberLines = (
  text: string,
  node: ParsedNode,
  part: string,
): { readonly start: number; readonly end: number } | undefined => {
  const member = findMember(node, part);
  if (member === undefined) return undefined;
  const start = lineStart(text, member.start);
  const before = text.slice(start, member.start);
  const isAlone = isSeq(node) ? /^\uFEFF?[ ]*-[ \t]+$/.test(before) : /^\uFEFF?[ ]*$/.test(before);
  return isAlone
    ? { start: before.startsWith("\uFEFF") ? start + 1 : start, end: lineEndAfter(text, member.end) }
    : undefined;
};

const lineStart = (text: string, position: number): number => text.lastIndexOf("\n", position - 1) + 1;

/** The white space that puts a line's first character into the same column as `position`. */
const indentAt = (text: string, position: number): string =>
  text.slice(lineStart(text, position), position).replace("\uFEFF", "").replaceAll(/[^\s]/g, " ");

/** Behind the line break that ends the line on which something ends; `end` itself if it ends with one. */
const lineEndAfter = (text: string, end: number): number => {
  if (end > 0 && text[end - 1] === "\n") return end;
  const newline = text.indexOf("\n", end);
  return newline === -1 ? text.length : newline + 1;
};
