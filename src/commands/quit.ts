import { defineCommand, errorResult } from "./command.ts";

/** `/quit [--delete]`: leaves; with `--delete` the session goes with it. */
export const quit = defineCommand({
  name: "quit",
  aliases: ["exit"],
  argsHint: "[--delete]",
  description: "Leave (--delete: and delete this session)",
  subcommands: ["--delete"],
  during: "any",
  destructive: (args) =>
    args === "--delete" ? "Leave and delete this session? It can be restored for 7 days." : undefined,
  run: async ({ args, ports }) => {
    if (args !== "" && args !== "--delete") return errorResult(`/quit does not know "${args}"`, "/quit [--delete]");
    if (args === "--delete") await ports.conversation.deleteCurrent();
    return { kind: "exit" };
  },
});
