import { defineCommand } from "./command.ts";

/** `/clear`: a new session on an empty screen. */
export const clear = defineCommand({
  name: "clear",
  description: "Start a new session and clear the screen",
  destructive: () => "Start a new session? The current one stays in the list of sessions.",
  run: async ({ ports }) => {
    await ports.conversation.startNew(undefined);
    return { kind: "cleared", text: `New session ${ports.conversation.current().id}` };
  },
});
