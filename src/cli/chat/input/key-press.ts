/** Keys that have a name of their own; control and alt combinations of letters carry the letter. */
export type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "escape"
  | "letter";

/** One thing that a person did at the keyboard. */
export type KeyPress =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  | {
      readonly kind: "key";
      readonly name: KeyName;
      /** Lower case; empty unless `name` is `letter`. */
      readonly letter: string;
      readonly ctrl: boolean;
      readonly alt: boolean;
      readonly shift: boolean;
    };

/** What the terminal layer tells about a key; the fields used of Ink's `Key`. */
export interface RawKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly meta: boolean;
  readonly eventType?: "press" | "repeat" | "release" | undefined;
}

const named = (name: KeyName, raw?: RawKey): KeyPress => ({
  kind: "key",
  name,
  letter: "",
  ctrl: raw?.ctrl ?? false,
  alt: raw?.meta ?? false,
  shift: raw?.shift ?? false,
});

const withLetter = (letter: string, modifier: "ctrl" | "alt"): KeyPress => ({
  kind: "key",
  name: "letter",
  letter: letter.toLowerCase(),
  ctrl: modifier === "ctrl",
  alt: modifier === "alt",
  shift: false,
});

const nameOf = (raw: RawKey): KeyName | undefined => {
  if (raw.return) return raw.meta || raw.shift ? "newline" : "enter";
  if (raw.tab) return "tab";
  if (raw.backspace) return "backspace";
  if (raw.delete) return "delete";
  if (raw.leftArrow) return "left";
  if (raw.rightArrow) return "right";
  if (raw.upArrow) return "up";
  if (raw.downArrow) return "down";
  if (raw.home) return "home";
  if (raw.end) return "end";
  if (raw.escape) return "escape";
  return undefined;
};

/** The key behind one control character. */
const controlKey = (character: string): KeyPress | undefined => {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\r") return named("enter");
  if (character === "\n") return named("newline");
  if (character === "\t") return named("tab");
  if (character === "\u007F" || character === "\b") return named("backspace");
  return code > 0 && code <= 26 ? withLetter(String.fromCodePoint(code + 96), "ctrl") : undefined;
};

/**
 * Takes apart what arrived in one piece without being marked as a paste: typed ahead, or sent by a program.
 * A line end inside is text (a terminal without bracketed paste must not send half a message); at the end it is Enter.
 */
const splitChunk = (chunk: string): readonly KeyPress[] => {
  const body = chunk.replace(/[\r\n]$/u, "");
  const last = chunk.slice(body.length);
  if (/[\r\n]/u.test(body)) return [{ kind: "paste", text: chunk }];
  // oxlint-disable-next-line no-control-regex -- control characters are keys here
  const pieces = body.split(/([\u0000-\u001F\u007F])/u).filter((piece) => piece !== "");
  const keys = pieces.map((piece): KeyPress | undefined => {
    // oxlint-disable-next-line no-control-regex -- control characters are keys here
    if (!/^[\u0000-\u001F\u007F]$/u.test(piece)) return { kind: "text", text: piece };
    return controlKey(piece);
  });
  return [...keys, last === "" ? undefined : controlKey(last)].filter((key) => key !== undefined);
};

/** Translates one report of the terminal layer into key presses; releases and keys without a meaning give none. */
export const keysFrom = (input: string, raw: RawKey): readonly KeyPress[] => {
  if (raw.eventType === "release" || raw.pageUp || raw.pageDown) return [];
  const name = nameOf(raw);
  if (name !== undefined) return [named(name, raw)];
  if (input === "") return [];
  if (raw.ctrl && input.length === 1) return [input === "j" ? named("newline") : withLetter(input, "ctrl")];
  if (raw.meta && input.length === 1) return [withLetter(input, "alt")];
  return splitChunk(input);
};
