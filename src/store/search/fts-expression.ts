import { tokensToFind } from "./index-text.ts";
import type { ScriptPiece } from "./index-text.ts";
import type { Arm, Term } from "./parse-query.ts";

/** Tags (see `index-tags.ts`) that a message must have: one of each of `oneOf`, none of `none`. */
export interface TagFilter {
  readonly oneOf: readonly (readonly string[])[];
  readonly none: readonly string[];
}

/** Writes a parsed query and its filter in FTS5's language. Every text stands in quotes, so none of it can be syntax. */
export const ftsExpression = (arms: readonly Arm[], { oneOf, none }: TagFilter = { oneOf: [], none: [] }): string => {
  const wanted = joined([joined(arms.map(armExpression), "OR"), ...oneOf.map(tagExpression)], "AND");
  return none.length === 0 ? wanted : `${wanted} NOT ${tagExpression(none)}`;
};

const tagExpression = (tags: readonly string[]): string =>
  joined(
    tags.map((tag) => `tags : ${quoted(tag)}`),
    "OR",
  );

const armExpression = ({ include, exclude }: Arm): string => {
  const included = joined(include.map(termExpression), "AND");
  return exclude.length === 0 ? included : `${included} NOT ${joined(exclude.map(termExpression), "OR")}`;
};

const termExpression = ({ pieces, isPrefix }: Term): string =>
  joined(
    pieces.map((piece, index) => pieceExpression(piece, isPrefix && index === pieces.length - 1)),
    "AND",
  );

const pieceExpression = (piece: ScriptPiece, isPrefix: boolean): string => {
  if (piece.kind === "words") return `words : ${quoted(piece.text)}${isPrefix ? " *" : ""}`;
  const found = tokensToFind(piece.text);
  return `cjk : ${quoted(found.tokens.join(" "))}${found.isPrefix ? " *" : ""}`;
};

// FTS5 reads its query as a C string: it would end at a NUL.
const quoted = (text: string): string => `"${text.replaceAll("\0", " ").replaceAll('"', '""')}"`;

const joined = (parts: readonly string[], operator: string): string => `(${parts.join(` ${operator} `)})`;
