import { writeFileAtomic } from "../base/atomic-file.ts";
import type { Clock } from "../base/clock.ts";
import { withProcessLock } from "../base/process-lock.ts";
import { failure, type Result } from "../base/result.ts";
import { writeSecretFile } from "../base/secret-file.ts";
import { coerceValue, coerceLoose } from "./coerce.ts";
import { type ParsedConfigFile, parseConfigText, readConfigFile } from "./config-file.ts";
import { type EnvEditFailure, setEnvValue, unsetEnvValue } from "./env-file.ts";
import { configErrors } from "./errors.ts";
import { ensureHome, type Home, homePaths } from "./home.ts";
import { scalarAt } from "./located.ts";
import { memberAt, type PathFailure, withMember } from "./plain-edit.ts";
import { type ResolvedKey, resolveKey, resolvePresentKey, variableName } from "./resolve-key.ts";
import { fieldAt, listVariables, schemaAt } from "./schema/tree.ts";
import { describeValue } from "./sections.ts";
import { expandShortForm } from "./short-form.ts";
import { readTextFile } from "./text-file.ts";
import { setInYaml, unsetInYaml, type YamlEditFailure } from "./yaml-edit.ts";

/** Which home is edited, and whose time a busy lock is waited for with. */
export interface EditTarget {
  readonly home: Home;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** What an edit did. */
export interface EditOutcome {
  /** The key in the reference's spelling, or the variable's name. */
  readonly key: string;
  readonly file: string;
  readonly target: "config" | ".env";
  /** False if the file said so already. */
  readonly isChanged: boolean;
}

/**
 * Sets one key from a person's text. Names of secrets and variables go to `.env` (0600), everything else to config.yaml;
 * comments and layout stay. Two processes that set at once both succeed. Throws, with nothing written:
 * `config.unknown_key`, `config.not_in_this_version`, `config.only_variable`, `config.bad_value`, `config.broken_file`,
 * `config.cannot_edit`.
 */
export const setKey = async (target: EditTarget, key: string, typed: string): Promise<EditOutcome> => {
  const variable = variableName(key);
  if (variable !== undefined) {
    refuseBadVariable(variable, typed);
    return await editEnv(target, variable, (text) => setEnvValue(text, variable, typed));
  }
  return await editConfig(target, key, (file, resolved) => setResolved(file, resolved, valueFor(resolved, typed)));
};

/** Adds an item to a list of texts, unless it is there. Throws like `setKey`. */
export const addToList = async (target: EditTarget, key: string, item: string): Promise<EditOutcome> =>
  await editConfig(target, key, (file, resolved) => {
    const held = memberAt(file.value, resolved.filePath) ?? [];
    const items: readonly unknown[] = Array.isArray(held) ? held : [held];
    if (items.includes(item)) return { ok: true, value: file.text };
    const isList = Array.isArray(held) && items.length > 0;
    if (isList) return setInYaml(file, [...resolved.filePath, String(items.length)], item);
    return setInYaml(file, resolved.filePath, [...items, item]);
  });

/** Takes one key out, in every spelling; comments and layout stay. Throws `config.not_set` if it isn't there, else as `setKey`. */
export const unsetKey = async (target: EditTarget, key: string): Promise<EditOutcome> => {
  const paths = homePaths(target.home);
  const variable = variableName(key);
  if (variable !== undefined) {
    return await editEnv(target, variable, (text) => {
      const rest = unsetEnvValue(text, variable);
      if (rest.ok && rest.value === undefined) throw configErrors.notSet({ key: variable, file: paths.env });
      return rest.ok ? { ok: true, value: rest.value ?? text } : rest;
    });
  }
  return await editConfig({ ...target, resolve: resolvePresentKey }, key, (file, resolved) => {
    if (resolved.present.length === 0) throw configErrors.notSet({ key, file: paths.config });
    return unsetAll(file, resolved.present);
  });
};

const unsetAll = (file: ParsedConfigFile, places: readonly (readonly string[])[]): Result<string, YamlEditFailure> => {
  let current = file;
  for (const place of places) {
    const result = unsetInYaml(current, place);
    if (!result.ok) return result;
    const next = result.value === undefined ? current : parseConfigText(result.value);
    if (next.kind === "parsed") current = next;
  }
  return { ok: true, value: current.text };
};

const setResolved = (
  file: ParsedConfigFile,
  { path, filePath }: ResolvedKey,
  value: unknown,
): Result<string, YamlEditFailure> => {
  const bare = memberAt(file.value, ["model"]);
  // `model: NAME` becomes a mapping when it gets its second setting.
  if (filePath[0] === "model" && filePath.length > 1 && typeof bare === "string") {
    return setWithin(file, ["model"], withMember({ default: bare }, filePath.slice(1), value));
  }
  const entry = filePath.slice(0, 2);
  const short = memberAt(file.value, entry);
  // So does an alias of the form `NAME: provider/model`.
  const expanded = typeof short === "string" && filePath.length > 2 ? expandShortForm(entry, short) : undefined;
  if (expanded !== undefined) return setWithin(file, entry, withMember(expanded, filePath.slice(2), value));
  const isItem = schemaAt(path) === undefined && fieldAt(path)?.meta.isList === true;
  const listPath = filePath.slice(0, -1);
  const held = memberAt(file.value, listPath);
  if (!isItem || Array.isArray(held)) return setInYaml(file, filePath, value);
  // The list begins with this item, or with the single text that stood for it.
  const items = held === undefined || held === null ? [] : [held];
  return setWithin(file, listPath, withMember(items, filePath.slice(-1), value));
};

const setWithin = (
  file: ParsedConfigFile,
  path: readonly string[],
  value: Result<unknown, PathFailure>,
): Result<string, YamlEditFailure> =>
  value.ok ? setInYaml(file, path, value.value) : failure({ ...value.error, at: [...path, ...value.error.at] });

/** The typed text as the value to write. Throws `config.bad_value`. */
const valueFor = ({ path }: ResolvedKey, typed: string): unknown => {
  const field = fieldAt(path);
  const key = path.join(".");
  if (field === undefined && expandShortForm(path, typed) !== undefined) return typed;
  if (field === undefined) throw configErrors.refusedValue({ message: `${key} is a section: set one of its keys` });
  // What a variable will hold can't be judged before it does.
  if (typed.includes("${")) return typed;
  if (schemaAt(path) !== undefined) {
    const value = coerceValue(typed, field);
    if (value === undefined) throw refused(path, typed);
    return value;
  }
  // A member of an open mapping takes any value; an item of a list is judged as a list of one.
  if (field.meta.isOpen === true) return coerceLoose(typed);
  if (!field.schema.safeParse([typed]).success) throw refused(path, typed);
  return typed;
};

const refused = (path: readonly string[], typed: string): Error =>
  configErrors.refusedValue({ message: describeValue(path, scalarAt(typed, { from: "flag" })) });

const refuseBadVariable = (name: string, typed: string): void => {
  const variable = listVariables().find((candidate) => candidate.name === name);
  const field = variable === undefined ? undefined : fieldAt(variable.path);
  const value = variable?.read(typed);
  if (field === undefined || value === undefined || field.schema.safeParse(value).success) return;
  throw configErrors.refusedValue({ message: `${name} must be ${field.meta.type}, not ${JSON.stringify(typed)}` });
};

type ConfigChange = (file: ParsedConfigFile, resolved: ResolvedKey) => Result<string, YamlEditFailure>;

const editConfig = async (
  target: EditTarget & { readonly resolve?: typeof resolveKey },
  key: string,
  change: ConfigChange,
): Promise<EditOutcome> => {
  const path = homePaths(target.home).config;
  return await underLock(target, async () => {
    const read = readConfigFile(path);
    if (read.kind === "broken") throw configErrors.brokenFile({ file: path, line: read.line, reason: read.reason });
    const file = read.kind === "parsed" ? read : emptyFile();
    const resolved = (target.resolve ?? resolveKey)(file, key);
    const result = change(file, resolved);
    if (!result.ok) throw configErrors.cannotEdit({ key, file: path, reason: yamlReason(result.error) });
    const isChanged = result.value !== file.text;
    // A new file may come to hold keys; one that is there keeps the mode that its owner chose.
    if (isChanged) await writeFileAtomic(path, result.value, read.kind === "absent" ? { mode: 0o600 } : {});
    return { key: resolved.path.join("."), file: path, target: "config", isChanged };
  });
};

const emptyFile = (): ParsedConfigFile => {
  const empty = parseConfigText("");
  if (empty.kind !== "parsed") throw new TypeError("an empty config.yaml must parse");
  return empty;
};

const editEnv = async (
  target: EditTarget,
  name: string,
  change: (text: string) => Result<string, EnvEditFailure>,
): Promise<EditOutcome> => {
  const path = homePaths(target.home).env;
  return await underLock(target, async () => {
    const read = readTextFile(path);
    if (read.kind === "broken") throw configErrors.brokenFile({ file: path, line: read.line, reason: read.reason });
    const before = read.kind === "text" ? read.text : "";
    const result = change(before);
    if (!result.ok) throw configErrors.cannotEdit({ key: name, file: path, reason: envReason(result.error) });
    const isChanged = result.value !== before;
    if (isChanged) await writeSecretFile(path, result.value);
    return { key: name, file: path, target: ".env", isChanged };
  });
};

/** Runs an edit while no other process edits the same home's settings. */
export const underLock = async <T>(target: EditTarget, run: () => Promise<T>): Promise<T> => {
  ensureHome(target.home, ["locks"]);
  const { signal } = target;
  const request = {
    directory: homePaths(target.home).locks,
    name: "config",
    clock: target.clock,
    purpose: "editing the settings",
  };
  return await withProcessLock({ ...request, ...(signal === undefined ? {} : { signal }) }, run);
};

const yamlReason = (error: YamlEditFailure): string => {
  if (error.kind === "shared") return "the value is shared through an anchor, alias or merge";
  const at = error.at.join(".");
  if (error.kind === "no_index") return `${at} is a list with the indexes up to ${error.length}`;
  return `${at} holds a single value, not a mapping`;
};

const envReason = (error: EnvEditFailure): string => {
  if (error.kind === "unterminated") return `a quote that begins in line ${error.line} never closes`;
  return error.kind === "bad_name" ? `${error.name} can't name a variable` : "a value can't hold a NUL character";
};
