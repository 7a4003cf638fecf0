import { mapAt, nodeAt, plainValue, scalarAt } from "./located.ts";
import { schemaAt } from "./schema/tree.ts";

/**
 * The mapping that a single text stands for at a path, where its section takes such a text (`model_aliases.NAME: provider/model`);
 * undefined where it takes none, or the text makes no mapping that it takes.
 */
export const expandShortForm = (path: readonly string[], text: string): unknown => {
  const [section, name, ...rest] = path;
  if (section === undefined || name === undefined || rest.length > 0) return undefined;
  const schema = schemaAt([section]);
  if (schema?.kind !== "named" || schema.meta.adapt === undefined) return undefined;
  const origin = { from: "config" } as const;
  const adapted = schema.meta.adapt(mapAt([[name, scalarAt(text, origin)]], origin));
  const entry = nodeAt(adapted, [name]);
  if (entry?.kind !== "map") return undefined;
  const value = plainValue(entry);
  return schema.entry.schema.safeParse(value).success ? value : undefined;
};
