import { defineCommand, errorResult, textResult } from "./command.ts";

/** `/steer <message>`: puts a message into the running turn, after the next tool result. */
export const steer = defineCommand({
  name: "steer",
  argsHint: "<message>",
  description: "Put a message into the running turn",
  during: "any",
  run: async ({ args, ports }) => {
    if (args === "") return errorResult("What should the agent be told?", "/steer <message>");
    if (ports.turn.steer(args)) return textResult("The agent reads it after the next tool result.");
    return { kind: "submit", text: args, place: "queue", note: "No turn takes it now; sent as a message of its own." };
  },
});
