import type { CommandInfo } from "../../../commands/command.ts";
import type { ChatState } from "../chat-state.ts";
import { type Candidate, completionTarget, staticCandidates } from "../input/completion.ts";
import { layoutInput } from "../input/input-layout.ts";
import { PROMPT_WIDTH } from "../reduce-key.ts";
import { cleanText } from "../text-safety.ts";
import { cutText } from "../text-width.ts";
import type { ViewContext } from "./view-context.ts";

/** Lines and where in them the cursor stands. */
export interface InputBox {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const MENU_ROWS = 6;

const renderSearch = (state: ChatState, view: ViewContext): InputBox | undefined => {
  const { search } = state;
  if (search === undefined) return undefined;
  const found = search.found === undefined ? "" : (state.history.entries[search.found] ?? "");
  const failed = search.query !== "" && search.found === undefined ? "nothing found: " : "";
  const line = cutText(`${failed}search: ${cleanText(search.query)} → ${cleanText(found)}`, view.width);
  return { lines: [line], cursor: { row: 0, column: 0 } };
};

/** The rows around the cursor, where the text has more than fit. */
const scroll = (total: number, at: number, room: number): number =>
  Math.max(0, Math.min(at - Math.floor(room / 2), total - room));

/** The input box with the cursor in it; at most `maxRows` rows. */
export const renderInput = (state: ChatState, maxRows: number, view: ViewContext): InputBox => {
  const searching = renderSearch(state, view);
  if (searching !== undefined) return searching;
  // On a terminal of two columns or fewer there is no room for a prompt.
  const prompt = view.width > PROMPT_WIDTH ? PROMPT_WIDTH : 0;
  const layout = layoutInput(state.editor, view.width - prompt);
  const rows = Math.max(1, maxRows);
  const first = layout.rows.length > rows ? scroll(layout.rows.length, layout.row, rows) : 0;
  const lines = layout.rows.slice(first, first + rows).map((row, index) => {
    if (prompt === 0) return row.text;
    return (first + index === 0 ? `${view.palette.cyan("❯")} ` : "  ") + row.text;
  });
  return { lines, cursor: { row: layout.row - first, column: layout.column + prompt } };
};

const menuLine = (candidate: Candidate, selected: boolean, view: ViewContext): string => {
  const label = cleanText(candidate.label);
  const text = candidate.note === "" ? label : `${label}  ${view.palette.dim(candidate.note)}`;
  return cutText(selected ? `${view.palette.cyan("›")} ${view.palette.bold(text)}` : `  ${text}`, view.width);
};

const renderCandidates = (
  candidates: readonly Candidate[],
  selected: number | undefined,
  view: ViewContext,
): readonly string[] => {
  const first = candidates.length > MENU_ROWS ? scroll(candidates.length, selected ?? 0, MENU_ROWS) : 0;
  const shown = candidates
    .slice(first, first + MENU_ROWS)
    .map((candidate, index) => menuLine(candidate, first + index === selected, view));
  const left = candidates.length - shown.length;
  return left > 0 ? [...shown, view.palette.dim(cutText(`  … ${left} more`, view.width))] : shown;
};

/** What stands below the input box: the completion menu, commands that fit what is typed, or what Ctrl+C will do. */
export const renderBelowInput = (
  state: ChatState,
  commands: readonly CommandInfo[],
  view: ViewContext,
): readonly string[] => {
  if (state.leaving) return [view.palette.yellow(cutText("Press Ctrl+C again to leave", view.width))];
  if (state.menu !== undefined) return renderCandidates(state.menu.candidates, state.menu.selected, view);
  const target = state.search === undefined ? completionTarget(state.editor) : undefined;
  if (target?.kind !== "command") return [];
  return renderCandidates(staticCandidates(target, commands) ?? [], undefined, view);
};
