import { expandBraces } from "./brace-expansion.ts";
import type { Atom } from "./brace-expansion.ts";
import type { ParameterPart, ShellWord, SubstitutionPart, WordPart } from "./token.ts";

/** Text that is known. `pattern` is set where unquoted wildcards stand in it: the same text, what was quoted escaped by backslashes. */
export interface StaticWord {
  readonly kind: "static";
  readonly value: string;
  readonly pattern?: string;
}

/**
 * Text that only the running shell knows. `guess` is what it becomes where every unknown parameter is empty or takes
 * its written fallback. `splits` = it may become several words, or none.
 */
export interface DynamicWord {
  readonly kind: "dynamic";
  readonly text: string;
  readonly guess: string;
  readonly splits: boolean;
}

/** One word after expansion, as the program receives it. */
export type Word = StaticWord | DynamicWord;

/** What a parameter is worth: one text, a list (`$@`, `${x[@]}`), or unknown. */
export type ParameterValue =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "list"; readonly words: readonly Word[] };

/** What expansion needs to know. */
export interface ExpansionContext {
  readonly lookup: (name: string) => ParameterValue | undefined;
  /** The output of a substitution where it is certain; undefined otherwise. */
  readonly substitute: (part: SubstitutionPart) => string | undefined;
  /** The characters at which unquoted expansions are split; undefined = not known. */
  readonly separators: string | undefined;
}

/** Expands a word as bash does: braces, tilde, parameters, substitutions, splitting, quote removal. Wildcards stay. */
export const expandWord = (word: Pick<ShellWord, "parts" | "raw">, context: ExpansionContext): readonly Word[] => {
  const alternatives = expandBraces(toAtoms(word.parts));
  if (alternatives === undefined) return [{ kind: "dynamic", text: word.raw, guess: "", splits: true }];
  return alternatives.flatMap((atoms) => expandFields(toParts(atoms), context, true));
};

/** Expands without braces, splitting or wildcards: an assignment's value, a redirection's target, a here-string. */
export const expandValue = (parts: readonly WordPart[], context: ExpansionContext): Word => {
  const fields = expandFields(parts, context, false);
  const [first] = fields;
  if (first === undefined) return { kind: "static", value: "" };
  if (fields.every((field) => field.kind === "static"))
    return { kind: "static", value: fields.map((field) => field.value).join(" ") };
  return fields.find((field) => field.kind === "dynamic") ?? first;
};

const toAtoms = (parts: readonly WordPart[]): readonly Atom<WordPart>[] =>
  parts.flatMap((part): Atom<WordPart>[] =>
    part.kind === "text" && !part.quoted
      ? Array.from(part.value, (value) => ({ kind: "character", value }))
      : [{ kind: "part", part }],
  );

const toParts = (atoms: readonly Atom<WordPart>[]): readonly WordPart[] => {
  const parts: WordPart[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") parts.push({ kind: "text", value: text, quoted: false });
    text = "";
  };
  for (const atom of atoms) {
    if (atom.kind === "character") text += atom.value;
    else {
      flush();
      parts.push(atom.part);
    }
  }
  flush();
  return parts;
};

/** A word that is being put together. */
interface Field {
  value: string;
  pattern: string;
  hasWildcard: boolean;
  /** What stands for the field where it is not known; undefined while it is known. */
  text: string | undefined;
  guess: string;
  splits: boolean;
  /** Whether it stays a word even if it is empty. */
  present: boolean;
}

interface Builder {
  readonly context: ExpansionContext;
  readonly splitting: boolean;
  readonly done: Word[];
  field: Field;
}

const emptyField = (): Field => ({
  value: "",
  pattern: "",
  hasWildcard: false,
  text: undefined,
  guess: "",
  splits: false,
  present: false,
});

const expandFields = (parts: readonly WordPart[], context: ExpansionContext, splitting: boolean): readonly Word[] => {
  const builder: Builder = { context, splitting, done: [], field: emptyField() };
  for (const [index, part] of parts.entries())
    addPart(builder, part, { isFirst: index === 0, isLast: index === parts.length - 1 });
  endField(builder);
  return builder.done;
};

const endField = (builder: Builder): void => {
  const { field } = builder;
  builder.field = emptyField();
  if (field.text !== undefined) {
    builder.done.push({ kind: "dynamic", text: field.text, guess: field.guess, splits: field.splits });
  } else if (field.present || field.value !== "") {
    const { value, pattern, hasWildcard } = field;
    builder.done.push({ kind: "static", value, ...(hasWildcard ? { pattern } : {}) });
  }
};

