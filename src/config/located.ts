/** Who gave a value. */
export type SettingSource = "flag" | "env" | "config" | ".env" | "default";

/** Where a value stands. `variable` is set where a variable gave it, `line` counts from 1. */
export interface Origin {
  readonly from: Exclude<SettingSource, "default">;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly variable?: string | undefined;
}

/** A scalar of the settings. `isSecret`: a secret variable was expanded into it. */
export interface LocatedScalar {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  readonly isSecret: boolean;
  readonly origin: Origin;
}
export interface LocatedList {
  readonly kind: "list";
  readonly items: readonly Located[];
  readonly origin: Origin;
}
export interface LocatedMap {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, Located>;
  readonly origin: Origin;
}
/** A value of the settings together with the places that its parts come from. */
export type Located = LocatedScalar | LocatedList | LocatedMap;

/** A scalar at a place. */
export const scalarAt = (value: LocatedScalar["value"], origin: Origin): LocatedScalar => ({
  kind: "scalar",
  value,
  isSecret: false,
  origin,
});

/** A mapping at a place. */
export const mapAt = (entries: Iterable<readonly [string, Located]>, origin: Origin): LocatedMap => ({
  kind: "map",
  entries: new Map(entries),
  origin,
});

/** The value without places. */
export const plainValue = (node: Located): unknown => {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  return Object.fromEntries([...node.entries].map(([key, member]) => [key, plainValue(member)]));
};

/** Whether there is a key with nothing behind it; it counts as absent. */
export const isNull = (node: Located): boolean => node.kind === "scalar" && node.value === null;

/** How a value's texts and places are made by `locate`. */
export interface LocateOptions {
  readonly originOf: (path: readonly string[]) => Origin;
  readonly expand: (text: string) => { readonly text: string; readonly isSecret: boolean };
}

/** Puts places to a plain value of texts, numbers, truth values, null, arrays and objects; a value of another kind becomes null. */
export const locate = (value: unknown, options: LocateOptions, path: readonly string[] = []): Located => {
  const origin = options.originOf(path);
  if (typeof value === "string") {
    const { text, isSecret } = options.expand(value);
    return { kind: "scalar", value: text, isSecret, origin };
  }
  if (typeof value === "number" || typeof value === "boolean") return scalarAt(value, origin);
  if (Array.isArray(value))
    return { kind: "list", items: value.map((item, index) => locate(item, options, [...path, String(index)])), origin };
  if (typeof value !== "object" || value === null) return scalarAt(null, origin);
  return mapAt(
    Object.entries(value).map(([key, member]) => [key, locate(member, options, [...path, key])]),
    origin,
  );
};

/** The node at a path; undefined if there is none. */
export const nodeAt = (node: Located, path: readonly PropertyKey[]): Located | undefined => {
  const [first, ...rest] = path;
  if (first === undefined) return node;
  const member = memberOf(node, first);
  return member === undefined ? undefined : nodeAt(member, rest);
};

const memberOf = (node: Located, key: PropertyKey): Located | undefined => {
  if (node.kind === "map") return node.entries.get(String(key));
  return node.kind === "list" ? node.items[Number(key)] : undefined;
};

/** The deepest node on the way to a path, for the line of something that is missing. */
export const nearestNode = (node: Located, path: readonly PropertyKey[]): Located => {
  const found = nodeAt(node, path);
  return found ?? nearestNode(node, path.slice(0, -1));
};

/** The same tree with `value` at `path`; mappings on the way are made where they are missing or no mappings. */
export const withNode = (node: Located, path: readonly string[], value: Located): Located => {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const entries = new Map(node.kind === "map" ? node.entries : []);
  entries.set(first, withNode(entries.get(first) ?? mapAt([], value.origin), rest, value));
  return { kind: "map", entries, origin: node.origin };
};

/** The same tree without the node at `path`. */
export const withoutNode = (node: Located, path: readonly PropertyKey[]): Located => {
  const [first, ...rest] = path;
  if (first === undefined) return node;
  if (node.kind === "list") {
    const index = Number(first);
    const items =
      rest.length === 0
        ? node.items.toSpliced(index, 1)
        : node.items.map((item, at) => (at === index ? withoutNode(item, rest) : item));
    return { ...node, items };
  }
  if (node.kind !== "map") return node;
  const entries = new Map(node.entries);
  const key = String(first);
  const member = entries.get(key);
  if (rest.length === 0) entries.delete(key);
  else if (member !== undefined) entries.set(key, withoutNode(member, rest));
  return { ...node, entries };
};
