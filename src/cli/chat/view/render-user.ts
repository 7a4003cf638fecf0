import { cleanText } from "../text-safety.ts";
import { cutText, wrapText } from "../text-width.ts";
import { foldLines } from "./render-tool.ts";
import type { ViewContext } from "./view-context.ts";
import { plural } from "../../format.ts";

const KEEP = { first: 10, last: 3 };

const timeOfDay = (at: number): string => {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
};

/** What the person said; of a long text its beginning and end. `at` = ms UTC, shown as local time. */
export const renderUser = (text: string, at: number | undefined, view: ViewContext): readonly string[] => {
  const { palette } = view;
  const time = at === undefined ? "" : `${palette.dim(timeOfDay(at))} `;
  const lines = wrapText(cleanText(text), view.width, { first: `${time}${palette.cyan("❯")} `, rest: "  " });
  const folded = foldLines(lines, KEEP, (left) => palette.dim(cutText(`  … ${plural(left, "more line")}`, view.width)));
  return [...(view.config.compact ? [] : [""]), ...folded];
};
