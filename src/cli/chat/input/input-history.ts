import { clearEditor, type EditorState, editorWith } from "./editor.ts";

/** Lines sent earlier, and where in them the person is. Pure. */
export interface InputHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** Which entry the editor shows; undefined = the person's own text. */
  readonly at: number | undefined;
  /** The text that was there before the person went back. */
  readonly draft: EditorState | undefined;
}

/** How many lines are kept. */
export const HISTORY_LIMIT = 1000;

/** No line sent yet. */
export const EMPTY_HISTORY: InputHistory = { entries: [], at: undefined, draft: undefined };

/** Adds a line; an earlier same one goes, the oldest go beyond the limit. */
export const rememberLine = (history: InputHistory, line: string): InputHistory => ({
  entries: [...history.entries.filter((entry) => entry !== line), line].slice(-HISTORY_LIMIT),
  at: undefined,
  draft: undefined,
});

/** Puts lines of earlier sessions before those of this one. */
export const withEarlier = (history: InputHistory, earlier: readonly string[]): InputHistory => {
  const known = new Set(history.entries);
  const older = earlier.filter((entry) => !known.has(entry));
  const entries = [...older, ...history.entries];
  const dropped = Math.max(0, entries.length - HISTORY_LIMIT);
  const at = history.at === undefined ? undefined : history.at + older.length - dropped;
  return { ...history, entries: entries.slice(dropped), at };
};

/** One entry back (-1) or forth (1); undefined = there is none that way. */
export const walkHistory = (
  history: InputHistory,
  editor: EditorState,
  by: -1 | 1,
): { readonly history: InputHistory; readonly editor: EditorState } | undefined => {
  const from = history.at ?? history.entries.length;
  const to = from + by;
  if (to < 0 || to > history.entries.length || (by === 1 && history.at === undefined)) return undefined;
  const entry = history.entries[to];
  if (entry === undefined) {
    return { history: { ...history, at: undefined, draft: undefined }, editor: history.draft ?? clearEditor(editor) };
  }
  const draft = history.at === undefined ? editor : history.draft;
  return { history: { ...history, at: to, draft }, editor: editorWith(clearEditor(editor), entry) };
};

/** The person's own text again: the next step back is the newest line. */
export const leaveHistory = (history: InputHistory): InputHistory => ({
  ...history,
  at: undefined,
  draft: undefined,
});

/** The reverse search (Ctrl+R). */
export interface HistorySearch {
  readonly query: string;
  /** Index of the entry found; undefined = nothing fits. */
  readonly found: number | undefined;
}

/** Looks backwards from `before` (exclusive) for an entry that holds the query, case aside. */
export const searchHistory = (history: InputHistory, query: string, before: number): HistorySearch => {
  const wanted = query.toLowerCase();
  const found = history.entries
    .slice(0, Math.max(0, before))
    .findLastIndex((entry) => entry.toLowerCase().includes(wanted));
  return { query, found: query === "" || found === -1 ? undefined : found };
};
