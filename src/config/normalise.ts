import { isNull, type Located, type LocatedMap, nodeAt, withNode, withoutNode } from "./located.ts";
import { nearestKey } from "./nearest-key.ts";
import type { ConfigProblem } from "./problem.ts";
import { VARIABLE_ONLY_SECTIONS } from "./schema/config.ts";
import { notBuiltKey, SILENT_KEYS } from "./schema/not-built.ts";
import { customProviders } from "./schema/providers.ts";
import { type SchemaNode, schemaTree } from "./schema/tree.ts";

/** Settings in the shape and with the names of the schema, and what was noticed on the way. */
export interface Normalised {
  readonly tree: Located;
  readonly problems: readonly ConfigProblem[];
}

type Report = (problem: ConfigProblem) => void;

/**
 * Brings the tree of a config.yaml into the schema's shape: other shapes are adapted, older spellings renamed, keys that
 * nothing reads taken out. Values are not judged here.
 */
export const normalise = (tree: Located): Normalised => {
  const problems: ConfigProblem[] = [];
  const report: Report = (problem) => problems.push(problem);
  const moved = moveModelAliases(moveCustomProviders(tree, report));
  return { tree: visit({ node: moved, schema: schemaTree, path: [], report }), problems };
};

interface Visit {
  readonly node: Located;
  readonly schema: SchemaNode;
  readonly path: readonly string[];
  readonly report: Report;
}

const visit = (at: Visit): Located => {
  const { schema } = at;
  if (schema.kind === "field") return at.node;
  const node = schema.meta?.adapt?.(at.node) ?? at.node;
  if (node.kind !== "map") return node;
  return schema.kind === "named" ? visitNamed({ ...at, node }, schema.entry) : visitGroup({ ...at, node }, schema.keys);
};

const visitNamed = (at: Visit & { readonly node: LocatedMap }, entry: SchemaNode): LocatedMap => {
  const present = [...at.node.entries].filter(([, node]) => !isNull(node));
  const entries = present.map(
    ([name, node]) => [name, visit({ ...at, node, schema: entry, path: [...at.path, name] })] as const,
  );
  return { ...at.node, entries: new Map(entries) };
};

const visitGroup = (at: Visit & { readonly node: LocatedMap }, keys: ReadonlyMap<string, SchemaNode>): LocatedMap => {
  const entries = new Map<string, Located>();
  // The key's own spelling goes first, so that it wins over an older one wherever that stands.
  const ordered = [...at.node.entries].toSorted(([a], [b]) => Number(keys.has(b)) - Number(keys.has(a)));
  for (const [written, node] of ordered) {
    const key = knownName({ ...at, node }, written, keys);
    const schema = key === undefined ? undefined : keys.get(key);
    if (key === undefined || schema === undefined || isAbsent(node, schema)) continue;
    if (entries.has(key)) {
      at.report(
        warnAt(
          { ...at, node },
          {
            code: "config.duplicate_key",
            message: `${dotted(at.path, written)} is passed over: ${key} is set as well`,
            instead: key,
          },
        ),
      );
      continue;
    }
    entries.set(key, visit({ ...at, node, schema, path: [...at.path, key] }));
  }
  return { ...at.node, entries };
};

const isAbsent = (node: Located, schema: SchemaNode): boolean => {
  if (node.kind !== "scalar") return false;
  return isNull(node) || (node.value === "" && schema.kind === "field" && schema.emptyIsAbsent);
};

/** The schema's name for a key as it was written; undefined, and reported, if nothing reads it. */
const knownName = (at: Visit, written: string, keys: ReadonlyMap<string, SchemaNode>): string | undefined => {
  const path = [...at.path, written];
  if (keys.has(written) && !(at.path.length === 0 && VARIABLE_ONLY_SECTIONS.some((name) => name === written)))
    return written;
  if (at.path.length === 0 && SILENT_KEYS.includes(written)) return undefined;
  const renamed = currentName(written, keys);
  if (renamed !== undefined) {
    if (renamed.isLegacy) {
      const message = `${dotted(at.path, written)} is an older spelling`;
      at.report(warnAt(at, { code: "config.legacy_key", message, instead: renamed.key }));
    }
    return renamed.key;
  }
  if (notBuiltKey(path) !== undefined) {
    at.report({
      ...warnAt(at, {
        code: "config.not_in_this_version",
        message: `${path.join(".")} is known, but nothing in this version reads it`,
      }),
      severity: "notice",
      key: path.join("."),
    });
    return undefined;
  }
  at.report(unknownKey(at, path, keys));
  return undefined;
};

const snakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

/** The schema's name that an older spelling, a synonym or a camelCase twin stands for; undefined if it is none. */
export const currentName = (
  written: string,
  keys: ReadonlyMap<string, SchemaNode>,
): { readonly key: string; readonly isLegacy: boolean } | undefined => {
  for (const spelling of [written, snakeCase(written)]) {
    const isTwin = spelling !== written;
    if (isTwin && keys.has(spelling)) return { key: spelling, isLegacy: true };
    for (const [key, node] of keys) {
      if (node.kind !== "field") continue;
      if (node.meta.synonyms?.includes(spelling) === true) return { key, isLegacy: isTwin };
      if (node.meta.legacy?.includes(spelling) === true) return { key, isLegacy: true };
    }
  }
  return undefined;
};

const unknownKey = (at: Visit, path: readonly string[], keys: ReadonlyMap<string, SchemaNode>): ConfigProblem => {
  const nearest = nearestKey(path.at(-1) ?? "", [...keys.keys()]);
  const problem = warnAt(at, {
    code: "config.unknown_key",
    message: `there is no setting ${path.join(".")}; it is passed over`,
  });
  const isBlock = path.length === 1 && at.node.kind === "map";
  const blockHint = isBlock ? "Blocks of chat platforms are not read in this version." : undefined;
  return {
    ...problem,
    key: path.join("."),
    hint: nearest === undefined ? blockHint : `Did you mean ${dotted(at.path, nearest)}?`,
  };
};

const dotted = (path: readonly string[], key: string): string => [...path, key].join(".");

interface Notice {
  readonly code: ConfigProblem["code"];
  readonly message: string;
  /** The name in the same mapping that should be written. */
  readonly instead?: string | undefined;
}

const warnAt = (at: Pick<Visit, "node" | "path">, { code, message, instead }: Notice): ConfigProblem => ({
  severity: "warning",
  code,
  key: instead === undefined ? at.path.join(".") : dotted(at.path, instead),
  file: at.node.origin.file,
  line: at.node.origin.line,
  message,
  hint: instead === undefined ? undefined : `Write ${dotted(at.path, instead)}.`,
});

/** The older list `custom_providers` as entries of `providers`; an entry there of the same id wins. */
const moveCustomProviders = (tree: Located, report: Report): Located => {
  const list = nodeAt(tree, ["custom_providers"]);
  if (list === undefined) return tree;
  const without = withoutNode(tree, ["custom_providers"]);
  const { named, unnamed } = customProviders(list);
  for (const node of unnamed) {
    if (isNull(node)) continue;
    report({
      ...warnAt(
        { node, path: [] },
        { code: "config.bad_value", message: "an entry of custom_providers has no name; it is passed over" },
      ),
      key: "custom_providers",
    });
  }
  return named.reduce((moved: Located, [id, entry]) => {
    if (nodeAt(moved, ["providers", id]) === undefined) return withNode(moved, ["providers", id], entry);
    const message = `the entry ${id} of custom_providers is passed over: providers.${id} is set as well`;
    report({
      ...warnAt({ node: entry, path: [] }, { code: "config.duplicate_key", message }),
      key: `providers.${id}`,
    });
    return moved;
  }, without);
};

/** `model.aliases` as entries of `model_aliases`; an entry there of the same name wins. */
const moveModelAliases = (tree: Located): Located => {
  const aliases = nodeAt(tree, ["model", "aliases"]);
  if (aliases?.kind !== "map") return tree;
  return [...aliases.entries].reduce(
    (moved: Located, [name, entry]) =>
      nodeAt(moved, ["model_aliases", name]) === undefined ? withNode(moved, ["model_aliases", name], entry) : moved,
    withoutNode(tree, ["model", "aliases"]),
  );
};
