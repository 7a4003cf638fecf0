import { BUSY_INPUT_MODES } from "../config/schema/display.ts";
import { defineCommand, errorResult, textResult } from "./command.ts";

const MEANING = {
  interrupt: "a message stops the running turn",
  queue: "a message waits for its own turn",
  steer: "a message is put into the running turn",
} as const;

/** `/busy [interrupt|queue|steer|status]`: what a message does while a turn runs. */
export const busy = defineCommand({
  name: "busy",
  argsHint: "[interrupt|queue|steer|status]",
  description: "What a message does while a turn runs",
  subcommands: [...BUSY_INPUT_MODES, "status"],
  during: "any",
  run: async ({ args, ports }) => {
    if (args === "" || args === "status") {
      const mode = ports.settings.display().busyInputMode;
      return textResult(`Busy input: ${mode} (${MEANING[mode]})`);
    }
    const busyInputMode = BUSY_INPUT_MODES.find((mode) => mode === args.toLowerCase());
    if (busyInputMode === undefined) return errorResult(`"${args}" is no busy mode`, BUSY_INPUT_MODES.join(", "));
    ports.settings.changeDisplay({ busyInputMode });
    return {
      kind: "display",
      change: { busyInputMode },
      text: `Busy input: ${busyInputMode} (${MEANING[busyInputMode]})`,
    };
  },
});
