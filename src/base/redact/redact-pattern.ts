import type { Alphabet } from "./alphabet.ts";

/** A literal, or between `min` and `max` (default 300) characters of an alphabet, as many as there are. */
export type Segment = string | { readonly chars: Alphabet; readonly min: number; readonly max?: number };

/**
 * What a match must show besides its shape. Each level includes that the value is no placeholder, reference or template.
 * - `shape`: nothing more;
 * - `digit`: a letter and a digit, or both letter cases;
 * - `token`: a stretch in which digits or letter cases are interleaved as no word has them;
 * - `random`: `token`, at least 16 characters, high entropy;
 * - `jwt`: its first part decodes to a JSON object;
 * - `basic`: it decodes to `name:password`;
 * - `password`: what a person could have chosen as a password, but no plain word.
 */
export type Evidence = "shape" | "digit" | "token" | "random" | "jwt" | "basic" | "password";

/** A secret that is known by how it begins. */
export interface TokenPattern {
  readonly type: "token";
  readonly kind: string;
  /** Case-sensitive; begin with a word character and are not glued to one before it, but for `_` where the rest is `random`. */
  readonly prefixes: readonly string[];
  readonly body: readonly Segment[];
  /** Belongs to the secret where it follows. */
  readonly rest?: readonly Segment[];
  readonly evidence: Evidence;
  /** The prefix itself is no secret and stays readable, e.g. `Bearer `. */
  readonly keepPrefix?: boolean;
  /** One of these characters before it makes it something else: the inside of a long Base64 text can look like a token. */
  readonly notAfter?: string;
  /** Must stand within the 1,024 characters before. */
  readonly near?: string;
}

/** A secret that is known by a literal in its middle. */
export interface PivotPattern {
  readonly type: "pivot";
  readonly kind: string;
  readonly before: readonly Segment[];
  readonly pivot: string;
  readonly after: readonly Segment[];
  readonly evidence: Evidence;
}

/** Names of settings, fields, headers and URL parameters whose values are secret. */
export interface NamePattern {
  readonly type: "name";
  readonly kind: string;
  /**
   * Lower-case words: `api key` is found in `API_KEY`, `x-api-key`, `serviceApiKey` and `apikey`; a name counts when it ends so
   * (`token_url` and `max_tokens` do not).
   */
  readonly names: readonly string[];
  /**
   * How sure the name makes it: `password` = any likely password; `secret` = a value that is no word;
   * `weak` = only a long random value; `parameter` = only as a whole URL or form parameter name.
   */
  readonly strength: NameStrength;
  /** Words before the name that make it harmless: `public key`. */
  readonly except?: readonly string[];
}

export type NameStrength = "password" | "secret" | "weak" | "parameter";

/** One way to recognise a secret. All data, so that a plugin's manifest can bring rows; `kind` stands in the mask: `[a-z0-9_]{1,32}`. */
export type RedactPattern = TokenPattern | PivotPattern | NamePattern;
