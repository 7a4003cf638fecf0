import { Lexer, type Token, type Tokens } from "marked";
import { cleanChunk, cleanText } from "../text-safety.ts";

/**
 * Cuts an answer that is still arriving into parts that can no longer change (they are printed and forgotten)
 * and the open end of it (drawn anew with every piece). Pure: a state goes in, a state comes out.
 */
export interface MarkdownStream {
  /** The beginning of an escape sequence whose rest has not come. */
  readonly held: string;
  /** What is not yet finished, cleaned. */
  readonly tail: string;
  /** The fence that stands open; its lines are finished one by one. */
  readonly fence: OpenFence | undefined;
  /** Whether the next part follows the one before it without an empty line (it is the first, or the next item of a list). */
  readonly joined: boolean;
}

interface OpenFence {
  readonly character: "`" | "~";
  readonly length: number;
  readonly indent: number;
}

/** A finished (or, from `openParts`, provisional) piece of an answer. `joined` = no empty line before it. */
export type AnswerPart =
  | { readonly kind: "blocks"; readonly source: string; readonly joined: boolean }
  | { readonly kind: "fence_open"; readonly language: string; readonly joined: boolean }
  | { readonly kind: "fence_lines"; readonly lines: readonly string[] }
  | { readonly kind: "fence_close" };

/** An answer of which nothing has come. */
export const EMPTY_STREAM: MarkdownStream = { held: "", tail: "", fence: undefined, joined: true };

/** A stream and what has become final in it. */
export interface Fed {
  readonly stream: MarkdownStream;
  readonly finished: readonly AnswerPart[];
}

const FENCE_OPENING = /^( {0,3})(`{3,}|~{3,})([^\n]*)\n/u;

const closes = (line: string, fence: OpenFence): boolean => {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/u.exec(line)?.[1];
  return match !== undefined && match[0] === fence.character && match.length >= fence.length;
};

const unindent = (line: string, indent: number): string => line.replace(new RegExp(`^ {0,${indent}}`, "u"), "");

/** Takes the finished lines out of an open fence; the rest after a closing line is ordinary text again. */
const feedFence = (stream: MarkdownStream, fence: OpenFence): Fed => {
  const lastEnd = stream.tail.lastIndexOf("\n");
  if (lastEnd === -1) return { stream, finished: [] };
  const lines = stream.tail.slice(0, lastEnd).split("\n");
  const closing = lines.findIndex((line) => closes(line, fence));
  const inside = (closing === -1 ? lines : lines.slice(0, closing)).map((line) => unindent(line, fence.indent));
  const finished: AnswerPart[] = inside.length === 0 ? [] : [{ kind: "fence_lines", lines: inside }];
  if (closing === -1) return { stream: { ...stream, tail: stream.tail.slice(lastEnd + 1) }, finished };
  const rest = [...lines.slice(closing + 1), stream.tail.slice(lastEnd + 1)].join("\n");
  return {
    stream: { ...stream, tail: rest, fence: undefined },
    finished: [...finished, { kind: "fence_close" }],
  };
};

/** The blocks of a text, without looking into their lines. Their `raw` together is the text. */
const blocksOf = (text: string): readonly Token[] => new Lexer({ gfm: true }).blockTokens(text);

const isList = (token: Token): token is Tokens.List => token.type === "list";

const isFenced = (token: Token): boolean => token.type === "code" && FENCE_OPENING.test(token.raw);

const isBlank = (text: string): boolean => text.trim() === "";

/** The source of finished blocks as a part, or none where there is nothing but empty lines. */
const blocksPart = (source: string, joined: boolean): readonly AnswerPart[] =>
  isBlank(source) ? [] : [{ kind: "blocks", source, joined }];

const openFence = (stream: MarkdownStream, before: string, raw: string): Fed => {
  const opening = FENCE_OPENING.exec(raw);
  const marks = opening?.[2] ?? "```";
  const fence: OpenFence = {
    character: marks.startsWith("~") ? "~" : "`",
    length: marks.length,
    indent: opening?.[1]?.length ?? 0,
  };
  const earlier = blocksPart(before, stream.joined);
  return {
    stream: { ...stream, fence, joined: false, tail: stream.tail.slice(before.length + (opening?.[0].length ?? 0)) },
    finished: [
      ...earlier,
      { kind: "fence_open", language: (opening?.[3] ?? "").trim(), joined: stream.joined && earlier.length === 0 },
    ],
  };
};

