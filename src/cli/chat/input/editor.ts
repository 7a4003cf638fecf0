import { cleanInput } from "../text-safety.ts";
import { graphemesOf } from "../text-width.ts";

/**
 * The text being written. Pure: each operation returns a new state. A large paste stands in the text as one private
 * character, so that it moves and goes away as one; `expandText` puts the pasted text back.
 */
export interface EditorState {
  readonly text: string;
  /** Offset into `text`, always between graphemes. */
  readonly cursor: number;
  readonly pastes: readonly string[];
  /** What the last kill took, for yank. */
  readonly killed: string;
}

/** Nothing written. */
export const EMPTY_EDITOR: EditorState = { text: "", cursor: 0, pastes: [], killed: "" };

const PASTE_BASE = 0x10_f0_00;
const PASTE_LIMIT = 0x10_ff_fd;
const COLLAPSE_LINES = 6;
const COLLAPSE_CHARS = 1000;
const PLACEHOLDERS = /[\u{10F000}-\u{10FFFD}]/gu;

const pasteIndex = (character: string): number => (character.codePointAt(0) ?? 0) - PASTE_BASE;

const isPlaceholder = (character: string): boolean => {
  const index = pasteIndex(character);
  return index >= 0 && index <= PASTE_LIMIT - PASTE_BASE;
};

