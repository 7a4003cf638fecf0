import type { ChatState } from "./chat-state.ts";
import { chordOf } from "./input/edit-key.ts";
import { clearEditor, editorWith } from "./input/editor.ts";
import { type HistorySearch, searchHistory } from "./input/input-history.ts";
import type { KeyPress } from "./input/key-press.ts";
import { graphemesOf } from "./text-width.ts";

/** The reverse search before anything was typed. */
export const beginSearch = (): HistorySearch => ({ query: "", found: undefined });

const search = (state: ChatState, query: string, before: number): ChatState => ({
  ...state,
  search: searchHistory(state.history, query, before),
});

/** The found line goes into the editor, and the search ends. */
export const acceptSearch = (state: ChatState, current: HistorySearch): ChatState => {
  const entry = current.found === undefined ? undefined : state.history.entries[current.found];
  const editor = entry === undefined ? state.editor : editorWith(clearEditor(state.editor), entry);
  return { ...state, editor, search: undefined };
};

/** A key while searching; undefined = it ends the search with the line found and then does its own work. */
export const searchKey = (state: ChatState, current: HistorySearch, key: KeyPress): ChatState | undefined => {
  const newest = state.history.entries.length;
  if (key.kind === "text") return search(state, current.query + key.text, newest);
  if (key.kind === "paste") return search(state, current.query + (key.text.split("\n")[0] ?? ""), newest);
  switch (chordOf(key)) {
    case "ctrl+r": {
      const older = searchHistory(state.history, current.query, current.found ?? newest);
      // At the oldest match it stays there.
      return { ...state, search: older.found === undefined ? current : older };
    }
    case "backspace":
    case "ctrl+h":
      return search(state, graphemesOf(current.query).slice(0, -1).join(""), newest);
    case "escape":
    case "ctrl+g":
    case "ctrl+c":
      return { ...state, search: undefined };
    case "enter":
    case "tab":
      return acceptSearch(state, current);
    default:
      return undefined;
  }
};
