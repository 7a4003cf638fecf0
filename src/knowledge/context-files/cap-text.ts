import { sliceCharacters } from "../../base/slice-characters.ts";

const HEAD_SHARE = 0.7;
const TAIL_SHARE = 0.2;

/** The text in at most `limit` characters: of a longer one 70 % from its beginning, 20 % from its end, and a line that says what is missing. */
export const capText = (text: string, limit: number, name: string): string => {
  if (text.length <= limit) return text;
  const head = sliceCharacters(text, 0, Math.floor(limit * HEAD_SHARE));
  const tail = sliceCharacters(text, text.length - Math.floor(limit * TAIL_SHARE), text.length);
  const missing = text.length - head.length - tail.length;
  const line = `\n\n[… ${missing} of ${text.length} characters of ${sliceCharacters(name, 0, Math.floor(limit * 0.05))} left out …]\n\n`;
  return `${head}${line}${tail}`;
};
