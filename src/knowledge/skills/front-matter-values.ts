import type { YamlMap, YamlValue } from "./front-matter.ts";

const EMPTY: YamlMap = new Map();

/** A text that is not empty; undefined = absent, empty, or no text. */
export const textAt = (map: YamlMap, key: string): string | undefined => {
  const value = map.get(key);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
};

/** A mapping; an empty one where there is none. */
export const mapAt = (map: YamlMap, key: string): YamlMap => {
  const value = map.get(key);
  return value instanceof Map ? value : EMPTY;
};

const listAt = (map: YamlMap, key: string): readonly YamlValue[] => {
  const value = map.get(key);
  return Array.isArray(value) ? value : [];
};

/** The texts of a list; other members are left out. */
export const textsAt = (map: YamlMap, key: string): readonly string[] =>
  listAt(map, key).filter((entry): entry is string => typeof entry === "string" && entry.trim() !== "");

/** The mappings of a list; other members are left out. */
export const mapsAt = (map: YamlMap, key: string): readonly YamlMap[] =>
  listAt(map, key).filter((entry): entry is YamlMap => entry instanceof Map);

/** A list of words, or one text with commas or spaces between them. */
export const wordsAt = (map: YamlMap, key: string): readonly string[] => {
  const value = map.get(key);
  const texts = typeof value === "string" ? value.split(/[,\s]+/u) : textsAt(map, key);
  return texts.map((text) => text.trim()).filter((text) => text !== "");
};
