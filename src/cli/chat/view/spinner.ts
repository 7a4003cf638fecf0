import type { IndicatorStyle } from "../chat-config.ts";

const FRAMES: Readonly<Record<IndicatorStyle, readonly string[]>> = {
  kaomoji: ["(•_•)", "(•‿•)", "(-‿-)", "(•‿•)"],
  emoji: ["🌑", "🌒", "🌓", "🌔", "🌕", "🌖", "🌗", "🌘"],
  unicode: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
  ascii: ["|", "/", "-", "\\"],
};

/** How long a frame stands, in ms. */
export const FRAME_MS = 120;

/** The spinner at a time (monotonic ms). */
export const spinnerAt = (style: IndicatorStyle, now: number): string => {
  const frames = FRAMES[style];
  return frames[Math.floor(now / FRAME_MS) % frames.length] ?? "*";
};
