import * as z from "zod";
import { configSchema } from "./config.ts";
import { type FieldMeta, fieldMeta, type GroupMeta, groupMeta } from "./field.ts";

/** The schema as a plain tree, from which names, docs and places are derived. */
export type SchemaNode =
  | {
      readonly kind: "field";
      readonly meta: FieldMeta;
      readonly schema: z.ZodType;
      readonly default: unknown;
      readonly emptyIsAbsent: boolean;
    }
  | {
      readonly kind: "group";
      readonly meta: GroupMeta | undefined;
      readonly keys: ReadonlyMap<string, SchemaNode>;
      readonly schema: z.ZodType;
    }
  | { readonly kind: "named"; readonly meta: GroupMeta; readonly entry: SchemaNode; readonly schema: z.ZodType };

const unwrap = (schema: z.ZodType): z.ZodType => {
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return isWrapped ? unwrap(schema.unwrap() as z.ZodType) : schema;
};

const keysOf = (schema: z.ZodObject): [string, SchemaNode][] =>
  Object.entries(schema.shape).map(([key, member]) => [key, describe(member as z.ZodType)]);

const describe = (schema: z.ZodType): SchemaNode => {
  const meta = fieldMeta(schema);
  if (meta !== undefined) {
    const emptyIsAbsent = schema instanceof z.ZodOptional || unwrap(unwrapPipe(schema)) instanceof z.ZodEnum;
    const value = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
    return { kind: "field", meta, schema, default: value, emptyIsAbsent };
  }
  const bare = unwrap(schema);
  if (bare instanceof z.ZodObject) return { kind: "group", meta: groupMeta(bare), keys: new Map(keysOf(bare)), schema };
  if (bare instanceof z.ZodUnion) return { kind: "group", meta: groupMeta(bare), keys: keysOfShapes(bare), schema };
  const record = groupMeta(bare);
  if (bare instanceof z.ZodRecord && record !== undefined) {
    return { kind: "named", meta: record, entry: describe(bare.valueType as z.ZodType), schema };
  }
  throw new TypeError("a key of the schema has no docs");
};

/** The keys of all shapes that an entry may have; what one shape or another takes is taken. */
const keysOfShapes = (union: z.ZodUnion): ReadonlyMap<string, SchemaNode> => {
  const keys = new Map<string, SchemaNode>();
  for (const [key, node] of union.options.flatMap((option) => (option instanceof z.ZodObject ? keysOf(option) : []))) {
    const held = keys.get(key);
    keys.set(key, held?.kind === "field" && node.kind === "field" ? eitherField(held, node) : node);
  }
  return keys;
};

type FieldNode = SchemaNode & { readonly kind: "field" };

const eitherField = (a: FieldNode, b: FieldNode): FieldNode => {
  if (a.meta.type === b.meta.type) return a;
  const doc = a.meta.doc === b.meta.doc ? a.meta.doc : `${a.meta.type}: ${a.meta.doc} ${b.meta.type}: ${b.meta.doc}`;
  return {
    ...a,
    schema: z.union([a.schema, b.schema]),
    meta: { ...a.meta, doc, type: `${a.meta.type} or ${b.meta.type}` },
  };
};

const unwrapPipe = (schema: z.ZodType): z.ZodType => {
  const bare = unwrap(schema);
  return bare instanceof z.ZodPipe ? (bare.out as z.ZodType) : bare;
};

/** The root of the schema. */
export const schemaTree: SchemaNode & { readonly kind: "group" } = {
  kind: "group",
  meta: undefined,
  keys: new Map(keysOf(configSchema)),
  schema: configSchema,
};

/** What the schema says about a path; undefined if it knows no such key. Any name fits where names are free. */
export const schemaAt = (path: readonly PropertyKey[], node: SchemaNode = schemaTree): SchemaNode | undefined => {
  const [first, ...rest] = path;
  if (first === undefined) return node;
  if (node.kind === "field") return undefined;
  const member = node.kind === "group" ? node.keys.get(String(first)) : node.entry;
  return member === undefined ? undefined : schemaAt(rest, member);
};

/** The field at a path or above it: a list's item and an open mapping's member belong to their field. */
export const fieldAt = (path: readonly PropertyKey[]): (SchemaNode & { readonly kind: "field" }) | undefined => {
  for (let length = path.length; length > 0; length--) {
    const node = schemaAt(path.slice(0, length));
    if (node !== undefined) return node.kind === "field" ? node : undefined;
  }
  return undefined;
};

/** A field of the reference; free names stand as their placeholder (`providers.<id>.base_url`). */
export interface ListedField {
  readonly path: readonly string[];
  readonly node: SchemaNode & { readonly kind: "field" };
}

/** Every field below a node, in the schema's order. */
export const listFields = (node: SchemaNode = schemaTree, path: readonly string[] = []): readonly ListedField[] => {
  if (node.kind === "field") return [{ path, node }];
  if (node.kind === "named") return listFields(node.entry, [...path, node.meta.placeholder ?? "<name>"]);
  return [...node.keys].flatMap(([key, member]) => listFields(member, [...path, key]));
};

/** Every variable that sets a field, with the field's path; the strongest of a field first. */
export const listVariables = (): readonly {
  readonly name: string;
  readonly path: readonly string[];
  readonly read: (text: string) => unknown;
}[] =>
  listFields().flatMap(({ path, node }) =>
    (node.meta.variables ?? []).map(({ name, read }) => ({ name, path, read: read ?? ((value: string) => value) })),
  );
