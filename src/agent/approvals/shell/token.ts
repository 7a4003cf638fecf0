/** Literal text. `quoted` = quotes or a backslash protect it from expansion and splitting. */
export interface TextPart {
  readonly kind: "text";
  readonly value: string;
  readonly quoted: boolean;
}

/** `$x`, `${x}`, `${x:-word}`. `name` is a variable, a digit, a special parameter, or `x[@]`. */
export interface ParameterPart {
  readonly kind: "parameter";
  readonly name: string;
  readonly quoted: boolean;
  readonly raw: string;
  /** The word after `:-`, `-`, `:=`, `=`, `:+` or `+`. */
  readonly fallback?: readonly WordPart[];
}

/** `$(…)` or backticks. `source` is what the inner shell reads. */
export interface SubstitutionPart {
  readonly kind: "substitution";
  readonly source: string;
  readonly quoted: boolean;
  readonly raw: string;
  /** Where `source` begins in the outer text; absent where unescaping changed it. */
  readonly offset?: number;
}

/** `<(…)` or `>(…)`. */
export interface ProcessPart {
  readonly kind: "process";
  readonly source: string;
  readonly raw: string;
  readonly offset: number;
}

/** The value of an array assignment, `(a b)`. */
export interface ArrayPart {
  readonly kind: "array";
  readonly elements: readonly ShellWord[];
  readonly raw: string;
}

/** An expansion whose value is not computed: arithmetic, `${x/a/b}`, the inside of `[[ ]]`. Its inner commands still run. */
export interface OpaquePart {
  readonly kind: "opaque";
  readonly raw: string;
  readonly quoted: boolean;
  readonly sources: readonly string[];
}

export type WordPart = TextPart | ParameterPart | SubstitutionPart | ProcessPart | ArrayPart | OpaquePart;

/** One word as it is written. Indices are UTF-16 units of the text that was tokenised. */
export interface ShellWord {
  readonly raw: string;
  readonly start: number;
  readonly end: number;
  readonly parts: readonly WordPart[];
}

/** What a here-document hands to its command. With `quoted` the shell expands nothing in it. */
export interface HereDocument {
  readonly body: string;
  readonly quoted: boolean;
  readonly parts: readonly WordPart[];
}

/** A redirection with its target; of `<<` the target is the delimiter. `descriptor` is what stands before it, or empty. */
export interface Redirect {
  readonly descriptor: string;
  readonly operator: string;
  readonly target: ShellWord;
  readonly document?: HereDocument;
}

/** `commandStart` = a word here would be a program or an assignment. */
export type Token =
  | { readonly kind: "word"; readonly word: ShellWord; readonly commandStart: boolean }
  | { readonly kind: "redirect"; readonly redirect: Redirect; readonly afterCompound: boolean }
  | { readonly kind: "reserved"; readonly text: string }
  | { readonly kind: "operator"; readonly text: string }
  | { readonly kind: "newline" };

/**
 * Why a reading may be incomplete. `unterminated` and `ambiguous` are doubts about the syntax;
 * `too-deep` means that text was skipped unread.
 */
export type ReadingProblem = "unterminated" | "ambiguous" | "too-deep";

/** The inner command lines of a word, of every depth of `${…}` but not of substitutions inside substitutions. */
export const sourcesOf = (parts: readonly WordPart[]): readonly string[] =>
  parts.flatMap((part) => {
    switch (part.kind) {
      case "text":
        return [];
      case "parameter":
        return sourcesOf(part.fallback ?? []);
      case "substitution":
      case "process":
        return [part.source];
      case "array":
        return part.elements.flatMap((element) => sourcesOf(element.parts));
      case "opaque":
        return part.sources;
    }
  });
