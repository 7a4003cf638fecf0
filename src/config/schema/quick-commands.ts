import * as z from "zod";
import { named, optionalText, requiredText, tag } from "./field.ts";

const runs = z.object({
  type: tag("exec", { doc: "Runs a shell command." }),
  command: requiredText({ doc: "Shell command whose output is shown (`type: exec`)." }),
  description: optionalText({ doc: "One line for the help." }),
});

const stands = z.object({
  type: tag("alias", { doc: "Stands for another slash command." }),
  target: requiredText({ doc: "Slash command that it stands for (`type: alias`)." }),
  description: optionalText({ doc: "One line for the help." }),
});

/** `quick_commands`: the person's own slash commands. */
export const quickCommandsSection = named(z.discriminatedUnion("type", [runs, stands]), {
  doc: "Slash commands of your own: `type: exec` with `command`, or `type: alias` with `target`.",
  placeholder: "<name>",
});