interface Position {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

const addPart = (builder: Builder, part: WordPart, position: Position): void => {
  switch (part.kind) {
    case "text":
      addText(builder, part.quoted ? part.value : expandTilde(builder, part.value, position), part.quoted);
      return;
    case "parameter":
      addParameter(builder, part);
      return;
    case "substitution": {
      const output = builder.context.substitute(part);
      if (output === undefined) addUnknown(builder, { raw: part.raw, guess: "", splits: !part.quoted });
      else addExpanded(builder, output, part.quoted);
      return;
    }
    case "process":
      addUnknown(builder, { raw: part.raw, guess: "/dev/fd/63", splits: false });
      return;
    case "array":
      addUnknown(builder, { raw: part.raw, guess: "", splits: false });
      return;
    case "opaque":
      // The inside of `[[ ]]` and `(( ))` adds nothing to the word that stands for them.
      if (part.raw === "") return;
      addUnknown(builder, { raw: part.raw, guess: "", splits: !part.quoted });
  }
};

const isWildcard = (pattern: string, value: string): boolean =>
  /[*?]/.test(value) || (value.includes("]") && /(?:^|[^\\])\[/.test(pattern));

const addText = (builder: Builder, value: string, quoted: boolean): void => {
  const { field } = builder;
  field.value += value;
  field.guess += value;
  if (field.text !== undefined) field.text += value;
  if (quoted) field.present = true;
  field.pattern += quoted ? value.replaceAll(/[\\*?[\]{}()!+@|]/g, String.raw`\$&`) : value;
  if (!quoted && isWildcard(field.pattern, value)) field.hasWildcard = true;
};

const addUnknown = (
  builder: Builder,
  unknown: { readonly raw: string; readonly guess: string; readonly splits: boolean },
): void => {
  const { field } = builder;
  field.text = (field.text ?? field.value) + unknown.raw;
  field.value += unknown.raw;
  field.guess += unknown.guess;
  field.splits ||= unknown.splits;
};

// Bash expands a tilde behind the `=` and the `:` of everything that looks like an assignment, also in arguments.
const TILDE = /^~(\+|[A-Za-z_][\w-]*)?(?=[/:]|$)/;
const ASSIGNED_TILDES = /(?<=^\w+=|:)~(\+|[A-Za-z_][\w-]*)?(?=[/:]|$)/g;

const expandTilde = (builder: Builder, value: string, { isFirst, isLast }: Position): string => {
  if (!isFirst || !value.includes("~")) return value;
  const pattern = /^[A-Za-z_]\w*=/.test(value) ? ASSIGNED_TILDES : TILDE;
  return value.replace(pattern, (whole: string, who: string | undefined, offset: number) => {
    // Quotes or expansions directly behind the name make it plain text.
    const touchesNext = offset + whole.length === value.length && !isLast;
    return touchesNext ? whole : (homeDirectory(builder, who) ?? whole);
  });
};

const homeDirectory = ({ context }: Builder, who: string | undefined): string | undefined => {
  if (who !== undefined && who !== "+") return homeOf(who);
  const home = context.lookup(who === "+" ? "PWD" : "HOME");
  return home?.kind === "text" ? home.value : undefined;
};

const homeOf = (user: string): string => (user === "root" ? "/root" : `/home/${user}`);

const addParameter = (builder: Builder, part: ParameterPart): void => {
  const value = builder.context.lookup(part.name);
  if (value === undefined) {
    const fallback = part.fallback === undefined ? undefined : expandValue(part.fallback, builder.context);
    const guess = fallback?.kind === "static" ? fallback.value : (fallback?.guess ?? "");
    addUnknown(builder, { raw: part.raw, guess, splits: !part.quoted });
  } else if (part.fallback !== undefined && isAlternative(part)) {
    const other = expandValue(part.fallback, builder.context);
    if (other.kind === "static") addExpanded(builder, other.value, part.quoted);
    else addUnknown(builder, { raw: part.raw, guess: other.guess, splits: !part.quoted });
  } else if (value.kind === "list") addList(builder, value.words, part);
  else addExpanded(builder, value.value, part.quoted);
};

/** `${x:+word}`: the word stands in where the variable has a value. */
const isAlternative = (part: ParameterPart): boolean => /^\$\{[^:+]*:?\+/.test(part.raw);

const addList = (builder: Builder, words: readonly Word[], part: ParameterPart): void => {
  for (const [index, word] of words.entries()) {
    if (index > 0) endField(builder);
    if (word.kind === "dynamic")
      addUnknown(builder, { raw: word.text, guess: word.guess, splits: word.splits || !part.quoted });
    else addExpanded(builder, word.value, part.quoted);
  }
};

/** Adds text that an expansion produced. Unquoted, it is split at blanks and its wildcards live. */
const addExpanded = (builder: Builder, value: string, quoted: boolean): void => {
  const { separators } = builder.context;
  if (quoted || !builder.splitting || separators === "") {
    addText(builder, value, true);
    return;
  }
  if (separators === undefined) {
    addUnknown(builder, { raw: value, guess: value, splits: true });
    return;
  }
  for (const [index, piece] of splitAt(value, separators).entries()) {
    if (index > 0) endField(builder);
    addText(builder, piece, false);
  }
};

const splitAt = (value: string, separators: string): readonly string[] => {
  const pieces = [""];
  for (const character of value) {
    if (separators.includes(character)) pieces.push("");
    else pieces[pieces.length - 1] += character;
  }
  return pieces;
};
