import type { ScanFinding } from "./scan-rule.ts";

/** Characters that nobody sees and that a text may still be made of. Each has a reason to stand in an honest text only where `isHonest` says so. */
const SUSPECTS =
  /[[\p{Cc}\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]--[\t\n\r]]|[\u{e0100}-\u{e01ef}]|\p{Variation_Selector}{2,}/gv;

/** One finding a kind of character, at its first place. */
export const findInvisible = (text: string): readonly ScanFinding[] => {
  const whole: Whole = { text, isRightToLeft: RIGHT_TO_LEFT.test(text) };
  const found = new Map<string, ScanFinding>();
  for (const match of text.matchAll(SUSPECTS)) {
    const place: Place = { character: match[0], at: match.index };
    if (isHonest(whole, place)) continue;
    const rule = ruleOf(place.character);
    if (!found.has(rule)) found.set(rule, { rule, kind: "invisible", excerpt: excerptAt(text, place) });
  }
  return [...found.values()];
};

interface Whole {
  readonly text: string;
  readonly isRightToLeft: boolean;
}

interface Place {
  readonly character: string;
  /** In UTF-16 units. */
  readonly at: number;
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Scripts in which joiners change how letters are drawn. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]/u;
/** Scripts without spaces, in which an invisible one says where a line may break. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{fe0f}\u{20e3}]/u;
const FLAG_TAGS = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,6}\u{e007f}/gu;

const isHonest = ({ text, isRightToLeft }: Whole, { character, at }: Place): boolean => {
  const before = lastCharacter(text.slice(Math.max(0, at - 2), at));
  const after = firstCharacter(text.slice(at + character.length, at + character.length + 2));
  const code = character.codePointAt(0) ?? 0;
  if (code === 0xfeff) return at === 0;
  if (code === 0x200d) return (EMOJI.test(before) && EMOJI.test(after)) || JOINING.test(before);
  if (code === 0x200c) return JOINING.test(before);
  if (code === 0x200b) return UNSPACED.test(before) || UNSPACED.test(after);
  // Marks, embeddings and isolates keep mixed lines readable; an override turns letters round and has no honest use here.
  if (isBetween(code, 0x200e, 0x202e) || isBetween(code, 0x2066, 0x2069)) {
    return isRightToLeft && code !== 0x202d && code !== 0x202e;
  }
  if (isBetween(code, 0xe0020, 0xe007f)) return isInFlag(text, at);
  if (isBetween(code, 0xe0100, 0xe01ef)) return /\p{Script=Han}/u.test(before);
  return code === 0x180e && /\p{Script=Mongolian}/u.test(before);
};

const isInFlag = (text: string, at: number): boolean =>
  text.matchAll(FLAG_TAGS).some(({ index, 0: flag }) => at > index && at < index + flag.length);

const isBetween = (code: number, first: number, last: number): boolean => code >= first && code <= last;

const lastCharacter = (text: string): string => Array.from(text).at(-1) ?? "";
const firstCharacter = (text: string): string => Array.from(text)[0] ?? "";

const ruleOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (isBetween(code, 0, 0x9f)) return "control-character";
  if (isBetween(code, 0x200e, 0x200f) || isBetween(code, 0x202a, 0x202e) || isBetween(code, 0x2066, 0x2069)) {
    return "text-direction";
  }
  return code >= 0xfe00 && code !== 0xfeff && code !== 0xffa0 ? "hidden-text" : "invisible-character";
};

const EITHER_SIDE = 20;

const excerptAt = (text: string, { character, at }: Place): string => {
  const piece = text.slice(Math.max(0, at - EITHER_SIDE), at + character.length + EITHER_SIDE);
  return spellOut(piece);
};

/** A piece of text on one line, with what cannot be seen written out. */
export const spellOut = (piece: string): string =>
  piece
    .toWellFormed()
    .replaceAll(/[\t\n\r]+/gu, " ")
    .replaceAll(SUSPECTS, (character) => `[${Array.from(character, nameOf).join(" ")}]`)
    .trim()
    .slice(0, 80)
    .toWellFormed();

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
