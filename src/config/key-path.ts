import { type Located, nodeAt } from "./located.ts";
import { nearestKey } from "./nearest-key.ts";
import { listFields, schemaAt, type SchemaNode, schemaTree } from "./schema/tree.ts";

/**
 * Splits a dotted key into its parts. Free names may have dots of their own (`providers.local.models.qwen-2.5.timeout_seconds`):
 * a name that is set in `tree` is taken whole, else the shortest one after which the rest is a known key.
 */
export const parseKey = (key: string, tree?: Located): readonly string[] => split(key.split("."), schemaTree, tree);

const split = (
  parts: readonly string[],
  schema: SchemaNode | undefined,
  tree: Located | undefined,
): readonly string[] => {
  const [first, ...rest] = parts;
  if (first === undefined || schema === undefined || schema.kind === "field") return parts;
  if (schema.kind === "group") return [first, ...split(rest, schema.keys.get(first), tree && nodeAt(tree, [first]))];
  const length = existingName(parts, tree) ?? newName(parts, schema.entry) ?? 1;
  const name = parts.slice(0, length).join(".");
  return [name, ...split(parts.slice(length), schema.entry, tree && nodeAt(tree, [name]))];
};

/** How many parts the longest name has that is set already. */
const existingName = (parts: readonly string[], tree: Located | undefined): number | undefined => {
  if (tree?.kind !== "map") return undefined;
  const lengths = parts.map((_, index) => parts.length - index);
  return lengths.find((length) => tree.entries.has(parts.slice(0, length).join(".")));
};

/** How many parts the shortest name has after which a known key follows. */
const newName = (parts: readonly string[], entry: SchemaNode): number | undefined => {
  const lengths = parts.map((_, index) => index + 1);
  return lengths.find(
    (length) => length < parts.length && schemaAt(split(parts.slice(length), entry, undefined), entry) !== undefined,
  );
};

/** The known key that was most likely meant by an unknown one. */
export const nearestKnownKey = (path: readonly string[]): string | undefined => {
  for (let length = path.length - 1; length >= 0; length--) {
    const group = schemaAt(path.slice(0, length));
    if (group?.kind !== "group") continue;
    const near = nearestKey(path[length] ?? "", [...group.keys.keys()]);
    // The rest is kept only if it makes a known key; a whole section is no setting.
    const candidate = near === undefined ? undefined : [...path.slice(0, length), near, ...path.slice(length + 1)];
    if (candidate !== undefined && schemaAt(candidate) !== undefined) return candidate.join(".");
  }
  return nearestKey(
    path.join("."),
    listFields().map((field) => field.path.join(".")),
  );
};
