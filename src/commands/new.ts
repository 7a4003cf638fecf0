import { defineCommand, errorResult } from "./command.ts";

/** `/new [name]`: a new session, the screen stays. */
export const newSession = defineCommand({
  name: "new",
  aliases: ["reset"],
  argsHint: "[name]",
  description: "Start a new session",
  destructive: () => "Start a new session? The current one stays in the list of sessions.",
  run: async ({ args, ports }) => {
    const title = await ports.conversation.startNew(args === "" ? undefined : args);
    if (title.kind === "taken") {
      return errorResult(`The title "${args}" belongs to session ${title.by}`, "Give another name, or none.");
    }
    const name = args === "" ? "" : ` "${title.title}"`;
    return {
      kind: "session_switched",
      text: `New session${name} ${ports.conversation.current().id}`,
      showHistory: false,
    };
  },
});
