import type { ChatInfo } from "../chat-session.ts";
import type { ChatState } from "../chat-state.ts";
import { cleanText } from "../text-safety.ts";
import { cutText } from "../text-width.ts";
import type { ViewContext } from "./view-context.ts";
import { formatSeconds, shortPath } from "../../format.ts";

const contextShare = (state: ChatState, info: ChatInfo): string | undefined => {
  const tokens = state.context?.tokens ?? info.contextTokens;
  const window = state.context?.window ?? info.contextWindow;
  return window > 0 && tokens > 0 ? `${Math.round((100 * tokens) / window)}% context` : undefined;
};

/** The last line: warnings first, so that a narrow terminal cuts what matters least. `openMs` = how long the chat is open. */
export const renderStatusLine = (
  state: ChatState,
  facts: { readonly info: ChatInfo; readonly openMs: number },
  view: ViewContext,
): string => {
  const { info, openMs } = facts;
  const { palette } = view;
  const warnings = [
    ...(info.practice ? [palette.yellow("PRACTICE")] : []),
    ...(info.yolo ? [palette.red("⚠ YOLO")] : []),
    ...(state.queue.length > 0 ? [palette.yellow(`${state.queue.length} queued`)] : []),
  ];
  const rest = [
    cleanText(info.model),
    contextShare(state, info),
    cleanText(shortPath(info.cwd, view.userHome)),
    formatSeconds(openMs),
    info.title === null ? undefined : cleanText(info.title),
  ].filter((part) => part !== undefined);
  return cutText([...warnings, ...rest.map((part) => palette.dim(part))].join(palette.dim(" · ")), view.width);
};
