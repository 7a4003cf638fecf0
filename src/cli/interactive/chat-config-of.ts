import type { App } from "../../app/app.ts";
import { variable } from "../../config/environment.ts";
import { terminalAbilities, type ChatConfig } from "../chat/chat-config.ts";

/** The chat's settings: the section `display`, and what the environment says about the terminal. Throws `config.bad_value`. */
export const chatConfigOf = (app: App): ChatConfig => {
  const display = app.config.section("display");
  return {
    toolProgress: display.tool_progress,
    busyInputMode: display.busy_input_mode,
    showReasoning: display.show_reasoning,
    markdown: display.final_response_markdown,
    streaming: display.streaming,
    inlineDiffs: display.inline_diffs,
    toolPreviewLength: display.tool_preview_length,
    bellOnComplete: display.bell_on_complete,
    showCost: display.show_cost,
    timestamps: display.timestamps,
    compact: display.compact,
    // `display.tui_status_indicator` belongs to the full-screen interface.
    indicator: "unicode",
    resume: {
      mode: display.resume_display,
      exchanges: display.resume_exchanges,
      maxUserChars: display.resume_max_user_chars,
      maxAssistantChars: display.resume_max_assistant_chars,
      maxAssistantLines: display.resume_max_assistant_lines,
      skipToolOnly: display.resume_skip_tool_only,
    },
    ...terminalAbilities({
      noColor: variable(app.environment, "NO_COLOR"),
      term: variable(app.environment, "TERM"),
    }),
  };
};
