const ESC = 0x1b;
const LONGEST = 24;

const isParameter = (code: number): boolean => (code >= 48 && code <= 57) || code === 59;
const isFinal = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/** The end of the terminal sequence (`ESC [ 3 2 m`) that begins at `index`; `index` itself if none does. */
export const colourEnd = (text: string, index: number): number => {
  if (text.charCodeAt(index) !== ESC || text.charAt(index + 1) !== "[") return index;
  let at = index + 2;
  while (at - index < LONGEST && isParameter(text.charCodeAt(at))) at += 1;
  return isFinal(text.charCodeAt(at)) ? at + 1 : index;
};

/** Whether a terminal sequence ends right before `index`. */
export const followsColour = (text: string, index: number): boolean => {
  const from = Math.max(0, index - LONGEST);
  const start = from + text.slice(from, index).lastIndexOf("[") - 1;
  return start >= from && colourEnd(text, start) === index;
};
