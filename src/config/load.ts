import { expandVariables, isSecretName } from "./expand.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import type { Environment } from "./environment.ts";
import { configErrors, place } from "./errors.ts";
import { type Home, homePaths } from "./home.ts";
import { parseKey } from "./key-path.ts";
import { type Located, locate, mapAt, nodeAt, type Origin, plainValue, type SettingSource } from "./located.ts";
import { normalise } from "./normalise.ts";
import { namedTexts, type NamedText } from "./named-texts.ts";
import { memberAt } from "./plain-edit.ts";
import { applyFlags, applyVariables, type FlagOverrides, ignoresUserConfig } from "./overrides.ts";
import type { ConfigProblem } from "./problem.ts";
import { type Config, configSchema, SECTION_NAMES, type SectionName, VARIABLE_ONLY_SECTIONS } from "./schema/config.ts";
import { fieldAt, type SchemaNode, schemaAt, schemaTree } from "./schema/tree.ts";
import { type CheckedSection, checkSection } from "./sections.ts";
import { canonicalPath } from "./resolve-key.ts";
import { readVariables, type Variables } from "./variables.ts";

/** One setting and where it comes from. */
export interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly from: SettingSource;
  /** The file and line that set it. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** The variable that set it. */
  readonly variable?: string | undefined;
  /** Its value must not be shown. */
  readonly isSecret: boolean;
}

/** The sections whose entries stand under free names. */
export type EntrySection = "providers" | "model_aliases" | "platform_toolsets";

/** The settings of one home, read once. */
export interface LoadedConfig {
  readonly home: Home;
  /** A section, checked and complete. Throws `config.bad_value` if a value of it is wrong, `config.broken_file` if config.yaml can't be read. */
  section<K extends SectionName>(name: K): Config[K];
  /** The same for what must come up whatever config.yaml says (logs, masking): its defaults and variables where `section` would throw. */
  sectionOrDefaults<K extends SectionName>(name: K): Config[K];
  /** One entry under a free name; undefined if there is none. Throws like `section`, for this entry alone. */
  entry<K extends EntrySection>(section: K, name: string): Config[K][string] | undefined;
  /** One setting by its dotted key, raw where its section is wrong; undefined for what is no single setting. */
  setting(key: string): Setting | undefined;
  /** Every setting, in the order of the reference; of entries under free names only what is set. */
  settings(): readonly Setting[];
  /** Everything that is wrong, odd or passed over, errors first. */
  readonly problems: readonly ConfigProblem[];
  /** A variable of the process, else of this home's `.env`. Never another home's. */
  secret(name: string): string | undefined;
  /** Every variable, and every text of config.yaml under its own key: what masking has to know. */
  namedValues(): readonly NamedText[];
  /** The same as a setting, with where it comes from. */
  variable(name: string): Setting | undefined;
}

/**
 * Reads the settings of a home: flags beat variables, then config.yaml, then `.env`, then defaults.
 * Never throws for what stands in the files; that is in `problems` and comes up in `section`.
 */
export const loadConfig = (options: {
  home: Home;
  environment: Environment;
  flags?: FlagOverrides | undefined;
}): LoadedConfig => {
  const paths = homePaths(options.home);
  const variables = readVariables(options.environment, paths.env);
  const isIgnored = ignoresUserConfig(variables, options.flags);
  const file: ConfigFile = isIgnored ? { kind: "absent" } : readConfigFile(paths.config);
  const { tree, problems } = normalise(fileTree(file, paths.config, variables));
  const overridden = applyVariables(tree, variables);
  let whole = applyFlags(overridden.tree, options.flags);

  const sections = new Map<SectionName, CheckedSection>();
  for (const name of SECTION_NAMES) {
    const checked = checkSection(whole, name);
    whole = checked.tree;
    sections.set(name, checked);
  }
  const all = [
    ...brokenProblem(file, paths.config),
    ...variables.problems,
    ...problems,
    ...overridden.problems,
    ...[...sections.values()].flatMap((section) => section.problems),
  ];
  return createLoaded({
    home: options.home,
    file,
    configPath: paths.config,
    tree: whole,
    sections,
    problems: bySeverity(all),
    variables,
  });
};

const fileTree = (file: ConfigFile, path: string, variables: Variables): Located => {
  const origin: Origin = { from: "config", file: path };
  if (file.kind !== "parsed") return mapAt([], origin);
  return locate(file.value, {
    originOf: (at) => ({ ...origin, line: file.lineOf(at) }),
    expand: (text) => expandVariables(text, variables),
  });
};

const brokenProblem = (file: ConfigFile, path: string): readonly ConfigProblem[] =>
  file.kind === "broken"
    ? [
        {
          severity: "error",
          code: "config.broken_file",
          file: path,
          line: file.line,
          column: file.column,
          message: file.reason,
          hint: "Repair it with `hermes config edit`; nothing is written over it.",
        },
      ]
    : [];

