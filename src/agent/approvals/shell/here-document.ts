import { scanExpansions } from "./scan-word.ts";
import type { Cursor } from "./scan-word.ts";
import type { HereDocument, ShellWord } from "./token.ts";

/** A `<<` whose body begins on the next line. */
export interface OpenHereDocument {
  readonly delimiter: ShellWord;
  readonly stripTabs: boolean;
  readonly close: (document: HereDocument) => void;
}

/** Reads one body; the cursor stands at the beginning of its first line and afterwards behind its closing line. */
export const readHereDocument = (cursor: Cursor, open: OpenHereDocument): void => {
  const quoted = /['"\\]/.test(open.delimiter.raw);
  const delimiter = delimiterText(open.delimiter);
  const lines: string[] = [];
  let closed = false;
  while (cursor.at < cursor.source.length && !closed) {
    const line = readLine(cursor, { quoted, stripTabs: open.stripTabs });
    closed = line === delimiter || line === `${delimiter}\r`;
    if (!closed) lines.push(line);
  }
  if (!closed) cursor.problems.add("unterminated");
  const body = lines.map((line) => `${line}\n`).join("");
  const parts = quoted ? [{ kind: "text", value: body, quoted: true } as const] : scanExpansions(body, cursor);
  open.close({ body, quoted, parts });
};

/** The delimiter after quote removal; it is not expanded. */
const delimiterText = (word: ShellWord): string =>
  word.parts.map((part) => (part.kind === "text" ? part.value : part.raw)).join("");

/** One line without its end. Where the body is expanded, a backslash at the end joins the next line first. */
const readLine = (cursor: Cursor, options: { readonly quoted: boolean; readonly stripTabs: boolean }): string => {
  let line = "";
  for (;;) {
    const end = cursor.source.indexOf("\n", cursor.at);
    const text = cursor.source.slice(cursor.at, end === -1 ? undefined : end);
    cursor.at = end === -1 ? cursor.source.length : end + 1;
    line += line === "" && options.stripTabs ? text.replace(/^\t+/, "") : text;
    if (options.quoted || end === -1 || !/(?:^|[^\\])(?:\\\\)*\\$/.test(text)) return line;
    line = line.slice(0, -1);
  }
};
