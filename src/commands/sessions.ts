import { defineCommand, textResult } from "./command.ts";
import { SESSION_COLUMNS, sessionRow } from "./format-values.ts";

/** How many sessions are listed, and can be picked by number. */
export const RECENT_SESSIONS = 20;

/** `/sessions`: the newest sessions, numbered for `/resume`. */
export const sessions = defineCommand({
  name: "sessions",
  description: "List recent sessions",
  during: "any",
  run: async ({ ports }) => {
    const recent = await ports.conversation.recent(RECENT_SESSIONS);
    if (recent.length === 0) return textResult("There are no earlier sessions.");
    return {
      kind: "table",
      columns: ["#", ...SESSION_COLUMNS],
      rows: recent.map((session, index) => [String(index + 1), ...sessionRow(session, ports.now())]),
      note: "/resume <#, id or title> opens one.",
    };
  },
});
