import { defineCommand, errorResult } from "./command.ts";

/** `/copy [n]`: the n-th last answer to the clipboard. */
export const copy = defineCommand({
  name: "copy",
  argsHint: "[n]",
  description: "Copy the last answer (or the n-th last)",
  during: "any",
  run: async ({ args, ports }) => {
    const place = args === "" ? 1 : Number(args);
    if (!Number.isInteger(place) || place < 1) return errorResult(`"${args}" is no number`, "/copy [n]");
    const answers = (await ports.conversation.history()).flatMap((entry) =>
      entry.kind === "assistant" && entry.text !== "" ? [entry.text] : [],
    );
    const text = answers.at(-place);
    if (text === undefined)
      return errorResult(answers.length === 0 ? "There is no answer yet" : `There are only ${answers.length} answers`);
    return { kind: "copy", text, note: `Copied ${text.length} characters` };
  },
});
