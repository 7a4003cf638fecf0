import { defineCommand, errorResult } from "./command.ts";

/** `/retry`: takes the last exchange back and sends the same message again. */
export const retry = defineCommand({
  name: "retry",
  description: "Send the last message again",
  run: async ({ ports }) => {
    const undone = await ports.conversation.undo();
    if (undone === undefined) return errorResult("There is no message to send again");
    return { kind: "submit", text: undone.text, place: "now" };
  },
});
