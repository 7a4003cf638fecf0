import picomatch from "picomatch";

/** Longer patterns than any path are not examined: they may mean anything. */
const LONGEST_PATTERN = 4096;

/** Whether a shell pattern, its quoted characters escaped, fits one of the texts. A pattern too long to examine fits. */
export const fitsPattern = (pattern: string, texts: readonly string[]): boolean => {
  const plain = pattern.replaceAll(/\*{2,}/g, "*");
  if (plain === "") return false;
  if (plain.length > LONGEST_PATTERN) return true;
  const fits = picomatch(plain, { dot: true, nobrace: true, noextglob: true });
  return texts.some((text) => fits(text));
};
