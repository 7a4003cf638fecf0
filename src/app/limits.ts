import type { LoopLimits } from "../agent/loop-guardrail.ts";
import type { OutputLimits } from "../tools/exec/output/cut-output.ts";
import type { FileLimits } from "../tools/files/file-tool-deps.ts";
import type { App } from "./app.ts";

/** `tool_output.*` for commands. */
export const outputLimits = (app: App): OutputLimits => {
  const {
    max_bytes: maxBytes,
    max_lines: maxLines,
    max_line_length: maxLineLength,
  } = app.config.section("tool_output");
  return { maxBytes, maxLines, maxLineLength };
};

/** `file_read_max_chars` and `tool_output.*` for files. */
export const fileLimits = (app: App): FileLimits => {
  const { maxLines, maxLineLength } = outputLimits(app);
  return { readMaxChars: app.config.section("file_read_max_chars"), maxLines, maxLineLength };
};

/** `tool_loop_guardrails.*`. */
export const loopLimits = (app: App): LoopLimits => {
  const settings = app.config.section("tool_loop_guardrails");
  return {
    warnings: settings.warnings_enabled,
    hardStop: settings.hard_stop_enabled,
    warnAfter: repeatLimits(settings.warn_after),
    stopAfter: repeatLimits(settings.hard_stop_after),
  };
};

const repeatLimits = (settings: {
  readonly exact_failure: number;
  readonly same_tool_failure: number;
  readonly idempotent_no_progress: number;
}) => ({
  exactFailure: settings.exact_failure,
  sameToolFailure: settings.same_tool_failure,
  noProgress: settings.idempotent_no_progress,
});
