import * as z from "zod";
import type { Located } from "../located.ts";

/** A variable that sets a key. `read` turns its text into the value; undefined = it says nothing. */
export interface VariableOverride {
  readonly name: string;
  readonly read?: (text: string) => string | boolean | undefined;
}

/** What is known of one key besides its type: everything that docs, listing and checking are made of. */
export interface FieldMeta {
  /** One sentence for the reference. */
  readonly doc: string;
  /** The accepted values in words: "whole number, at least 1". */
  readonly type: string;
  /** Variables that beat config.yaml, the strongest first. From `.env` they count below config.yaml. */
  readonly variables?: readonly VariableOverride[] | undefined;
  /** Never shown, logged or repeated in a message. */
  readonly secret?: boolean | undefined;
  /** A wrong value is not repeated in messages: people put secrets here by mistake. */
  readonly hidesWrong?: boolean | undefined;
  /** What happens to a wrong value: its section stops, or (`dropped`) the default applies with a warning. */
  readonly onBad?: "stops" | "dropped" | undefined;
  /** Older spellings of the key in the same mapping; taken with a warning. */
  readonly legacy?: readonly string[] | undefined;
  /** Other spellings of the key that are as good. */
  readonly synonyms?: readonly string[] | undefined;
  /** Values of the existing system that this version does not do; refused in so many words. */
  readonly later?: readonly string[] | undefined;
  /** A list of texts, for `config set` and the reference. */
  readonly isList?: boolean | undefined;
  /** Takes a mapping of any shape. */
  readonly isOpen?: boolean | undefined;
}

/** What is known of a mapping. */
export interface GroupMeta {
  readonly doc: string;
  /** The placeholder of a free name in the reference: `<id>`. */
  readonly placeholder?: string | undefined;
  /** Brings another accepted shape into the one that the schema describes. */
  readonly adapt?: ((node: Located) => Located) | undefined;
}

/** What a field's author gives; `type` comes from the builder. */
export type FieldOptions = Omit<FieldMeta, "type">;

// Filled while the schema is declared and never after; zod's own registry can't type functions and maps.
const fieldRegistry = new WeakMap<z.ZodType, FieldMeta>();
const groupRegistry = new WeakMap<z.ZodType, GroupMeta>();

/** The meta of a field's schema; undefined if the schema is no field. */
export const fieldMeta = (schema: z.ZodType): FieldMeta | undefined => fieldRegistry.get(schema);
/** The meta of a mapping's schema. */
export const groupMeta = (schema: z.ZodType): GroupMeta | undefined => groupRegistry.get(schema);

interface Leaf<T> {
  readonly schema: z.ZodType<T>;
  readonly type: string;
}

const register = <S extends z.ZodType>(schema: S, options: FieldOptions & { readonly type: string }): S => {
  fieldRegistry.set(schema, options);
  return schema;
};

/** A field that always has a value. */
const withDefault = <T>(
  leaf: Leaf<T>,
  options: FieldOptions & { readonly default: z.core.util.NoUndefined<T> },
): z.ZodDefault<z.ZodType<T>> => {
  const { default: value, ...meta } = options;
  return register(leaf.schema.default(value), { ...meta, type: leaf.type });
};

/** A field that may be absent. */
const optional = <T>(leaf: Leaf<T>, options: FieldOptions): z.ZodOptional<z.ZodType<T>> =>
  register(leaf.schema.optional(), { ...options, type: leaf.type });

const TRUE_WORDS = ["true", "yes", "on", "1"];
const FALSE_WORDS = ["false", "no", "off", "0"];

/** A truth value as a person writes it (true/yes/on/1, false/no/off/0); undefined for other text. */
export const readFlag = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.includes(word)) return true;
  return FALSE_WORDS.includes(word) ? false : undefined;
};

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A number as a person writes it; undefined for other text, `inf` and `nan` included. */
export const readNumber = (text: string): number | undefined => (DECIMAL.test(text.trim()) ? Number(text) : undefined);

// Variables and `${VAR}` always give text, so number and truth fields take it.
const lenientNumber = (value: unknown): unknown => (typeof value === "string" ? (readNumber(value) ?? value) : value);
const lenientFlag = (value: unknown): unknown => (typeof value === "string" ? (readFlag(value) ?? value) : value);
// An all-digit key or name is a number to YAML; its digits are unambiguous as text.
const lenientText = (value: unknown): unknown =>
  typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;

interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

const numberLeaf = (range: Range, words: string): Leaf<number> => {
  const upper = range.max === undefined ? "" : `, at most ${range.max}`;
  const base = z
    .int()
    .min(range.min ?? 0)
    .max(range.max ?? Number.MAX_SAFE_INTEGER);
  return { schema: z.preprocess(lenientNumber, base), type: `${words}, at least ${range.min ?? 0}${upper}` };
};

const secondsLeaf = (): Leaf<number> => ({
  schema: z.preprocess(lenientNumber, z.number().positive()),
  type: "seconds, more than 0",
});

const textLeaf = (): Leaf<string> => ({ schema: z.preprocess(lenientText, z.string()), type: "text" });

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);
// A text with an unset `${VAR}` in it is judged when the variable has a value.
const addressLeaf = (): Leaf<string> => ({
  schema: z.string().refine((text) => isWebAddress(text) || text.includes("${")),
  type: "address beginning with http:// or https://",
});

/** true or false. */
export const flag = (options: FieldOptions & { readonly default: boolean }): z.ZodDefault<z.ZodType<boolean>> =>
  withDefault({ schema: z.preprocess(lenientFlag, z.boolean()), type: "true or false" }, options);

/** A whole number with a default. */
export const count = (
  options: FieldOptions & Range & { readonly default: number },
): z.ZodDefault<z.ZodType<number>> => {
  const { min, max, ...rest } = options;
  return withDefault(numberLeaf({ min, max }, "whole number"), rest);
};

/** A whole number that may be absent. */
export const optionalCount = (options: FieldOptions & Range): z.ZodOptional<z.ZodType<number>> => {
  const { min, max, ...rest } = options;
  return optional(numberLeaf({ min, max }, "whole number"), rest);
};

/** An amount of money that may be absent: 0 or more, with any number of places. */
export const optionalAmount = (options: FieldOptions): z.ZodOptional<z.ZodType<number>> =>
  optional({ schema: z.preprocess(lenientNumber, z.number().min(0)), type: "amount, 0 or more" }, options);

/** A part of a whole with a default: more than 0, at most 1. */
export const fraction = (options: FieldOptions & { readonly default: number }): z.ZodDefault<z.ZodType<number>> =>
  withDefault(
    {
      schema: z.preprocess(lenientNumber, z.number().positive().max(1)),
      type: "part of a whole, more than 0, at most 1",
    },
    options,
  );

/** A positive, finite time in seconds. A wrong one is dropped, so that the default applies (R-TIME-2). */
export const seconds = (options: FieldOptions & { readonly default: number }): z.ZodDefault<z.ZodType<number>> =>
  withDefault(secondsLeaf(), { ...options, onBad: "dropped" });

/** A positive, finite time in seconds that may be absent. A wrong one is dropped (R-TIME-2). */
export const optionalSeconds = (options: FieldOptions): z.ZodOptional<z.ZodType<number>> =>
  optional(secondsLeaf(), { ...options, onBad: "dropped" });

/** Text with a default. */
export const text = (options: FieldOptions & { readonly default: string }): z.ZodDefault<z.ZodType<string>> =>
  withDefault(textLeaf(), options);

/** Text that may be absent; empty text counts as absent. */
export const optionalText = (options: FieldOptions): z.ZodOptional<z.ZodType<string>> => optional(textLeaf(), options);

/** Text that must be there and not be empty. */
export const requiredText = (options: FieldOptions): z.ZodType<string> =>
  register(z.preprocess(lenientText, z.string().min(1)), { ...options, type: "text, required" });

/** An http or https address that may be absent; empty text counts as absent. */
export const optionalAddress = (options: FieldOptions): z.ZodOptional<z.ZodType<string>> =>
  optional(addressLeaf(), options);

/** The name of a variable that may be absent. A key that was put here in place of its variable's name is refused unseen. */
export const optionalVariableName = (options: FieldOptions): z.ZodOptional<z.ZodType<string>> =>
  optional(
    { schema: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), type: "the name of a variable" },
    { ...options, hidesWrong: true },
  );

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    // The one way in which Intl says that it does not know a zone.
    return false;
  }
};

/** An IANA time zone that may be absent. */
export const optionalTimeZone = (options: FieldOptions): z.ZodOptional<z.ZodType<string>> =>
  optional({ schema: z.string().refine(isTimeZone), type: "IANA time zone such as Europe/Berlin" }, options);

