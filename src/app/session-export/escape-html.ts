const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// What a page may not hold, and marks that make text read otherwise than it is written.
const UNSHOWN = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** Text as it may stand anywhere in a page: in an element or in a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(UNSHOWN, (character) => (character === "\n" || character === "\t" ? character : nameOf(character)))
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

const nameOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return character === "\r" ? "" : `⟦U+${code.toString(16).toUpperCase().padStart(4, "0")}⟧`;
};
