import { sliceCharacters } from "../../base/slice-characters.ts";

/** Of a text that is shortened, this part of what is kept comes from its beginning. */
const BEGINNING = 0.7;

/** The text, or its beginning and end with a word on how much is missing between; never longer than `most` characters by more than that word. */
export const shorten = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const head = sliceCharacters(text, 0, Math.floor(most * BEGINNING));
  const tail = sliceCharacters(text, text.length - Math.floor(most * (1 - BEGINNING)), text.length);
  return `${head}[… ${text.length - head.length - tail.length} characters left out …]${tail}`;
};