/** A list of texts; a single text counts as a list of one. */
export const textList = (options: FieldOptions & { readonly default?: string[] }): z.ZodDefault<z.ZodType<string[]>> =>
  withDefault(
    {
      schema: z.preprocess(
        (value) => (typeof value === "string" ? [value] : value),
        z.array(z.preprocess(lenientText, z.string())),
      ),
      type: "list of texts",
    },
    { default: [], ...options, isList: true },
  );

/** A mapping of any shape, handed on as it is; may be absent. */
export const openMapping = (options: FieldOptions): z.ZodOptional<z.ZodType<Record<string, unknown>>> =>
  optional({ schema: z.record(z.string(), z.unknown()), type: "mapping" }, { ...options, isOpen: true });

/** A list of entries of one shape; what is no list counts as a list of one. `read` turns a text that stands for an entry into it. */
export const entryList = <Entry extends z.ZodType>(
  entry: Entry,
  options: FieldOptions & { readonly type: string; readonly read: (text: string) => unknown },
): z.ZodDefault<z.ZodType<z.output<Entry>[]>> => {
  const { type, read, ...meta } = options;
  const asList = (value: unknown): unknown =>
    (Array.isArray(value) ? value : [value]).map((item: unknown) => (typeof item === "string" ? read(item) : item));
  return withDefault({ schema: z.preprocess(asList, z.array(entry)), type }, { ...meta, default: [], isOpen: true });
};

const choiceLeaf = <const T extends readonly [string, ...string[]]>(values: T): Leaf<T[number]> => {
  const byWord = new Map(values.map((value) => [value.toLowerCase(), value]));
  // YAML 1.1 readers and writers turn a bare `off` into false; both spellings mean the choice.
  const spell = (value: unknown): unknown => {
    if (typeof value === "boolean") return byWord.get(value ? "on" : "off") ?? byWord.get(String(value)) ?? value;
    return typeof value === "string" ? (byWord.get(value.trim().toLowerCase()) ?? value) : value;
  };
  const type = values.length === 1 ? `only ${values[0]}` : `one of ${values.join(", ")}`;
  return { schema: z.preprocess(spell, z.enum(values)), type };
};

/** One of some words, in any case. */
export const choice = <const T extends readonly [string, ...string[]]>(
  values: T,
  options: FieldOptions & { readonly default: z.core.util.NoUndefined<T[number]> },
): z.ZodDefault<z.ZodType<T[number]>> => withDefault(choiceLeaf(values), options);

/** One of some words, in any case (`on` and `off` as truth values too), or a list of texts. */
export const choiceOrTexts = <const T extends readonly [string, ...string[]]>(
  values: T,
  options: FieldOptions & { readonly default: z.core.util.NoUndefined<T[number]> },
): z.ZodDefault<z.ZodType<T[number] | string[]>> => {
  const { schema, type } = choiceLeaf(values);
  const texts = z.array(z.preprocess(lenientText, z.string()));
  const asFlag = (value: unknown): unknown => (typeof value === "string" ? (readFlag(value) ?? value) : value);
  return withDefault(
    { schema: z.union([z.preprocess(asFlag, schema), texts]), type: `${type}, or a list of texts` },
    { ...options, isList: true },
  );
};

/** One of some words, in any case; may be absent. */
export const optionalChoice = <const T extends readonly [string, ...string[]]>(
  values: T,
  options: FieldOptions,
): z.ZodOptional<z.ZodType<T[number]>> => optional(choiceLeaf(values), options);

/** A mapping with known keys. */
export const group = <Shape extends z.core.$ZodShape>(
  shape: Shape,
  meta: GroupMeta,
): z.ZodPrefault<z.ZodObject<Shape>> => {
  const schema = z.object(shape);
  groupRegistry.set(schema, meta);
  // An absent group is an empty one: its fields have their own defaults.
  return schema.prefault(() => ({}) as z.input<typeof schema>);
};

/** A mapping from free names to entries of one shape. */
export const named = <Entry extends z.ZodType>(
  entry: Entry,
  meta: GroupMeta & { readonly placeholder: string },
): z.ZodDefault<z.ZodRecord<z.ZodString, Entry>> => {
  const schema = z.record(z.string(), entry);
  groupRegistry.set(schema, meta);
  return schema.default(() => ({}));
};
