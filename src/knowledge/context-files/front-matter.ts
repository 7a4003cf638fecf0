/** The text without the settings between two lines of `---` at its beginning; whole where they do not end. */
export const withoutFrontMatter = (text: string): string =>
  text.replace(/^---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?:\r?\n|$)/u, "");
