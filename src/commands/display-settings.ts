import type { BUSY_INPUT_MODES, TOOL_PROGRESS } from "../config/schema/display.ts";

/** What a person may change about the display while a session runs; the values of the `display.*` keys of the same names. */
export interface DisplaySettings {
  readonly toolProgress: ToolProgress;
  readonly busyInputMode: BusyInputMode;
  readonly showReasoning: boolean;
}

/** `display.tool_progress`: none, one line where the tool changes, one line a call, or with its output. */
export type ToolProgress = (typeof TOOL_PROGRESS)[number];

/** `display.busy_input_mode`: what a message does that comes while a turn runs. */
export type BusyInputMode = (typeof BUSY_INPUT_MODES)[number];
