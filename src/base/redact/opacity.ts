/** What a value is made of. */
export interface Measure {
  readonly digits: number;
  readonly lowers: number;
  readonly uppers: number;
  /** Shannon entropy, bits per character. */
  readonly entropy: number;
}

type CharClass = "digit" | "lower" | "upper" | "other";

const classOf = (code: number): CharClass => {
  if (code >= 48 && code <= 57) return "digit";
  if (code >= 97 && code <= 122) return "lower";
  if (code >= 65 && code <= 90) return "upper";
  return "other";
};

/** Counts a value's characters in one pass. */
export const measure = (value: string): Measure => {
  const counts = new Map<number, number>();
  const classes = { digit: 0, lower: 0, upper: 0, other: 0 };
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    classes[classOf(code)] += 1;
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / value.length) * Math.log2(count / value.length);
  return { digits: classes.digit, lowers: classes.lower, uppers: classes.upper, entropy };
};

// How often digits and letters, or the two letter cases, change places within a stretch of letters and digits.
const flipsOf = (stretch: string): { digit: number; letterCase: number } => {
  let digit = 0;
  let letterCase = 0;
  for (let index = 1; index < stretch.length; index += 1) {
    const before = classOf(stretch.charCodeAt(index - 1));
    const here = classOf(stretch.charCodeAt(index));
    if (before === here) continue;
    if (before === "digit" || here === "digit") digit += 1;
    else letterCase += 1;
  }
  return { digit, letterCase };
};

const SHORTEST = 8;
// Random letters change case every second character; camel case once in three, but in whole words.
const RANDOM_CASE = 0.35;
const LEAST_ODD_RUNS = 3;

/** Runs that words in camel case do not have: one lower-case letter between capitals, several capitals together. */
const oddRunsOf = (stretch: string): number =>
  (stretch.match(/(?<![a-z0-9])[a-z](?=[A-Z])/g)?.length ?? 0) + (stretch.match(/[A-Z]{2,}/g)?.length ?? 0);

const hasRandomCase = (stretch: string, caseFlips: number): boolean =>
  stretch.length >= 12 && caseFlips >= RANDOM_CASE * stretch.length && oddRunsOf(stretch) >= LEAST_ODD_RUNS;

const isOpaque = (stretch: string): boolean => {
  if (stretch.length < SHORTEST) return false;
  const flips = flipsOf(stretch);
  if (flips.digit >= 2 || hasRandomCase(stretch, flips.letterCase)) return true;
  return stretch.length >= 10 && flips.digit >= 1 && stretch.replace(/\D/g, "").length >= 2;
};

/** Whether some stretch of letters and digits is mixed as no word is: digits between letters, or letter case at random. */
export const hasOpaqueStretch = (value: string): boolean => value.split(/[^A-Za-z0-9]+/).some(isOpaque);
