import { defineCommand, textResult } from "./command.ts";

/** `/stop`: ends the background processes of this session. */
export const stop = defineCommand({
  name: "stop",
  description: "End this session's background processes",
  during: "any",
  run: async ({ ports }) => {
    const count = await ports.turn.stopProcesses();
    if (count === 0) return textResult("No background process runs.");
    return textResult(count === 1 ? "1 background process ended." : `${count} background processes ended.`);
  },
});
