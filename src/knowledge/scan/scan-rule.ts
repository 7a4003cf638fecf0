/** What a finding is about. */
export type ScanKind = "injection" | "exfiltration" | "invisible";

/** One suspicious place. */
export interface ScanFinding {
  /** The rule's id, e.g. `override-instructions`. */
  readonly rule: string;
  readonly kind: ScanKind;
  /** What was found, at most 80 characters on one line; what cannot be seen is written as `U+200B`. */
  readonly excerpt: string;
}

/**
 * One rule as data. `words` is matched against the text as a reader sees it (see `reader-view.ts`): compatibility forms folded, nothing
 * invisible, no emphasis marks, look-alike letters of a foreign alphabet replaced. `commands` is matched with all marks of a shell in
 * their place. `~` at the beginning of a pattern of `words` stands for "no letter or digit
 * before", further on for "no letter or digit after"; case does not count there.
 */
export interface ScanRule {
  /** Stable: it stands in messages and in tests. */
  readonly id: string;
  readonly kind: Exclude<ScanKind, "invisible">;
  readonly words?: readonly string[];
  readonly commands?: readonly RegExp[];
}
