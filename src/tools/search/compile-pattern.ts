/** A pattern as our own engine uses it. `isLiteral` = it was no regular expression and is looked for as it stands. */
export interface CompiledPattern {
  readonly regex: RegExp;
  readonly isLiteral: boolean;
}

/**
 * Compiles a search pattern. Understood beyond JavaScript's own syntax is what ripgrep's users write: leading flags such as
 * `(?i)`, POSIX classes in brackets, `\A`, `\z` and `\h`. `\d`, `\w` and `\b` know ASCII only, unlike ripgrep's.
 */
export const compilePattern = (pattern: string): CompiledPattern => {
  const flagged = /^\(\?([imsu]+)\)/u.exec(pattern);
  const flags = [...new Set(flagged?.[1] ?? "")].filter((flag) => flag === "i" || flag === "s").join("");
  const source = translate(flagged === null ? pattern : pattern.slice(flagged[0].length));
  // Without the u flag JavaScript takes escapes that it does not know, as in `\-`.
  const regex = tryCompile(source, `u${flags}`) ?? tryCompile(source, flags);
  return regex === undefined
    ? { regex: new RegExp(escapeRegex(pattern), "u"), isLiteral: true }
    : { regex, isLiteral: false };
};

const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");

const tryCompile = (source: string, flags: string): RegExp | undefined => {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined; // not a regular expression: the caller takes it literally and says so
  }
};

const translate = (pattern: string): string =>
  pattern
    .replace(/\[:(\w+):\]/gu, (whole, name: string) => POSIX_CLASSES[name] ?? whole)
    .replace(/\\(?:([Azh])|.)/gsu, (whole, letter: string | undefined) =>
      letter === undefined ? whole : (ESCAPES[letter] ?? whole),
    );

const ESCAPES: Readonly<Record<string, string>> = { A: "^", z: "$", h: "[ \\t]" };

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  blank: " \\t",
  digit: "0-9",
  lower: "a-z",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};
