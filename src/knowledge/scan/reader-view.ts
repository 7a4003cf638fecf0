/** A text as rules see it. */
export interface ReaderView {
  /** For prose: no emphasis marks, letters that were spread out joined again. */
  readonly words: string;
  /** For commands: every visible character. */
  readonly commands: string;
}

/** Characters that show nothing; joiners and soft hyphens, too, as they may stand inside of any word. */
const SHOWS_NOTHING = /[[\p{Default_Ignorable_Code_Point}\p{Cc}\ufff9-\ufffb]--[\t\n\r]]/gv;
const EMPHASIS = /[*_`~"'“”„«»‘’]+/gu;
/** Five or more letters, each alone, with one space between. */
const SPREAD_WORD = /(?<![\p{L}\p{N}])\p{L}(?: \p{L}){4,}(?![\p{L}\p{N}])/gu;
const SPREAD_BY_MARKS = /(?<![\p{L}\p{N}])\p{L}(?:[.\-·•_]\p{L}){4,}(?![\p{L}\p{N}])/gu;

/** The text as a reader takes it in, however it was disguised. */
export const readerView = (text: string): ReaderView => {
  const commands = withOwnLetters(text.normalize("NFKC").replaceAll(SHOWS_NOTHING, ""));
  const words = commands
    .replaceAll(SPREAD_BY_MARKS, (run) => run.replaceAll(/[^\p{L}]/gu, ""))
    .replaceAll(EMPHASIS, "")
    .replaceAll(SPREAD_WORD, (run) => run.replaceAll(" ", ""))
    .replaceAll(/[\s\u3000]+/gu, " ");
  return { words, commands };
};

/** Cyrillic and Greek letters that look like Latin ones. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  а: "a",
  е: "e",
  о: "o",
  р: "p",
  с: "c",
  у: "y",
  х: "x",
  і: "i",
  ј: "j",
  ѕ: "s",
  ԁ: "d",
  ɡ: "g",
  һ: "h",
  ո: "n",
  ν: "v",
  ο: "o",
  α: "a",
  ρ: "p",
  ι: "i",
  τ: "t",
  κ: "k",
  υ: "u",
  А: "A",
  В: "B",
  Е: "E",
  К: "K",
  М: "M",
  Н: "H",
  О: "O",
  Р: "P",
  С: "C",
  Т: "T",
  Х: "X",
  І: "I",
};

/** A word of Latin letters with foreign look-alikes among them is written in Latin letters only. */
const withOwnLetters = (text: string): string =>
  text.replaceAll(/[\p{L}\p{M}]+/gu, (word) =>
    /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}ɡ]/u.test(word)
      ? Array.from(word, (letter) => LOOK_ALIKES[letter] ?? letter).join("")
      : word,
  );
