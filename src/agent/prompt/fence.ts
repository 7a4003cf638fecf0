/** The blocks of a system prompt that hold what somebody else wrote. */
export type FenceName = "skills" | "project_instructions" | "memory" | "user_profile";

const NAMES: readonly FenceName[] = ["skills", "project_instructions", "memory", "user_profile"];

const OWN_TAG = new RegExp(`<(?=/?(?:${NAMES.join("|")})\\b)`, "giu");

/** The text with our tags spelt so that they are none (`<\memory>`): what is in a block can neither end it nor begin another. */
export const withoutFences = (text: string): string => text.replaceAll(OWN_TAG, "<\\");

/** Puts a text between the tags of a block; `file` = where it comes from. */
export const fence = (name: FenceName, text: string, file?: string): string => {
  const source = file === undefined ? "" : ` file="${file.replaceAll(/["<>\p{Cc}]/gu, "_")}"`;
  return `<${name}${source}>\n${withoutFences(text.trim())}\n</${name}>`;
};

/** A piece of a prompt: a block with its name, or what stands between blocks. */
export type PromptPiece =
  | { readonly kind: "block"; readonly name: FenceName; readonly file: string | undefined; readonly text: string }
  | { readonly kind: "between"; readonly text: string };

const BLOCK = new RegExp(`^<(${NAMES.join("|")})(?: file="([^"]*)")?>\\n[^]*?\\n</\\1>$`, "gmu");

/** Cuts a prompt at its blocks. Joining the pieces' texts gives the prompt back, but for the empty lines between them. */
export const splitAtFences = (prompt: string): readonly PromptPiece[] => {
  const pieces: PromptPiece[] = [];
  let at = 0;
  const between = (end: number): void => {
    const text = prompt.slice(at, end).trim();
    if (text !== "") pieces.push({ kind: "between", text });
  };
  for (const match of prompt.matchAll(BLOCK)) {
    between(match.index);
    const name = NAMES.find((one) => one === match[1]);
    if (name !== undefined) pieces.push({ kind: "block", name, file: match[2], text: match[0] });
    at = match.index + match[0].length;
  }
  between(prompt.length);
  return pieces;
};
