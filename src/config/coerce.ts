import { parse } from "yaml";
import { readFlag, readNumber } from "./schema/field.ts";
import type { SchemaNode } from "./schema/tree.ts";

/** Words that mean a truth value when a person types them as a setting's value. */
const isFlagWord = (text: string): boolean => !/^[01]$/.test(text.trim()) && readFlag(text) !== undefined;

/**
 * A typed value as YAML should hold it, for a field of the schema: true/yes/on and false/no/off become truth values,
 * numbers become numbers, `[…]` and `{…}` are read as YAML; but what the field takes as text stays text.
 * Undefined: the field takes none of these.
 */
export const coerceValue = (typed: string, field: SchemaNode & { readonly kind: "field" }): unknown => {
  const takesCollections = field.meta.isList === true || field.meta.isOpen === true;
  const candidates = [...(takesCollections ? yamlCollection(typed) : []), ...scalars(typed)];
  const isAccepted = (value: unknown): boolean => field.schema.safeParse(value).success;
  // A field that takes the text as it is and doesn't turn it into another type wants text.
  const parsed = field.schema.safeParse(typed);
  if (parsed.success && typeof parsed.data === "string") return parsed.data;
  return candidates.find(isAccepted);
};

const yamlCollection = (typed: string): readonly unknown[] => {
  try {
    return /^\s*[[{]/.test(typed) ? [parse(typed)] : [];
  } catch {
    // No YAML after all: then it is an ordinary text that begins with a bracket.
    return [];
  }
};

const scalars = (typed: string): readonly unknown[] => {
  const number = readNumber(typed);
  const flag = isFlagWord(typed) ? readFlag(typed) : undefined;
  return [...(flag === undefined ? [] : [flag]), ...(number === undefined ? [] : [number]), typed];
};

/** A typed value where any type is right: a truth value, a number or YAML if it reads as one, else text. */
export const coerceLoose = (typed: string): unknown => {
  const [first] = [...yamlCollection(typed), ...scalars(typed)];
  return first ?? typed;
};
