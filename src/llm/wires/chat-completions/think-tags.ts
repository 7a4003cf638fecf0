/** A piece of an answer's content, told apart by the tags in it. */
export interface ContentPiece {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

/** Tells reasoning from text in content that arrives in pieces. */
export interface ThinkTagReader {
  /** Hands over each piece as soon as it is certain what it is. */
  read(content: string, emit: (piece: ContentPiece) => void): void;
  /** The content has ended: hands over what was held back. Returns the text of a block that was begun and never closed. */
  end(emit: (piece: ContentPiece) => void): string | undefined;
}

/** Tags that models write their reasoning in when the server does not take it apart. */
const TAGS = ["think", "thinking", "thought", "reasoning"] as const;
const LONGEST_OPEN_TAG = Math.max(...TAGS.map((tag) => tag.length + 2));
const OPEN_TAG = new RegExp(`^\\s*<(${TAGS.join("|")})>`, "i");

/** Whether more content could still make an opening tag of it. */
const mayBecomeOpenTag = (held: string): boolean => {
  const start = held.trimStart().toLowerCase();
  return start.length < LONGEST_OPEN_TAG && TAGS.some((tag) => `<${tag}>`.startsWith(start));
};

/** How many characters at the end of `text` could be the beginning of `tag`. */
const overlapWith = (text: string, tag: string): number => {
  const lower = text.slice(-tag.length).toLowerCase();
  for (let length = Math.min(tag.length - 1, lower.length); length > 0; length -= 1) {
    if (tag.startsWith(lower.slice(lower.length - length))) return length;
  }
  return 0;
};

type State =
  /** Nothing but reasoning has come: an opening tag may begin here. */
  | { readonly kind: "before"; readonly held: string }
  | { readonly kind: "inside"; readonly closing: string; readonly held: string }
  /** After a closing tag the blank lines before the answer belong to neither. */
  | { readonly kind: "text" };

/**
 * A block of reasoning is one that begins the content (blanks apart) or follows such a block directly. A tag further on is
 * text: an answer may speak about `<think>`. A block without its closing tag is reasoning to the end, as far as this reader can tell.
 */
export const createThinkTagReader = (): ThinkTagReader => {
  let state: State = { kind: "before", held: "" };
  let closedOne = false;
  let block = "";
  const emitInside = (text: string, emit: (piece: ContentPiece) => void): void => {
    block += text;
    if (text !== "") emit({ kind: "reasoning", text });
  };

  const readBefore = (content: string, emit: (piece: ContentPiece) => void): string => {
    const tag = OPEN_TAG.exec(content);
    if (tag?.[1] !== undefined) {
      state = { kind: "inside", closing: `</${tag[1].toLowerCase()}>`, held: "" };
      block = "";
      return content.slice(tag[0].length);
    }
    if (mayBecomeOpenTag(content)) {
      state = { kind: "before", held: content };
      return "";
    }
    state = { kind: "text" };
    const text = closedOne ? content.trimStart() : content;
    if (text !== "") emit({ kind: "text", text });
    return "";
  };

  const readInside = (content: string, closing: string, emit: (piece: ContentPiece) => void): string => {
    const end = content.toLowerCase().indexOf(closing);
    if (end >= 0) {
      emitInside(content.slice(0, end), emit);
      closedOne = true;
      state = { kind: "before", held: "" };
      return content.slice(end + closing.length);
    }
    const certain = content.length - overlapWith(content, closing);
    emitInside(content.slice(0, certain), emit);
    state = { kind: "inside", closing, held: content.slice(certain) };
    return "";
  };

  return {
    read: (content, emit) => {
      let rest = content;
      while (rest !== "") {
        if (state.kind === "text") {
          emit({ kind: "text", text: rest });
          return;
        }
        const all = state.held + rest;
        rest = state.kind === "before" ? readBefore(all, emit) : readInside(all, state.closing, emit);
      }
    },
    end: (emit) => {
      const ended = state;
      state = { kind: "before", held: "" };
      if (ended.kind === "inside") {
        emitInside(ended.held, emit);
        return block;
      }
      const text = ended.kind === "text" ? "" : ended.held;
      const shown = closedOne ? text.trimStart() : text;
      if (shown !== "") emit({ kind: "text", text: shown });
      return undefined;
    },
  };
};
