import { defineCommand, errorResult } from "./command.ts";

/** `/config [prefix]`: the settings in force and where they come from. */
export const config = defineCommand({
  name: "config",
  argsHint: "[prefix]",
  description: "Show settings and where they come from",
  during: "any",
  run: async ({ args, ports }) => {
    const rows = await ports.settings.rows(args);
    if (rows.length === 0) return errorResult(`No setting begins with "${args}"`, "/config lists them all.");
    return {
      kind: "table",
      columns: ["key", "value", "from"],
      rows: rows.map((row) => [row.key, row.value, row.from]),
    };
  },
});
