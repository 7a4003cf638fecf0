import { type Located, locate, nodeAt, scalarAt, withNode, withoutNode } from "./located.ts";
import { parseKey } from "./key-path.ts";
import type { ConfigProblem } from "./problem.ts";
import { readFlag } from "./schema/field.ts";
import { fieldAt, listVariables } from "./schema/tree.ts";
import { valueProblem } from "./sections.ts";
import type { Variables } from "./variables.ts";

/** What the command line sets, by dotted key: `{"model.default": "m1", "agent.max_turns": 5}`. Undefined = not given. */
export type FlagOverrides = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const IGNORE_KEY = "environment.ignore_user_config";
const IGNORE_VARIABLE = "HERMES_IGNORE_USER_CONFIG";

/** Whether config.yaml is to be left out: asked before it is read. */
export const ignoresUserConfig = (variables: Variables, flags: FlagOverrides | undefined): boolean => {
  const flag = flags?.[IGNORE_KEY];
  return flag === undefined ? readFlag(variables.get(IGNORE_VARIABLE)?.value ?? "") === true : flag === true;
};

/**
 * Puts in what variables say: those of the process over config.yaml, those of `.env` where config.yaml says nothing.
 * A variable whose wrong value is of the kind that is dropped leaves what was there.
 */
export const applyVariables = (
  tree: Located,
  variables: Variables,
): { readonly tree: Located; readonly problems: readonly ConfigProblem[] } => {
  const problems: ConfigProblem[] = [];
  const settled = new Set<string>();
  const all = listVariables();
  let result = tree;
  for (const layer of ["env", ".env"] as const) {
    for (const { name, path, read } of all) {
      const key = path.join(".");
      const found = variables.get(name);
      const isTaken = settled.has(key) || (layer === ".env" && nodeAt(tree, path) !== undefined);
      const value = found === undefined || found.origin.from !== layer || isTaken ? undefined : read(found.value);
      if (found === undefined || (typeof value !== "string" && typeof value !== "boolean")) continue;
      const next = withNode(result, path, scalarAt(value, found.origin));
      const field = fieldAt(path);
      if (field?.meta.onBad === "dropped" && !field.schema.safeParse(value).success)
        problems.push(valueProblem(next, path));
      else {
        result = next;
        settled.add(key);
      }
    }
  }
  return { tree: result, problems };
};

/** Puts in what the command line says, over everything else. Throws a TypeError for a key that the schema doesn't have: a bug. */
export const applyFlags = (tree: Located, flags: FlagOverrides = {}): Located => {
  let result = tree;
  for (const [key, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    const path = parseKey(key);
    if (fieldAt(path) === undefined) throw new TypeError(`there is no setting ${key} for a flag to set`);
    const node = locate(value, { originOf: () => ({ from: "flag" }), expand: (text) => ({ text, isSecret: false }) });
    result = withNode(withoutNode(result, path), path, node);
  }
  return result;
};
