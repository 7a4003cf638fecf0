import type { ParsedConfigFile } from "./config-file.ts";
import { configErrors } from "./errors.ts";
import { isSecretName } from "./expand.ts";
import { nearestKnownKey, parseKey } from "./key-path.ts";
import { locate } from "./located.ts";
import { nearestKey } from "./nearest-key.ts";
import { currentName } from "./normalise.ts";
import { memberAt } from "./plain-edit.ts";
import { type SectionName, VARIABLE_ONLY_SECTIONS } from "./schema/config.ts";
import { notBuiltKey } from "./schema/not-built.ts";
import { customProviderId } from "./schema/providers.ts";
import { fieldAt, listVariables, schemaAt, type SchemaNode, schemaTree } from "./schema/tree.ts";

/** A key that a person named, in the schema and in the file. */
export interface ResolvedKey {
  /** Its path in the schema's names. */
  readonly path: readonly string[];
  /** Where the file has it or, if it hasn't, where it is to be written. */
  readonly filePath: readonly string[];
  /** Every place in the file that gives it: one for each spelling. */
  readonly present: readonly (readonly string[])[];
}

const VARIABLE_NAME = /^[A-Z][A-Z0-9_]*$/;

/**
 * The variable that a key names, if it belongs into `.env`: secrets by their name (`…_API_KEY`, `…_TOKEN` in any case),
 * addresses of providers, and the variables of the reference.
 */
export const variableName = (key: string): string | undefined => {
  const name = key.toUpperCase();
  const isTyped = key === name;
  if (!VARIABLE_NAME.test(name) || schemaTree.keys.has(key)) return undefined;
  if (/_(?:API_KEY|TOKEN)$/.test(name) || name.startsWith("TERMINAL_SSH")) return name;
  const isKnown =
    isSecretName(name) || name.endsWith("_BASE_URL") || listVariables().some((variable) => variable.name === name);
  return isTyped && isKnown ? name : undefined;
};

/** Whether what a person typed as a key names a secret, in `.env` or in config.yaml. */
export const isSecretKey = (key: string): boolean => {
  const variable = variableName(key);
  const path =
    variable === undefined
      ? canonicalPath(parseKey(key))
      : listVariables().find((candidate) => candidate.name === variable)?.path;
  return (
    (variable !== undefined && isSecretName(variable)) || (path !== undefined && fieldAt(path)?.meta.secret === true)
  );
};

/**
 * Finds a key of config.yaml by what a person typed. Throws `config.unknown_key` with the nearest,
 * `config.not_in_this_version` and `config.only_variable`.
 */
export const resolveKey = (file: ParsedConfigFile, key: string): ResolvedKey => {
  const tree = locate(file.value, {
    originOf: () => ({ from: "config" }),
    expand: (text) => ({ text, isSecret: false }),
  });
  const typed = parseKey(key, tree);
  if (typed.some((part) => part === "")) throw configErrors.unknownKey({ key, nearest: undefined });
  const listed = customProviderPath(file, typed);
  const path = canonicalPath(listed?.path ?? typed);
  if (VARIABLE_ONLY_SECTIONS.some((name: SectionName) => name === path[0])) throw onlyVariable(key, path);
  if (schemaAt(path) === undefined && fieldAt(path) === undefined) throw unknown(key, path);
  return { path, ...inFile(file, listed?.filePath ?? path) };
};

/** Finds a key to take out: also one that nothing reads, if the file has it. Throws as `resolveKey`. */
export const resolvePresentKey = (file: ParsedConfigFile, key: string): ResolvedKey => {
  const typed = key.split(".");
  const isForeign = schemaAt(parseKey(key)) === undefined && memberAt(file.value, typed) !== undefined;
  return isForeign ? { path: typed, filePath: typed, present: [typed] } : resolveKey(file, key);
};

const unknown = (key: string, path: readonly string[]): Error => {
  if (notBuiltKey(path) !== undefined) return configErrors.notBuilt({ key });
  const names = listVariables().map((variable) => variable.name);
  return configErrors.unknownKey({
    key,
    nearest: VARIABLE_NAME.test(key) ? nearestKey(key, names) : nearestKnownKey(path),
  });
};

const onlyVariable = (key: string, path: readonly string[]): Error => {
  const variable = listVariables().find((candidate) => candidate.path.join(".") === path.join("."));
  return variable === undefined ? unknown(key, path) : configErrors.onlyVariable({ key, variable: variable.name });
};

/** The path with every key in the schema's spelling. `model` alone means the model's name. */
export const canonicalPath = (typed: readonly string[]): readonly string[] => {
  if (typed.length === 1 && typed[0] === "model") return ["model", "default"];
  let schema: SchemaNode | undefined = schemaTree;
  return typed.map((part) => {
    if (schema?.kind === "named") {
      schema = schema.entry;
      return part;
    }
    if (schema?.kind !== "group") return part;
    const name = schema.keys.has(part) ? part : (currentName(part, schema.keys)?.key ?? part);
    schema = schema.keys.get(name);
    return name;
  });
};

const inFile = (file: ParsedConfigFile, path: readonly string[]): Pick<ResolvedKey, "filePath" | "present"> => {
  const isBareModel = path[0] === "model" && path.length === 2 && typeof memberAt(file.value, ["model"]) !== "object";
  if (isBareModel && path[1] === "default") {
    const isSet = memberAt(file.value, ["model"]) !== undefined;
    return { filePath: ["model"], present: isSet ? [["model"]] : [] };
  }
  const present = spellings(file, path);
  return { filePath: present[0] ?? path, present };
};

/** The places in the file that give a key: its own spelling first, then older ones. */
const spellings = (file: ParsedConfigFile, path: readonly string[]): readonly (readonly string[])[] => {
  const parent = path.slice(0, -1);
  const leaf = path.at(-1) ?? "";
  const holder = memberAt(file.value, parent);
  const own = memberAt(file.value, path) === undefined ? [] : [path];
  const group = schemaAt(parent[0] === "custom_providers" ? ["providers", ...parent.slice(1)] : parent);
  if (group?.kind !== "group" || typeof holder !== "object" || holder === null) return own;
  const others = Object.keys(holder).filter(
    (name) => !group.keys.has(name) && currentName(name, group.keys)?.key === leaf,
  );
  return [...own, ...others.map((name) => [...parent, name])];
};

/** `custom_providers.0.…`, and `providers.<id>.…` of an entry that stands in that older list. */
const customProviderPath = (
  file: ParsedConfigFile,
  typed: readonly string[],
): { readonly path: readonly string[]; readonly filePath: readonly string[] } | undefined => {
  const list = memberAt(file.value, ["custom_providers"]);
  const [section, name, ...rest] = typed;
  if (name === undefined || rest.length === 0) return undefined;
  if (section === "custom_providers")
    return /^\d+$/.test(name) ? { path: ["providers", name, ...rest], filePath: typed } : undefined;
  if (section !== "providers" || !Array.isArray(list) || memberAt(file.value, ["providers", name]) !== undefined)
    return undefined;
  const index = list.findIndex((entry) => {
    const held = memberAt(entry, ["name"]);
    return typeof held === "string" && customProviderId(held) === name;
  });
  return index === -1 ? undefined : { path: typed, filePath: ["custom_providers", String(index), ...rest] };
};
