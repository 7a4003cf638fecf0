import { defineCommand, errorResult, textResult } from "./command.ts";

/** `/save [file]`: the conversation as a file to read. */
export const save = defineCommand({
  name: "save",
  argsHint: "[file]",
  description: "Save this session as Markdown, or as .html or .jsonl",
  during: "any",
  run: async ({ args, ports }) => {
    if (ports.conversation.current().messageCount === 0) return textResult("Nothing has been said yet.");
    const outcome = await ports.conversation.save(args === "" ? undefined : args);
    if (outcome.kind === "saved") return textResult(`Saved to ${outcome.path}`);
    return errorResult(`${outcome.path} cannot be written: ${outcome.why}`, "Name another file.");
  },
});
