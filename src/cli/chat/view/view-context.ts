import type { ChatConfig } from "../chat-config.ts";
import type { Palette } from "../palette.ts";

/** For which terminal and person something is drawn. */
export interface ViewContext {
  /** Columns of the terminal. */
  readonly width: number;
  readonly palette: Palette;
  readonly config: ChatConfig;
  /** Shown as `~` in paths. */
  readonly userHome: string;
}
