import type { MarkedToken, Token } from "marked";
import type { Palette } from "../palette.ts";

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#39;", "'"],
  ["&nbsp;", " "],
]);

/** marked's catch-all token type would hide the others from the compiler; without extensions it makes only these. */
export const known = (tokens: readonly Token[]): readonly MarkedToken[] => tokens as readonly MarkedToken[];

const decode = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/gu, (name) => ENTITIES.get(name) ?? name);

const renderLink = (label: string, target: string, palette: Palette): string => {
  const bare = target.replace(/^mailto:/u, "");
  // The address is always shown: a label must not be able to hide where it leads.
  return label === target || label === bare || label === ""
    ? palette.underline(bare)
    : `${palette.underline(label)} ${palette.dim(`(${target})`)}`;
};

const renderToken = (token: MarkedToken, palette: Palette): string => {
  switch (token.type) {
    case "strong":
      return palette.bold(renderInline(token.tokens, palette));
    case "em":
      return palette.italic(renderInline(token.tokens, palette));
    case "del":
      return palette.strike(renderInline(token.tokens, palette));
    case "codespan":
      return palette.cyan(token.text);
    case "br":
      return "\n";
    case "link":
      return renderLink(renderInline(token.tokens, palette), token.href, palette);
    case "image":
      return `[${token.text === "" ? "image" : token.text}] ${palette.dim(`(${token.href})`)}`;
    case "escape":
      return token.text;
    case "text":
      return token.tokens === undefined ? decode(token.text) : renderInline(token.tokens, palette);
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "blockquote":
    case "code":
    case "def":
    case "heading":
    case "hr":
    case "html":
    case "list":
    case "list_item":
    case "paragraph":
    case "space":
    case "table":
      return token.raw;
    default:
      return token satisfies never;
  }
};

/** The words of one block with their weights, as text with colours; line ends inside are kept. */
export const renderInline = (tokens: readonly Token[], palette: Palette): string =>
  known(tokens)
    .map((token) => renderToken(token, palette))
    .join("");
