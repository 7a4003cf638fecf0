import { defineCommand, errorResult, textResult } from "./command.ts";

const PREVIEW = 60;

/** `/undo`: takes the last exchange out of the conversation. */
export const undo = defineCommand({
  name: "undo",
  description: "Drop the last message and its answer",
  destructive: () => "Drop the last message and everything that followed it? Files that were changed stay as they are.",
  run: async ({ ports }) => {
    const undone = await ports.conversation.undo();
    if (undone === undefined) return errorResult("There is nothing to undo");
    const line = undone.text.split("\n", 1)[0] ?? "";
    const shown = line.length > PREVIEW || line !== undone.text ? `${line.slice(0, PREVIEW)}…` : line;
    return textResult(`Dropped: ${shown}`);
  },
});
