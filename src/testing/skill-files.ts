import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The text of a SKILL.md that is up to the standard. */
export const skillText = (name: string, more: { description?: string; front?: string; body?: string } = {}): string =>
  [
    "---",
    `name: ${name}`,
    `description: ${more.description ?? `Does ${name}. Use when ${name} is wanted.`}`,
    ...(more.front === undefined ? [] : [more.front]),
    "---",
    more.body ?? `# ${name}\n\nDo it well.`,
    "",
  ].join("\n");

/** Writes files below a folder: paths relative to it, with their texts. Folders are made. */
export const writeTree = (root: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
};
