import { defineCommand, errorResult } from "./command.ts";

/** `/queue <message>`: a message for the next turn, strictly in order. */
export const queue = defineCommand({
  name: "queue",
  aliases: ["q"],
  argsHint: "<message>",
  description: "Send a message when the current turn is done",
  during: "any",
  run: async ({ args }) =>
    args === ""
      ? errorResult("What should be queued?", "/queue <message>")
      : { kind: "submit", text: args, place: "queue" },
});
