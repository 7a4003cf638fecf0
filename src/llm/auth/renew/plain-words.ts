const LONGEST = 300;

/** What a server or a page said, fit for a terminal: one line without control characters, at most 300 characters. */
export const plainWords = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .slice(0, LONGEST);

/** What an endpoint said as `plainWords`, with secrets of ours that it repeats taken out before anything is cut. */
export const wordsWithout = (text: string, secrets: readonly string[], redact: (text: string) => string): string =>
  plainWords(redact(secrets.filter(Boolean).reduce((rest, secret) => rest.replaceAll(secret, "…"), text)));
