import {
  type Deletion,
  deleteText,
  type EditorState,
  insertPaste,
  insertText,
  type Motion,
  moveCursor,
  yank,
} from "./editor.ts";
import type { KeyPress } from "./key-press.ts";

const MOTIONS: Readonly<Record<string, Motion>> = {
  "ctrl+a": "line_start",
  "ctrl+e": "line_end",
  "ctrl+b": "left",
  "ctrl+f": "right",
  "alt+b": "word_left",
  "alt+f": "word_right",
  left: "left",
  right: "right",
  home: "line_start",
  end: "line_end",
  "ctrl+left": "word_left",
  "ctrl+right": "word_right",
  "alt+left": "word_left",
  "alt+right": "word_right",
};

const DELETIONS: Readonly<Record<string, Deletion>> = {
  "ctrl+h": "back",
  "ctrl+d": "forward",
  "ctrl+k": "to_line_end",
  "ctrl+u": "to_line_start",
  "ctrl+w": "blank_back",
  "alt+d": "word_forward",
  backspace: "back",
  delete: "forward",
  "alt+backspace": "word_back",
  "ctrl+backspace": "word_back",
  "ctrl+delete": "word_forward",
  "alt+delete": "word_forward",
};

/** A key's name with its modifiers, e.g. `ctrl+a`, `alt+left`, `enter`. */
export const chordOf = (key: Extract<KeyPress, { kind: "key" }>): string => {
  const name = key.name === "letter" ? key.letter : key.name;
  return `${key.ctrl ? "ctrl+" : ""}${key.alt ? "alt+" : ""}${name}`;
};

/** What a key does to the text; undefined = it is no key of the editor's. */
export const editKey = (state: EditorState, key: KeyPress): EditorState | undefined => {
  if (key.kind === "text") return insertText(state, key.text);
  if (key.kind === "paste") return insertPaste(state, key.text);
  if (key.name === "newline") return insertText(state, "\n");
  const chord = chordOf(key);
  if (chord === "ctrl+y") return yank(state);
  const motion = MOTIONS[chord];
  if (motion !== undefined) return moveCursor(state, motion);
  const deletion = DELETIONS[chord];
  return deletion === undefined ? undefined : deleteText(state, deletion);
};
