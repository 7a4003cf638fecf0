import type * as z from "zod";
import { redactText } from "../base/redact/redact-text.ts";
import { type Located, nearestNode, nodeAt, plainValue, withoutNode } from "./located.ts";
import type { ConfigProblem } from "./problem.ts";
import { configSchema, type SectionName } from "./schema/config.ts";
import { fieldAt, schemaAt, type SchemaNode } from "./schema/tree.ts";

/** One section after its values were judged. */
export interface CheckedSection {
  /** The section's values; undefined where a wrong value stops it. */
  readonly value: unknown;
  /** Every setting at once, without what was wrong. */
  readonly tree: Located;
  readonly problems: readonly ConfigProblem[];
  /** The first problem of each entry of a mapping with free names that had to be left out. */
  readonly badEntries: ReadonlyMap<string, ConfigProblem>;
}

/**
 * Judges the values of one section of the tree. A wrong time is dropped, so that its default applies; a wrong entry
 * under a free name (one provider, one alias) is left out and remembered; any other wrong value stops the section.
 */
export const checkSection = (whole: Located, name: SectionName): CheckedSection => {
  const schema: z.ZodType = configSchema.shape[name];
  const problems: ConfigProblem[] = [];
  const badEntries = new Map<string, ConfigProblem>();
  const hasEntries = schemaAt([name])?.kind === "named";
  let tree = whole;
  for (;;) {
    const node = nodeAt(tree, [name]);
    const parsed = schema.safeParse(node === undefined ? undefined : plainValue(node), PARSE_ONCE);
    if (parsed.success) return { value: parsed.data, tree, problems, badEntries };
    const paths = parsed.error.issues.map((issue) => [name, ...issue.path.map(String)]);
    const found = paths.map((path) => ({ path, problem: valueProblem(tree, path), isDropped: isDropped(tree, path) }));
    problems.push(...found.map(({ problem }) => problem));
    if (found.some(({ path, isDropped: dropped }) => !dropped && !(hasEntries && path.length > 1))) {
      return { value: undefined, tree, problems, badEntries };
    }
    for (const { path, problem, isDropped: dropped } of found) {
      if (dropped) tree = withoutNode(tree, path);
      else {
        const entry = path[1] ?? "";
        if (!badEntries.has(entry)) badEntries.set(entry, problem);
        tree = withoutNode(tree, [name, entry]);
      }
    }
  }
};

// Compiling a parser for each section pays off after many parses; here each runs once, at start-up.
const PARSE_ONCE = { jitless: true } as const;

const isDropped = (tree: Located, path: readonly string[]): boolean =>
  fieldAt(path)?.meta.onBad === "dropped" && nodeAt(tree, path) !== undefined;

/** The words for a value that its schema refuses. */
export const valueProblem = (tree: Located, path: readonly string[]): ConfigProblem => {
  const node = nodeAt(tree, path);
  const { origin } = nearestNode(tree, path);
  const dropped = isDropped(tree, path);
  const key = path.join(".");
  const message = `${describeValue(path, node)}${dropped ? "; the default applies" : ""}`;
  const variable = origin.variable === undefined ? "" : ` (from the variable ${origin.variable})`;
  const flag = origin.from === "flag" ? " (from the command line)" : "";
  return {
    severity: dropped ? "warning" : "error",
    code: "config.bad_value",
    key,
    file: origin.file,
    line: origin.line,
    message: `${message}${variable}${flag}`,
  };
};

/** What a key must be, and what it is, in words. A secret is not repeated. */
export const describeValue = (path: readonly string[], node: Located | undefined): string => {
  const key = path.join(".");
  const field = fieldAt(path);
  if (field === undefined)
    return node === undefined ? `${key} is missing` : `${key} must be ${expected(schemaAt(path))}`;
  if (node === undefined) return `${key} is missing: ${field.meta.type}`;
  if (node.kind !== "scalar") return `${key} must be ${field.meta.type}`;
  const isHidden = field.meta.secret === true || field.meta.hidesWrong === true || node.isSecret;
  const isLater = typeof node.value === "string" && field.meta.later?.includes(node.value.toLowerCase()) === true;
  if (isLater) return `${key}: ${node.value} is not in this version (${field.meta.type})`;
  return `${key} must be ${field.meta.type}${isHidden ? "" : `, not ${shorten(node.value)}`}`;
};

const expected = (schema: SchemaNode | undefined): string => (schema === undefined ? "left out" : "a mapping");

// Infinity and NaN have no JSON; people know them by these names. A key that was put into the wrong place is masked.
const shorten = (value: string | number | boolean | null): string => {
  if (typeof value !== "string") return String(value);
  const shown = JSON.stringify(redactText(value));
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
};
