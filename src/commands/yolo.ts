import { defineCommand, errorResult, textResult } from "./command.ts";

/** `/yolo [on|off]`: switches this session's questions before dangerous actions off, and on again. */
export const yolo = defineCommand({
  name: "yolo",
  argsHint: "[on|off]",
  description: "Switch approval questions off or on for this session",
  subcommands: ["on", "off"],
  during: "any",
  run: async ({ args, ports }) => {
    if (!["", "on", "off"].includes(args)) return errorResult(`"${args}" is neither on nor off`, "/yolo [on|off]");
    const on = args === "" ? !ports.settings.yolo() : args === "on";
    ports.settings.setYolo(on);
    return textResult(
      on
        ? "⚠ YOLO on: dangerous commands run without a question in this session."
        : "YOLO off: dangerous commands are asked for.",
    );
  },
});
