import { glob } from "node:fs/promises";
import { join } from "node:path";
import type { ErrorRow } from "../src/base/app-error.ts";

const root = join(import.meta.dirname, "..");

/** The page that lists every error code with its message, hint and exit code. */
export const errorReference = async (): Promise<string> => {
  const rows: ErrorRow<never>[] = [];
  for (const file of (await Array.fromAsync(glob("src/**/errors.ts", { cwd: root }))).toSorted()) {
    const module: Record<string, unknown> = await import(join(root, file));
    for (const table of Object.values(module))
      if (typeof table === "object" && table !== null) rows.push(...rowsOf(table));
  }
  const unique = new Map(rows.map((row) => [`${row.code} ${describe(row.message)}`, row]));
  const lines = [...unique.values()]
    .toSorted((left, right) => (left.code < right.code ? -1 : 1))
    .map(
      (row) =>
        `| \`${row.code}\` | ${describe(row.message)} | ${row.hint === undefined ? "" : describe(row.hint)} | ${row.exitCode} |`,
    );
  return `# Errors

Generated from the tables in \`src/**/errors.ts\`; do not edit. With \`--json\` an error is \`{"error":{"code","message","hint"}}\` on standard error.

| code | message | what to do | exit code |
|---|---|---|---|
${lines.join("\n")}
`;
};

const rowsOf = (table: object): readonly ErrorRow<never>[] =>
  Object.values(table).flatMap((factory: unknown) =>
    typeof factory === "function" && "row" in factory ? [factory.row as ErrorRow<never>] : [],
  );

/** Each parameter stands as its own name; a list of one prints like its item, so it serves for texts and for lists alike. */
const placeholders = new Proxy({}, { get: (_, name) => [`<${String(name)}>`] }) as never;

const describe = (words: (params: never) => string): string =>
  // A message that is one parameter alone comes back as its placeholder, a list.
  [words(placeholders)].join("").replaceAll("|", "\\|").replaceAll("\n", " ");
