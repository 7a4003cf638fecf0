/**
 * Text from a model, a tool or a file must not be able to control the terminal (or to look like something else than it is).
 * All such text passes through one of these functions before it is styled.
 */

const ESC = "\u001B";
/** The longest unfinished sequence that is held back while a stream waits for its rest. */
const LONGEST_HELD = 256;

/* oxlint-disable no-control-regex -- this file is about control characters */
// CSI … final byte; string sequences (OSC, DCS, SOS, PM, APC) up to BEL, ST or the line's end; two- and three-byte escapes.
const SEQUENCES =
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C\n]*(?:\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-~]?/gu;
const UNFINISHED =
  /(?:(?:\u001B\[|\u009B)[0-?]*[ -/]*|(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C\n]*\u001B?|\u001B[ -/]*)$/u;
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu;
/* oxlint-enable no-control-regex */

// Marks that override the order of the text around them; shown, because text that reads otherwise than it runs deceives.
const BIDI_OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/gu;
// What takes no column and can hide in a word: joiners, direction marks, invisible operators, tag characters.
const INVISIBLE = /[\u00AD\u061C\u200B-\u200F\u2060-\u2064\uFEFF\u{E0000}-\u{E01EF}]/gu;

const codeName = (character: string): string =>
  `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`;

/**
 * Text with nothing in it that a terminal obeys: escape sequences and control characters are gone, line ends are `\n`,
 * marks that reorder text are shown as `⟦U+202E⟧`. Tabs and line ends stay. Never throws.
 */
export const cleanText = (text: string): string =>
  text
    .replaceAll(SEQUENCES, "")
    .replaceAll("\r\n", "\n")
    .replaceAll(CONTROLS, "")
    .replaceAll(BIDI_OVERRIDES, codeName)
    .toWellFormed();

/** `cleanText` for what a person types or pastes: only what a terminal obeys is dropped, their own marks stay. */
export const cleanInput = (text: string): string =>
  text.replaceAll(SEQUENCES, "").replaceAll("\r\n", "\n").replaceAll(CONTROLS, "").toWellFormed();

/** Like `cleanText`, with a carriage return doing what it does in a terminal: the line is written anew (progress bars). */
export const cleanOutput = (text: string): string =>
  cleanText(
    text
      .replaceAll("\r\n", "\n")
      .split("\n")
      .map((line) => line.replace(/\r+$/u, "").split("\r").at(-1) ?? "")
      .join("\n"),
  );

const CONTROL_NAMES: Readonly<Record<string, string>> = { "\r": "\\r", "\t": "\\t", "\b": "\\b", [ESC]: "\\x1b" };

const revealControl = (character: string): string =>
  CONTROL_NAMES[character] ?? `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`;

/**
 * Text exactly as it is, for a person who must decide about it: every control and invisible character is written out,
 * so nothing can hide. Only line ends stay as they are.
 */
export const revealText = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- written out, not obeyed
    .replaceAll(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/gu, revealControl)
    .replaceAll(BIDI_OVERRIDES, codeName)
    .replaceAll(INVISIBLE, codeName);

/** A stream's text so far and the end of it that may be the beginning of a sequence. */
export interface CleanChunk {
  readonly clean: string;
  /** Must be put before the next piece. */
  readonly held: string;
}

/** `cleanText` for a stream: a sequence or surrogate pair that is cut by the end of a piece is held back for the next one. */
export const cleanChunk = (held: string, piece: string): CleanChunk => {
  const text = held + piece;
  const unfinished = UNFINISHED.exec(text)?.[0] ?? "";
  if (unfinished !== "" && unfinished.length <= LONGEST_HELD) {
    return { clean: cleanText(text.slice(0, -unfinished.length)), held: unfinished };
  }
  const cut = text.endsWith("\r") || /[\uD800-\uDBFF]$/u.test(text) ? 1 : 0;
  const end = text.length - cut;
  return { clean: cleanText(text.slice(0, end)), held: text.slice(end) };
};
