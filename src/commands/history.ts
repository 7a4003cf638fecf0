import { defineCommand, textResult } from "./command.ts";

/** `/history`: the conversation so far. */
export const history = defineCommand({
  name: "history",
  description: "Show the conversation so far",
  during: "any",
  run: async ({ ports }) => {
    const entries = await ports.conversation.history();
    return entries.length === 0 ? textResult("Nothing has been said yet.") : { kind: "history", entries };
  },
});
