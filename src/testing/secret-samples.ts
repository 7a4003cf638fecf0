import type { RedactPattern } from "../base/redact/patterns.ts";
import type { Segment } from "../base/redact/redact-pattern.ts";

/** Random secrets for tests and benchmarks, made from a seed: no real-looking key has to stand in the repository. */
export interface SecretSamples {
  /** `length` characters of letters and digits, digits and both cases among them. */
  opaque(length: number): string;
  /** A private key's block with `lines` lines of Base64. */
  privateKey(lines: number): string;
  /** A signed-looking JSON Web Token. */
  jwt(): string;
  /** One example of each prefix of a token row; its only or both sides for a pivot row. */
  ofRow(row: Extract<RedactPattern, { type: "token" | "pivot" }>): readonly string[];
}

const ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CHARACTERS: Readonly<Record<string, string>> = {
  digit: "0123456789",
  hex: "0123456789abcdef",
  anyHex: "0123456789abcdef",
  alpha: ALNUM.slice(0, 52),
  lowerDigit: ALNUM.slice(26),
  upperDigit: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
};

/** Samples of one seed; the same seed gives the same samples. */
export const createSecretSamples = (seed: number): SecretSamples => {
  let state = seed >>> 0 || 1;
  // xorshift32
  const next = (below: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  const pick = (characters: string, length: number): string =>
    Array.from({ length }, () => characters.charAt(next(characters.length))).join("");
  // Digits on fixed places, so that no draw looks like a word.
  const mixed = (characters: string, length: number): string => {
    const drawn = Array.from(pick(characters, length));
    if (!/\d/.test(characters)) return drawn.join("");
    return drawn.map((character, index) => (index % 3 === 1 ? String((next(8) + 2) % 10) : character)).join("");
  };
  const segment = (part: Segment): string => {
    if (typeof part === "string") return part;
    const length = Math.max(part.min, Math.min(part.max ?? part.min, 20));
    const characters = CHARACTERS[part.chars] ?? ALNUM;
    return part.chars === "upperDigit" ? pick(characters, length).replace(/^.../, "A7B") : mixed(characters, length);
  };
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

  return {
    opaque: (length) => mixed(ALNUM, length),
    jwt: () => `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ sub: pick(ALNUM, 12) })}.${pick(ALNUM, 43)}`,
    privateKey: (lines) => {
      const word = ["PRIVATE", "KEY"].join(" ");
      const body = Array.from({ length: lines }, () => pick(ALNUM, 64));
      return [`-----BEGIN ${word}-----`, ...body, `-----END ${word}-----`].join("\n");
    },
    ofRow: (row) =>
      row.type === "token"
        ? row.prefixes.map((prefix) => `${prefix}${row.body.map(segment).join("")}`)
        : [`${row.before.map(segment).join("")}${row.pivot}${row.after.map(segment).join("")}`],
  };
};
