import type { DisplaySettings } from "../../commands/display-settings.ts";
import type { MarkdownMode } from "./markdown/render-markdown.ts";

/** The spinner: `display.tui_status_indicator`. */
export type IndicatorStyle = "kaomoji" | "emoji" | "unicode" | "ascii";

/** The values of the `display.*` keys that the interactive chat uses, and what the terminal can do. */
export interface ChatConfig extends DisplaySettings {
  /** `display.final_response_markdown`. */
  readonly markdown: MarkdownMode;
  /** `display.streaming`: false shows an answer only when it is complete. */
  readonly streaming: boolean;
  /** `display.inline_diffs`. */
  readonly inlineDiffs: boolean;
  /** `display.tool_preview_length`: longest one-line summary of a call in characters; 0 = the width of the terminal. */
  readonly toolPreviewLength: number;
  /** `display.bell_on_complete`. */
  readonly bellOnComplete: boolean;
  /** `display.show_cost`. */
  readonly showCost: boolean;
  /** `display.timestamps`: the time of day before each message of the person. */
  readonly timestamps: boolean;
  /** `display.compact`: no empty lines between messages. */
  readonly compact: boolean;
  readonly indicator: IndicatorStyle;
  readonly resume: ResumeDisplay;
  /** False for `NO_COLOR` and `TERM=dumb`. */
  readonly colour: boolean;
  /** False for `TERM=dumb`: the cursor cannot be moved, so lines are only written, never drawn anew. */
  readonly drawable: boolean;
}

/** How much of an earlier conversation is shown: `display.resume_*`. */
interface ResumeDisplay {
  /** `minimal` says only how many messages there are. */
  readonly mode: "full" | "minimal";
  readonly exchanges: number;
  readonly maxUserChars: number;
  readonly maxAssistantChars: number;
  readonly maxAssistantLines: number;
  readonly skipToolOnly: boolean;
}

/** What the environment says about the terminal: https://no-color.org and `TERM=dumb`. */
export const terminalAbilities = (environment: {
  readonly noColor: string | undefined;
  readonly term: string | undefined;
}): Pick<ChatConfig, "colour" | "drawable"> => {
  const dumb = environment.term === "dumb";
  return { colour: !dumb && (environment.noColor ?? "") === "", drawable: !dumb };
};
