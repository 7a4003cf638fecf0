const LONGEST = 300;

/** What a server or a page said, fit for a terminal: one line without control characters, at most 300 characters. */
export const plainWords = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, LONGEST);
