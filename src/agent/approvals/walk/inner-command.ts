import type { Word } from "../shell/expand-word.ts";

/** A command inside another: as words, or as a text that a shell reads. `index` = where its program stands among the arguments. */
export type Inner =
  | {
      readonly kind: "words";
      readonly words: readonly Word[];
      readonly index?: number;
      readonly assignments?: readonly string[];
    }
  | { readonly kind: "text"; readonly text: Word };

/** A word with a mark replaced by another word. */
export const replaceIn = (word: Word, mark: string, by: Word): Word => {
  if (word.kind === "dynamic" || !word.value.includes(mark)) return word;
  if (by.kind === "static") return { kind: "static", value: word.value.replaceAll(mark, by.value) };
  return { ...by, text: word.value.replaceAll(mark, by.text) };
};
