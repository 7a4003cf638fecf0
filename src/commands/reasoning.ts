import { REASONING_EFFORTS } from "../config/reasoning-effort.ts";
import { defineCommand, errorResult, textResult } from "./command.ts";

/** `/reasoning [effort|show|hide]`: how hard the model thinks, and whether its thinking is shown. */
export const reasoning = defineCommand({
  name: "reasoning",
  argsHint: `[${REASONING_EFFORTS.join("|")}|show|hide]`,
  description: "Set the reasoning effort, show or hide reasoning",
  subcommands: [...REASONING_EFFORTS, "show", "hide"],
  during: "any",
  run: async ({ args, ports }) => {
    if (args === "") {
      const shown = ports.settings.display().showReasoning ? "shown" : "hidden";
      return textResult(`Reasoning: ${ports.model.effort()}, ${shown}`);
    }
    if (args === "show" || args === "hide") {
      const change = { showReasoning: args === "show" };
      ports.settings.changeDisplay(change);
      return { kind: "display", change, text: `Reasoning is ${args === "show" ? "shown" : "hidden"}.` };
    }
    const effort = REASONING_EFFORTS.find((known) => known === args.toLowerCase());
    if (effort === undefined) return errorResult(`"${args}" is no reasoning effort`, REASONING_EFFORTS.join(", "));
    ports.model.setEffort(effort);
    return textResult(`Reasoning: ${effort}`);
  },
});