const SEVERITIES = ["error", "warning", "notice"];
/** Errors first; within a severity, file by file in the order of their lines. */
const bySeverity = (problems: readonly ConfigProblem[]): readonly ConfigProblem[] =>
  problems.toSorted(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      (a.file ?? "").localeCompare(b.file ?? "") ||
      (a.line ?? 0) - (b.line ?? 0),
  );

interface Parts {
  readonly home: Home;
  readonly file: ConfigFile;
  readonly configPath: string;
  readonly tree: Located;
  readonly sections: ReadonlyMap<SectionName, CheckedSection>;
  readonly problems: readonly ConfigProblem[];
  readonly variables: Variables;
}

const createLoaded = (parts: Parts): LoadedConfig => {
  // The schema of a section made its value, so the value has the section's type.
  const valueOf = <K extends SectionName>(name: K): Config[K] | undefined =>
    parts.sections.get(name)?.value as Config[K] | undefined;
  const defaultsOf = <K extends SectionName>(name: K): Config[K] =>
    configSchema.shape[name].parse(undefined) as Config[K];

  const section = <K extends SectionName>(name: K): Config[K] => {
    throwIfBroken(parts, name);
    const checked = parts.sections.get(name);
    const wrong = checked?.problems.find((problem) => problem.severity === "error");
    if (checked?.value === undefined && wrong !== undefined) throw problemError(wrong);
    return valueOf(name) ?? defaultsOf(name);
  };

  const sectionOrDefaults = <K extends SectionName>(name: K): Config[K] => valueOf(name) ?? defaultsOf(name);

  const entry = <K extends EntrySection>(name: K, key: string): Config[K][string] | undefined => {
    const wrong = parts.sections.get(name)?.badEntries.get(key);
    if (wrong !== undefined) throw problemError(wrong);
    const entries = section(name);
    return Object.hasOwn(entries, key) ? (entries[key] as Config[K][string]) : undefined;
  };

  const toSetting = (path: readonly string[]): Setting | undefined => {
    const field = fieldAt(path);
    if (field === undefined || schemaAt(path)?.kind !== "field") return undefined;
    const node = nodeAt(parts.tree, path);
    const name = SECTION_NAMES.find((candidate) => candidate === path[0]);
    const value =
      name === undefined || valueOf(name) === undefined
        ? node && plainValue(node)
        : memberAt(valueOf(name), path.slice(1));
    const { from, ...at } = node === undefined ? ({ from: "default" } as const) : node.origin;
    return {
      key: path.join("."),
      value,
      from,
      ...at,
      isSecret: field.meta.secret === true || (node !== undefined && hasSecret(node)),
    };
  };

  return {
    home: parts.home,
    problems: parts.problems,
    section,
    sectionOrDefaults,
    entry,
    setting: (key) => toSetting(canonicalPath(parseKey(key, parts.tree))),
    settings: () => concretePaths(schemaTree, parts.tree).flatMap((path) => toSetting(path) ?? []),
    secret: (name) => parts.variables.get(name)?.value,
    namedValues: () => [
      ...parts.variables.all(),
      ...(parts.file.kind === "parsed" ? namedTexts(parts.file.value) : []),
    ],
    variable: (name) => {
      const found = parts.variables.get(name);
      return found && { key: name, value: found.value, ...found.origin, isSecret: isSecretName(name) };
    },
  };
};

const throwIfBroken = (parts: Parts, name: SectionName): void => {
  if (parts.file.kind !== "broken" || VARIABLE_ONLY_SECTIONS.includes(name)) return;
  throw configErrors.brokenFile({ file: parts.configPath, line: parts.file.line, reason: parts.file.reason });
};

/** A problem as the error that stops whoever needs its value. */
export const problemError = ({ code, file, line, message }: ConfigProblem): Error =>
  code === "config.broken_file" && file !== undefined
    ? configErrors.brokenFile({ file, line, reason: message })
    : configErrors.badValue({ where: file === undefined ? "settings" : place(file, line), message });

const hasSecret = (node: Located): boolean => {
  if (node.kind === "scalar") return node.isSecret;
  return (node.kind === "list" ? node.items : [...node.entries.values()]).some(hasSecret);
};

const concretePaths = (
  schema: SchemaNode,
  tree: Located | undefined,
  path: readonly string[] = [],
): readonly (readonly string[])[] => {
  if (schema.kind === "field") return [path];
  const below = (key: string, member: SchemaNode): readonly (readonly string[])[] =>
    concretePaths(member, tree && nodeAt(tree, [key]), [...path, key]);
  if (schema.kind === "group") {
    // Inside an entry of a free name, the keys that are not set would only be noise.
    const isInEntry = path.length > 1 && schemaAt(path.slice(0, -1))?.kind === "named";
    const keys = [...schema.keys].filter(
      ([key]) => !isInEntry || (tree !== undefined && nodeAt(tree, [key]) !== undefined),
    );
    return keys.flatMap(([key, member]) => below(key, member));
  }
  const names = tree?.kind === "map" ? [...tree.entries.keys()] : [];
  return names.flatMap((name) => below(name, schema.entry));
};
