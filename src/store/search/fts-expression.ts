import { tokensToFind } from "./index-text.ts";
import type { ScriptPiece } from "./index-text.ts";
import type { Arm, Term } from "./parse-query.ts";

/** Writes a parsed query in FTS5's language. Every text stands in quotes, so none of it can be syntax. */
export const ftsExpression = (arms: readonly Arm[]): string => joined(arms.map(armExpression), "OR");

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
