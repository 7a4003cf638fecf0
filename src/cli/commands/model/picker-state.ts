import type { KeyPress } from "../../chat/input/key-press.ts";
import { graphemesOf } from "../../chat/text-width.ts";

/** One thing to choose. Texts are cleaned already. */
export interface PickerItem {
  readonly key: string;
  /** The first column is the name, the others say what is known of it. */
  readonly columns: readonly string[];
  /** What a search looks in. */
  readonly search: string;
  /** It is what counts now. */
  readonly current: boolean;
}

/** A list that a person filters by typing. */
export interface PickerState {
  readonly items: readonly PickerItem[];
  readonly query: string;
  /** Place of the cursor among what the search leaves. */
  readonly index: number;
  /** Whether a text that no item has may be taken as it is. */
  readonly takesText: boolean;
}

/** What a key does: another state, or the end. */
export type PickerStep =
  | { readonly kind: "state"; readonly state: PickerState }
  | { readonly kind: "chosen"; readonly key: string; readonly isTyped: boolean }
  | { readonly kind: "back" }
  | { readonly kind: "left" };

/** A list as it first appears: the cursor stands on what counts now. */
export const openPicker = (items: readonly PickerItem[], takesText: boolean): PickerState => ({
  items,
  query: "",
  index: Math.max(
    0,
    items.findIndex(({ current }) => current),
  ),
  takesText,
});

/** What the search leaves: items that hold each of its words. */
export const visibleItems = ({ items, query }: PickerState): readonly PickerItem[] => {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.length === 0
    ? items
    : items.filter(({ search }) => words.every((word) => search.toLowerCase().includes(word)));
};

/** Pure: what one key does to a list. */
export const stepPicker = (state: PickerState, key: KeyPress): PickerStep => {
  if (key.kind !== "key") return searchFor(state, state.query + key.text.replaceAll(/\s+/g, " "));
  const shown = visibleItems(state).length;
  const moved = (index: number): PickerStep => ({
    kind: "state",
    state: { ...state, index: Math.min(Math.max(index, 0), Math.max(0, shown - 1)) },
  });
  switch (key.name) {
    case "enter":
      return choose(state);
    case "escape":
      return state.query === "" ? { kind: "back" } : searchFor(state, "");
    case "backspace":
      return searchFor(state, graphemesOf(state.query).slice(0, -1).join(""));
    case "up":
      return moved(state.index - 1);
    case "down":
    case "tab":
      return moved(state.index + 1);
    case "home":
      return moved(0);
    case "end":
      return moved(shown - 1);
    case "letter":
      return letter(state, key, moved);
    case "newline":
    case "delete":
    case "left":
    case "right":
      return { kind: "state", state };
  }
};

const letter = (
  state: PickerState,
  { ctrl, letter: name }: Extract<KeyPress, { kind: "key" }>,
  moved: (index: number) => PickerStep,
): PickerStep => {
  if (!ctrl) return { kind: "state", state };
  switch (name) {
    case "c":
    case "d":
      return { kind: "left" };
    case "u":
      return searchFor(state, "");
    case "p":
      return moved(state.index - 1);
    case "n":
      return moved(state.index + 1);
    default:
      return { kind: "state", state };
  }
};

/** A search begins at its first hit. */
const searchFor = (state: PickerState, query: string): PickerStep => {
  const searched = { ...state, query: query.trimStart(), index: 0 };
  return { kind: "state", state: searched.query === "" ? openPicker(state.items, state.takesText) : searched };
};

const choose = (state: PickerState): PickerStep => {
  const item = visibleItems(state)[state.index];
  if (item !== undefined) return { kind: "chosen", key: item.key, isTyped: false };
  const typed = state.query.trim();
  return state.takesText && typed !== "" ? { kind: "chosen", key: typed, isTyped: true } : { kind: "state", state };
};
