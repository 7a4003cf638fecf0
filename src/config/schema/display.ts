import { choice, count, flag, group } from "./field.ts";

/** The values of `display.busy_input_mode`. */
export const BUSY_INPUT_MODES = ["interrupt", "queue", "steer"] as const;

/** The values of `display.tool_progress`, from less to more. */
export const TOOL_PROGRESS = ["off", "new", "all", "verbose"] as const;

/** `display`: what a person sees. */
export const displaySection = group(
  {
    busy_input_mode: choice(BUSY_INPUT_MODES, {
      default: "interrupt",
      doc: "What a message does that comes while the agent works.",
    }),
    compact: flag({ default: false, doc: "Leave out the empty lines between messages." }),
    show_reasoning: flag({ default: false, doc: "Show the model's reasoning." }),
    streaming: flag({ default: false, doc: "Show the answer while it comes." }),
    final_response_markdown: choice(["strip", "render", "raw"], {
      default: "strip",
      doc: "What becomes of Markdown in the final answer.",
    }),
    resume_display: choice(["full", "minimal"], {
      default: "full",
      doc: "What is shown of a session that is resumed.",
    }),
    resume_exchanges: count({ default: 10, doc: "How many exchanges are shown on resume." }),
    resume_max_user_chars: count({ default: 300, min: 1, doc: "Most characters of a person's message on resume." }),
    resume_max_assistant_chars: count({ default: 200, min: 1, doc: "Most characters of an answer on resume." }),
    resume_max_assistant_lines: count({ default: 3, min: 1, doc: "Most lines of an answer on resume." }),
    resume_skip_tool_only: flag({ default: true, doc: "Leave out answers that only called tools on resume." }),
    tool_progress: choice(TOOL_PROGRESS, {
      default: "all",
      doc: "Which tool calls are shown while the agent works.",
    }),
    tool_preview_length: count({
      default: 0,
      doc: "Most characters of a tool call's preview; 0 = as wide as the screen.",
    }),
    timestamps: flag({ default: false, doc: "Show the time of each message." }),
    show_cost: flag({ default: false, doc: "Show what a turn cost." }),
    bell_on_complete: flag({ default: false, doc: "Ring the terminal's bell when a turn ends." }),
    inline_diffs: flag({ default: true, doc: "Show what a file tool changed." }),
  },
  { doc: "What a person sees." },
);
