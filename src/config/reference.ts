import { SECTION_NAMES, VARIABLE_ONLY_SECTIONS } from "./schema/config.ts";
import { NOT_BUILT_KEYS } from "./schema/not-built.ts";
import { type ListedField, listFields, listVariables, schemaAt } from "./schema/tree.ts";

/** The reference page of all settings in Markdown, made from the schema. Pure. */
export const renderConfigReference = (): string =>
  [
    "# Settings",
    "",
    "Made from the schema by `node scripts/generate-config-reference.ts`; do not edit.",
    "",
    "A setting is taken from the first of these that gives it: a flag, a variable of the process, `config.yaml`, a",
    "variable in `.env`, the default. `hermes config get KEY --source` says which one it was. `${NAME}` inside a value",
    "is replaced by that variable; one that is not set stays as it is written.",
    "",
    ...SECTION_NAMES.flatMap(renderSection),
    "## Variables",
    "",
    "| Variable | Setting |",
    "|---|---|",
    ...listVariables().map(({ name, path }) => `| \`${name}\` | \`${path.join(".")}\` |`),
    "",
    "## Known, but not in this version",
    "",
    "These keys of the existing system are reported by `hermes config check` and refused by `hermes config set`:",
    "",
    NOT_BUILT_KEYS.map((key) => `\`${key}\``).join(", ") + ".",
    "",
  ].join("\n");

const renderSection = (name: (typeof SECTION_NAMES)[number]): string[] => {
  const node = schemaAt([name]);
  const fields = node === undefined ? [] : listFields(node, [name]);
  const doc = node?.kind === "field" ? node.meta.doc : (node?.meta?.doc ?? "");
  const place = VARIABLE_ONLY_SECTIONS.includes(name) ? " config.yaml has no such section." : "";
  return [
    `## ${name}`,
    "",
    ...(node?.kind === "field" ? [] : [`${doc}${place}`, ""]),
    "| Key | Values | Default | Meaning |",
    "|---|---|---|---|",
    ...fields.map(renderField),
    "",
  ];
};

const renderField = ({ path, node }: ListedField): string => {
  const { meta } = node;
  const notes = [
    meta.doc,
    ...(meta.secret === true ? ["Secret: never shown."] : []),
    ...(meta.onBad === "dropped" ? ["A wrong value is reported and the default applies."] : []),
    ...(meta.synonyms === undefined ? [] : [`Also: ${code(meta.synonyms)}.`]),
    ...(meta.legacy === undefined ? [] : [`Older: ${code(meta.legacy)}.`]),
    ...(meta.later === undefined ? [] : [`Not in this version: ${code(meta.later)}.`]),
  ];
  const value = node.default === undefined ? "" : `\`${JSON.stringify(node.default)}\``;
  return `| \`${path.join(".")}\` | ${meta.type} | ${value} | ${notes.join(" ").replaceAll("|", "\\|")} |`;
};

const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");
