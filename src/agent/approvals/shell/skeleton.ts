import type { Token } from "./token.ts";

/**
 * Writes the tokens as a text that has only their structure: `w3` for the word at index 3, `r4` for a redirection.
 * So the grammar never sees quotes, here-documents or braces, whose reading is the tokeniser's work, and its tree
 * names tokens by index.
 */
export const renderSkeleton = (tokens: readonly Token[]): string => {
  const pieces: string[] = [];
  let last: Token | undefined;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "reserved" && needsTerminator(token.text, last)) pieces.push(";");
    pieces.push(renderToken(token, index));
    last = token;
  }
  return pieces.join(" ");
};

const renderToken = (token: Token, index: number): string => {
  switch (token.kind) {
    case "word":
      return `w${index}`;
    // Behind a simple command a redirection is like one of its words; behind a compound one the grammar has a place for it.
    case "redirect":
      return token.afterCompound ? `> r${index}` : `r${index}`;
    case "reserved":
      return token.text;
    case "newline":
      return "\n";
    case "operator":
      // The three ways to end a case item differ in which item runs next; here every item counts as run.
      return token.text === ";&" || token.text === ";;&" ? ";;" : token.text;
  }
};

const CLOSING = new Set(["fi", "done", "then", "do", "else", "elif", "}"]);

/** Bash takes these words as reserved directly behind a closing bracket or a loop's variable; the grammar wants a `;` there. */
const needsTerminator = (text: string, last: Token | undefined): boolean => {
  if (last === undefined || !CLOSING.has(text)) return false;
  if (last.kind === "operator") return last.text === ")";
  if (last.kind === "reserved") return ["}", "fi", "done", "esac"].includes(last.text);
  return last.kind === "redirect" ? last.afterCompound : last.kind === "word" && text === "do";
};
