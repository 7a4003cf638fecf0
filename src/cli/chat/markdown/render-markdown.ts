import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { createPalette, type Palette } from "../palette.ts";
import { wrapText } from "../text-width.ts";
import type { AnswerPart } from "./markdown-stream.ts";
import { known, renderInline } from "./render-inline.ts";
import { renderTable, tableContent } from "./render-table.ts";

/** `render` draws it, `strip` leaves only the words, `raw` shows the source (`display.final_response_markdown`). */
export type MarkdownMode = "strip" | "render" | "raw";

/** For which terminal. */
export interface RenderTarget {
  /** Columns. */
  readonly width: number;
  readonly palette: Palette;
  readonly mode: MarkdownMode;
}

const RULE_WIDTH = 40;
const LONGEST_LANGUAGE = 20;
const NO_PALETTE = createPalette(false);

const prefixLines = (lines: readonly string[], prefix: string): readonly string[] =>
  lines.map((line) => (line === "" ? prefix.trimEnd() : prefix + line));

/** Children must keep at least this many columns, or they are not set in. */
const NARROWEST_CHILD = 8;

const inset = (target: RenderTarget, columns: number): RenderTarget | undefined =>
  target.width - columns < NARROWEST_CHILD ? undefined : { ...target, width: target.width - columns };

const renderHeading = (token: Tokens.Heading, target: RenderTarget): readonly string[] => {
  const words = renderInline(token.tokens, target.palette);
  const { bold, underline } = target.palette;
  return wrapText(token.depth === 1 ? bold(underline(words)) : bold(words), target.width);
};

const fenceTop = (language: string, target: RenderTarget): readonly string[] => {
  if (target.mode === "strip") return [];
  const name = language === "" ? "" : ` ${language.slice(0, LONGEST_LANGUAGE)}`;
  return wrapText(target.palette.dim(`╭──${name}`), target.width, { mode: "hard" }).slice(0, 1);
};

const fenceBottom = (target: RenderTarget): readonly string[] =>
  target.mode === "strip" ? [] : wrapText(target.palette.dim("╰──"), target.width, { mode: "hard" }).slice(0, 1);

const fenceLines = (lines: readonly string[], target: RenderTarget): readonly string[] =>
  lines.flatMap((line) =>
    wrapText(line, target.width, { mode: "hard", first: line === "" || target.mode === "strip" ? "" : "  " }),
  );

const renderCode = (token: Tokens.Code, target: RenderTarget): readonly string[] => [
  ...fenceTop(token.lang ?? "", target),
  ...fenceLines(token.text.split("\n"), target),
  ...fenceBottom(target),
];

const renderQuote = (token: Tokens.Blockquote, target: RenderTarget): readonly string[] => {
  const bar = target.mode === "strip" ? "  " : `${target.palette.dim("│")} `;
  const child = inset(target, 2);
  if (child === undefined) return renderTokens(token.tokens, target);
  return prefixLines(renderTokens(token.tokens, child), bar);
};

const renderItem = (item: Tokens.ListItem, marker: string, target: RenderTarget): readonly string[] => {
  const child = inset(target, marker.length);
  if (child === undefined) return renderTokens(item.tokens, target);
  const [first = "", ...rest] = renderTokens(item.tokens, child, item.loose);
  return [marker + first, ...prefixLines(rest, " ".repeat(marker.length))];
};

const renderList = (list: Tokens.List, target: RenderTarget): readonly string[] => {
  const start = typeof list.start === "number" ? list.start : 1;
  const digits = String(start + list.items.length - 1).length;
  return list.items.flatMap((item, index) => {
    const marker = list.ordered ? `${String(start + index).padStart(digits)}. ` : "• ";
    const gap = list.loose && index > 0 ? [""] : [];
    return [...gap, ...renderItem(item, marker, target)];
  });
};

const renderBlock = (token: MarkedToken, target: RenderTarget): readonly string[] => {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return renderHeading(token, target);
    case "hr":
      return [target.palette.dim("─".repeat(Math.min(RULE_WIDTH, target.width)))];
    case "code":
      return renderCode(token, target);
    case "blockquote":
      return renderQuote(token, target);
    case "list":
      return renderList(token, target);
    case "table":
      return renderTable(tableContent(token, target.palette), target.width, target.palette);
    case "paragraph":
      return wrapText(renderInline(token.tokens, target.palette), target.width);
    case "html":
      return wrapText(token.raw.trimEnd(), target.width);
    case "text":
    case "br":
    case "checkbox":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "list_item":
    case "strong":
      return wrapText(renderInline([token], target.palette), target.width);
    default:
      return token satisfies never;
  }
};

const INLINE: ReadonlySet<string> = new Set([
  "text",
  "checkbox",
  "strong",
  "em",
  "link",
  "codespan",
  "del",
  "br",
  "image",
]);

/** Groups what stands side by side on a line (an item's checkbox and its words), so that it wraps as one. */
const grouped = (tokens: readonly Token[]): readonly (readonly Token[])[] => {
  const groups: Token[][] = [];
  for (const token of tokens) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    if (last !== undefined && before !== undefined && INLINE.has(before.type) && INLINE.has(token.type))
      last.push(token);
    else groups.push([token]);
  }
  return groups;
};

const renderTokens = (tokens: readonly Token[], target: RenderTarget, spaced = true): readonly string[] => {
  const lines: string[] = [];
  for (const group of grouped(tokens)) {
    const [token] = known(group);
    if (token === undefined) continue;
    const drawn =
      group.length > 1 ? wrapText(renderInline(group, target.palette), target.width) : renderBlock(token, target);
    if (drawn.length === 0) continue;
    if (spaced && lines.length > 0) lines.push("");
    lines.push(...drawn);
  }
  return lines;
};

const renderSource = (source: string, target: RenderTarget): readonly string[] => {
  if (target.mode === "raw") return wrapText(source.replace(/^\n+|\n+$/gu, ""), target.width, { mode: "hard" });
  const palette = target.mode === "strip" ? NO_PALETTE : target.palette;
  return renderTokens(new Lexer({ gfm: true }).lex(source), { ...target, palette });
};

const renderFencePart = (part: Exclude<AnswerPart, { kind: "blocks" }>, target: RenderTarget): readonly string[] => {
  const raw = (line: string): readonly string[] => wrapText(line, target.width, { mode: "hard" });
  switch (part.kind) {
    case "fence_open": {
      const gap = part.joined ? [] : [""];
      return [...gap, ...(target.mode === "raw" ? raw(`\`\`\`${part.language}`) : fenceTop(part.language, target))];
    }
    case "fence_lines":
      return target.mode === "raw" ? part.lines.flatMap(raw) : fenceLines(part.lines, target);
    case "fence_close":
      return target.mode === "raw" ? raw("```") : fenceBottom(target);
    default:
      return part satisfies never;
  }
};

/** The lines of one part of an answer, none wider than the target. Must be given cleaned text (`markdown-stream` does). */
export const renderAnswerPart = (part: AnswerPart, target: RenderTarget): readonly string[] => {
  if (part.kind !== "blocks") return renderFencePart(part, target);
  const lines = renderSource(part.source, target);
  return part.joined || lines.length === 0 ? lines : ["", ...lines];
};
