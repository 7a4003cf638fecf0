/** A text and what it is called. */
export interface NamedText {
  readonly name: string;
  readonly value: string;
}

/** The texts of a plain value, each under the key that it belongs to; those of a list under the list's. */
export const namedTexts = (value: unknown, name = ""): readonly NamedText[] => {
  if (typeof value === "string") return [{ name, value }];
  if (Array.isArray(value)) return value.flatMap((item) => namedTexts(item, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => namedTexts(member, key));
};
