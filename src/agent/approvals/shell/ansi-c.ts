const SIMPLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const ESCAPE =
  /\\(?:x\{?([0-9a-fA-F]{1,2})\}?|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])|([\s\S]))/g;

/** Resolves the escapes inside `$'…'` as bash does. A NUL ends the text, as in bash. */
export const decodeAnsiC = (text: string): string => {
  const decoded = text.replaceAll(ESCAPE, (...groups: readonly unknown[]) => decodeEscape(groups.slice(0, 7)));
  const end = decoded.indexOf("\0");
  return end === -1 ? decoded : decoded.slice(0, end);
};

const decodeEscape = ([whole, hex, short, long, octal, control, simple]: readonly unknown[]): string => {
  if (typeof hex === "string") return String.fromCharCode(Number.parseInt(hex, 16));
  if (typeof short === "string") return fromCodePoint(Number.parseInt(short, 16));
  if (typeof long === "string") return fromCodePoint(Number.parseInt(long, 16));
  if (typeof octal === "string") return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
  if (typeof control === "string") return String.fromCharCode(control.charCodeAt(0) & 0x1f);
  if (typeof simple === "string") return SIMPLE[simple] ?? ("\\'\"?".includes(simple) ? simple : `\\${simple}`);
  return String(whole);
};

const fromCodePoint = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd");