/** All but the last item of the list that stands at the end: an item is finished when the next one has begun. */
const feedList = (stream: MarkdownStream, before: string, list: Tokens.List): Fed => {
  const done = list.items
    .slice(0, -1)
    .map((item) => item.raw)
    .join("");
  if (done === "" || !stream.tail.startsWith(before + done)) return { stream, finished: [] };
  const rest = stream.tail.slice(before.length + done.length);
  return {
    stream: { ...stream, tail: rest, joined: !done.endsWith("\n\n") },
    finished: blocksPart(before + done, stream.joined),
  };
};

const feedBlocks = (stream: MarkdownStream): Fed => {
  const complete = stream.tail.slice(0, stream.tail.lastIndexOf("\n") + 1);
  const tokens = blocksOf(complete);
  let before = "";
  for (const token of tokens) {
    if (isFenced(token)) return openFence(stream, before, token.raw);
    before += token.raw;
  }
  const last = tokens.findLastIndex((token) => token.type !== "space");
  const open = tokens[last];
  if (open === undefined) return { stream, finished: [] };
  const earlier = tokens
    .slice(0, last)
    .map((token) => token.raw)
    .join("");
  // Where the blocks do not add up to the text, nothing is cut before the end.
  if (!stream.tail.startsWith(earlier + open.raw)) return { stream, finished: [] };
  if (isList(open) && open.items.length > 1) return feedList(stream, earlier, open);
  if (isBlank(earlier)) return { stream, finished: [] };
  return {
    stream: { ...stream, tail: stream.tail.slice(earlier.length), joined: false },
    finished: blocksPart(earlier, stream.joined),
  };
};

const settle = (start: MarkdownStream): Fed => {
  const finished: AnswerPart[] = [];
  let stream = start;
  for (;;) {
    const step = stream.fence === undefined ? feedBlocks(stream) : feedFence(stream, stream.fence);
    finished.push(...step.finished);
    if (step.stream === stream || step.stream.tail === stream.tail) return { stream: step.stream, finished };
    stream = step.stream;
  }
};

/** Takes the next piece of the answer, uncleaned. Where a text is cut into pieces changes nothing about its parts. */
export const feedMarkdown = (start: MarkdownStream, delta: string): Fed => {
  const { clean, held } = cleanChunk(start.held, delta);
  const finished: AnswerPart[] = [];
  let stream: MarkdownStream = { ...start, held };
  // Only a new line can finish anything, so it is looked at line by line.
  for (const line of clean.split(/(?<=\n)/u)) {
    stream = { ...stream, tail: stream.tail + line };
    if (!line.endsWith("\n")) continue;
    const step = settle(stream);
    stream = step.stream;
    finished.push(...step.finished);
  }
  return { stream, finished };
};

/** What is still open, to be drawn but not kept. */
export const openParts = (stream: MarkdownStream): readonly AnswerPart[] => {
  if (stream.fence === undefined) return blocksPart(stream.tail, stream.joined);
  const lines = stream.tail === "" ? [] : [unindent(stream.tail, stream.fence.indent)];
  return [...(lines.length === 0 ? [] : [{ kind: "fence_lines" as const, lines }]), { kind: "fence_close" as const }];
};

/** Ends the answer: everything that was open becomes final. */
export const finishMarkdown = (stream: MarkdownStream): readonly AnswerPart[] => {
  const rest = stream.tail + cleanText(stream.held);
  const ended = settle({ ...stream, held: "", tail: rest === "" || rest.endsWith("\n") ? rest : `${rest}\n` });
  const open = ended.stream;
  if (open.fence !== undefined) {
    return [...ended.finished, { kind: "fence_close" }];
  }
  return [...ended.finished, ...blocksPart(open.tail, open.joined)];
};

/** A whole text at once. */
export const partsOfMarkdown = (text: string): readonly AnswerPart[] => {
  const fed = feedMarkdown(EMPTY_STREAM, text);
  return [...fed.finished, ...finishMarkdown(fed.stream)];
};