/** What stands on the screen for a collapsed paste. */
const labelOf = (paste: string): string => {
  const lines = paste.split("\n").length;
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${paste.length} characters]`;
};

/** How one grapheme of the text is shown. */
export const shownGrapheme = (state: EditorState, grapheme: string): string =>
  isPlaceholder(grapheme) ? labelOf(state.pastes[pasteIndex(grapheme)] ?? "") : grapheme;

/** The text as it is sent: collapsed pastes are whole again. */
export const expandText = (state: EditorState): string =>
  state.text.replaceAll(PLACEHOLDERS, (character) => state.pastes[pasteIndex(character)] ?? "");

/** An editor holding `text`, the cursor at its end. */
export const editorWith = (state: EditorState, text: string): EditorState => ({ ...state, text, cursor: text.length });

/** Empties the text; what was killed can still be yanked. */
export const clearEditor = (state: EditorState): EditorState => ({ ...EMPTY_EDITOR, killed: state.killed });

const insertRaw = (state: EditorState, text: string): EditorState => ({
  ...state,
  text: state.text.slice(0, state.cursor) + text + state.text.slice(state.cursor),
  cursor: state.cursor + text.length,
});

const typeable = (text: string): string => cleanInput(text.replaceAll(/\r\n?/gu, "\n")).replaceAll(PLACEHOLDERS, "");

/** Puts text at the cursor. Control characters in it are dropped. */
export const insertText = (state: EditorState, text: string): EditorState => insertRaw(state, typeable(text));

/** Puts pasted text at the cursor; a large one collapses to a label. */
export const insertPaste = (state: EditorState, pasted: string): EditorState => {
  const text = typeable(pasted);
  const large = text.split("\n").length >= COLLAPSE_LINES || text.length >= COLLAPSE_CHARS;
  if (!large || PASTE_BASE + state.pastes.length > PASTE_LIMIT) return insertRaw(state, text);
  const placeholder = String.fromCodePoint(PASTE_BASE + state.pastes.length);
  return { ...insertRaw(state, placeholder), pastes: [...state.pastes, text] };
};

const before = (state: EditorState): string => state.text.slice(0, state.cursor);
const after = (state: EditorState): string => state.text.slice(state.cursor);

const previousOffset = (state: EditorState): number => state.cursor - (graphemesOf(before(state)).at(-1)?.length ?? 0);
const nextOffset = (state: EditorState): number => state.cursor + (graphemesOf(after(state))[0]?.length ?? 0);

const lineStart = (state: EditorState): number => before(state).lastIndexOf("\n") + 1;
const lineEnd = (state: EditorState): number => {
  const end = state.text.indexOf("\n", state.cursor);
  return end === -1 ? state.text.length : end;
};

interface Word {
  readonly start: number;
  readonly end: number;
}

/** Words by Unicode's rules (so that Chinese and Japanese have them too); a collapsed paste is one. */
const wordsOf = (text: string): readonly Word[] => {
  const segments = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text);
  return Array.from(segments)
    .filter(({ segment, isWordLike }) => isWordLike === true || isPlaceholder(segment))
    .map(({ index, segment }) => ({ start: index, end: index + segment.length }));
};

const wordLeft = (state: EditorState): number =>
  wordsOf(state.text).findLast((word) => word.start < state.cursor)?.start ?? 0;

const wordRight = (state: EditorState): number =>
  wordsOf(state.text).find((word) => word.end > state.cursor)?.end ?? state.text.length;

/** Where Ctrl+W begins: the last run of characters between spaces. */
const blankLeft = (state: EditorState): number => {
  const text = before(state);
  const trimmed = text.trimEnd();
  return Math.max(trimmed.lastIndexOf(" "), trimmed.lastIndexOf("\n")) + 1;
};

const cut = (state: EditorState, from: number, to: number): EditorState => ({
  ...state,
  text: state.text.slice(0, from) + state.text.slice(to),
  cursor: from,
});

const kill = (state: EditorState, from: number, to: number): EditorState =>
  from === to ? state : { ...cut(state, from, to), killed: state.text.slice(from, to) };

/** Places that the cursor can go to. Up and down need the width of the screen: see `input-layout`. */
export type Motion = "left" | "right" | "word_left" | "word_right" | "line_start" | "line_end";

const target = (state: EditorState, motion: Motion): number => {
  switch (motion) {
    case "left":
      return previousOffset(state);
    case "right":
      return nextOffset(state);
    case "word_left":
      return wordLeft(state);
    case "word_right":
      return wordRight(state);
    case "line_start":
      return lineStart(state);
    case "line_end":
      return lineEnd(state);
    default:
      return motion satisfies never;
  }
};

/** Moves the cursor. */
export const moveCursor = (state: EditorState, motion: Motion): EditorState => ({
  ...state,
  cursor: target(state, motion),
});

/** What a deletion takes. Those of more than one character can be yanked back. */
export type Deletion =
  | "back"
  | "forward"
  | "word_back"
  | "word_forward"
  | "blank_back"
  | "to_line_start"
  | "to_line_end";

/** Deletes beside the cursor. At the end of a line `to_line_end` takes the line end itself. */
export const deleteText = (state: EditorState, deletion: Deletion): EditorState => {
  const { cursor } = state;
  switch (deletion) {
    case "back":
      return cut(state, previousOffset(state), cursor);
    case "forward":
      return cut(state, cursor, nextOffset(state));
    case "word_back":
      return kill(state, wordLeft(state), cursor);
    case "word_forward":
      return kill(state, cursor, wordRight(state));
    case "blank_back":
      return kill(state, blankLeft(state), cursor);
    case "to_line_start":
      return kill(state, lineStart(state), cursor);
    case "to_line_end":
      return kill(state, cursor, lineEnd(state) === cursor ? nextOffset(state) : lineEnd(state));
    default:
      return deletion satisfies never;
  }
};

/** Puts back what was killed last. */
export const yank = (state: EditorState): EditorState => insertRaw(state, state.killed);

/** `\` before Enter means a new line: the state with the backslash replaced, or undefined where none stands. */
export const continueLine = (state: EditorState): EditorState | undefined => {
  const text = before(state);
  const slashes = /\\+$/u.exec(text)?.[0].length ?? 0;
  if (slashes % 2 === 0 || state.cursor !== state.text.length) return undefined;
  return { ...state, text: `${text.slice(0, -1)}\n`, cursor: state.cursor };
};
