import { defineCommand, errorResult, textResult } from "./command.ts";

/** `/title [name]`: shows or sets the session's title. */
export const title = defineCommand({
  name: "title",
  argsHint: "[name]",
  description: "Show or set the session's title",
  during: "any",
  run: async ({ args, ports }) => {
    if (args === "") {
      const current = ports.conversation.current().title;
      return textResult(current === null ? "This session has no title." : `Title: ${current}`);
    }
    const outcome = await ports.conversation.setTitle(args);
    if (outcome.kind === "set") return textResult(`Title: ${outcome.title}`);
    return errorResult(`The title "${args}" belongs to session ${outcome.by}`, `/resume ${outcome.by} opens it.`);
  },
});
