import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
} from "yaml";
import { messageOf } from "../base/app-error.ts";
import { readTextFile } from "./text-file.ts";

/** config.yaml as it was found. `text` is what the document was parsed from. */
export type ConfigFile =
  | { readonly kind: "absent" }
  | {
      readonly kind: "broken";
      readonly reason: string;
      readonly line?: number | undefined;
      readonly column?: number | undefined;
    }
  | ParsedConfigFile;

/** A config.yaml whose top is a mapping (or that is empty). */
export interface ParsedConfigFile {
  readonly kind: "parsed";
  readonly text: string;
  readonly mode: number;
  readonly document: Document.Parsed;
  readonly value: Readonly<Record<string, unknown>>;
  /** The 1-based line of the key or item at a path; of the nearest one above it if it has none of its own. */
  readonly lineOf: (path: readonly string[]) => number | undefined;
}

/** Reads and parses config.yaml. Never throws; what can't be used is `broken`, with its line where there is one. */
export const readConfigFile = (path: string): ConfigFile => {
  const file = readTextFile(path);
  return file.kind === "text" ? parseConfigText(file.text, file.mode) : file;
};

/** Parses the text of a config.yaml. `mode` is handed through. */
export const parseConfigText = (text: string, mode = 0o600): ConfigFile => {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
    const fault = document.errors[0] ?? badAlias(document);
    if (fault !== undefined) return brokenAt(fault, text, lines);
    const value: unknown = document.toJS();
    if (value !== null && (typeof value !== "object" || Array.isArray(value))) {
      return {
        kind: "broken",
        reason: "the top level must be a mapping of settings (`key: value`)",
        line: lines.linePos(contentStart(document)).line,
      };
    }
    return { kind: "parsed", text, mode, document, value: { ...value }, lineOf: (at) => lineOf(document, lines, at) };
  } catch (error) {
    // The parser overflows the stack on hostile nesting and refuses alias bombs by throwing.
    return { kind: "broken", reason: `can't be parsed: ${messageOf(error)}` };
  }
};

const contentStart = (document: Document.Parsed): number => document.contents?.range[0] ?? 0;

type Fault = Pick<YAMLError, "message" | "pos">;

/** An alias of nothing, or of what it stands in itself: a value without an end. */
const badAlias = (document: Document.Parsed): Fault | undefined => {
  let found: Fault | undefined;
  visit(document, {
    Alias: (_, node, above) => {
      const target = node.resolve(document);
      if (target !== undefined && !above.some((each) => each === target)) return undefined;
      const at = node.range?.[0] ?? 0;
      const message =
        target === undefined
          ? `there is no anchor &${node.source} for the alias *${node.source}`
          : `the alias *${node.source} stands inside the value that it names`;
      found = { message, pos: [at, at + 1] };
      return visit.BREAK;
    },
  });
  return found;
};

const brokenAt = (fault: Fault, text: string, lines: LineCounter): ConfigFile => {
  // What is missing at the end is reported where the text ends, not on the empty line behind it.
  const at = Math.min(fault.pos[0], Math.max(0, text.trimEnd().length - 1));
  const { line, col } = lines.linePos(at);
  return { kind: "broken", reason: fault.message, line, column: col };
};

const lineOf = (document: Document.Parsed, lines: LineCounter, path: readonly string[]): number | undefined => {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const part of path) {
    const target = isAlias(node) ? node.resolve(document) : node;
    const found = step(target, part);
    if (found === undefined) break;
    offset = found.offset ?? offset;
    node = found.node;
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
};

const step = (
  node: unknown,
  part: string,
): { readonly node: unknown; readonly offset: number | undefined } | undefined => {
  if (isMap(node)) {
    const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === part);
    if (pair === undefined || !isScalar(pair.key)) return undefined;
    return { node: pair.value, offset: pair.key.range?.[0] };
  }
  if (!isSeq(node)) return undefined;
  const item: unknown = node.items[Number(part)];
  const range = isScalar(item) || isMap(item) || isSeq(item) || isAlias(item) ? item.range : undefined;
  return item === undefined ? undefined : { node: item, offset: range?.[0] };
};
