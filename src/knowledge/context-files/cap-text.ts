import { sliceCharacters } from "../../base/slice-characters.ts";

const HEAD_SHARE = 0.7;
const TAIL_SHARE = 0.2;
/** The line in place of what is missing takes less than this. */
const LINE_CHARS = 150;
const NAME_CHARS = 60;

/**
 * The text in at most `limit` characters (at least 200): of a longer one 70 % from its beginning, 20 % from its end, and between them a
 * line that says what is missing.
 */
export const capText = (text: string, limit: number, name: string): string => {
  if (text.length <= limit) return text;
  const room = Math.min(limit * (HEAD_SHARE + TAIL_SHARE), limit - LINE_CHARS) / (HEAD_SHARE + TAIL_SHARE);
  const head = sliceCharacters(text, 0, Math.round(room * HEAD_SHARE));
  const tail = sliceCharacters(text, text.length - Math.round(room * TAIL_SHARE), text.length);
  const missing = text.length - head.length - tail.length;
  const shown = sliceCharacters(name, 0, NAME_CHARS);
  return `${head}\n\n[… ${missing} of ${text.length} characters of ${shown} left out …]\n\n${tail}`;
};
