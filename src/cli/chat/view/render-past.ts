import type { HistoryEntry } from "../../../commands/ports.ts";
import { partsOfMarkdown } from "../markdown/markdown-stream.ts";
import { renderAnswerPart } from "../markdown/render-markdown.ts";
import { cleanText } from "../text-safety.ts";
import { cutText, graphemesOf, wrapText } from "../text-width.ts";
import { renderUser } from "./render-user.ts";
import { summaryLine } from "./render-tool.ts";
import type { ViewContext } from "./view-context.ts";
import { plural } from "../../format.ts";

const MARKS = { ok: "✓", error: "✗", denied: "⊘", interrupted: "⊘" } as const;

const shorten = (text: string, characters: number): string => {
  const graphemes = graphemesOf(text);
  return graphemes.length <= characters ? text : `${graphemes.slice(0, characters).join("")}…`;
};

/** The newest exchanges: everything from the n-th last message of the person on. */
const newest = (entries: readonly HistoryEntry[], exchanges: number): readonly HistoryEntry[] => {
  const starts = entries.flatMap((entry, index) => (entry.kind === "user" ? [index] : []));
  return entries.slice(starts.at(-exchanges) ?? 0);
};

const renderShort = (entry: HistoryEntry, view: ViewContext): readonly string[] => {
  const { resume } = view.config;
  switch (entry.kind) {
    case "user":
      return renderUser(shorten(entry.text, resume.maxUserChars), undefined, view);
    case "assistant": {
      if (entry.text.trim() === "") return [];
      const lines = wrapText(cleanText(shorten(entry.text.trim(), resume.maxAssistantChars)), view.width);
      const kept = lines.slice(0, resume.maxAssistantLines);
      return [...kept, ...(kept.length < lines.length ? ["…"] : [])].map((line) => view.palette.dim(line));
    }
    case "summarised":
      return renderSummarised(view);
    case "tool":
      return resume.skipToolOnly ? [] : renderToolLine(entry, view);
    default:
      return entry satisfies never;
  }
};

const isMessage = ({ kind }: HistoryEntry): boolean => kind === "user" || kind === "assistant";

const renderSummarised = (view: ViewContext): readonly string[] => [
  view.palette.dim(cutText("· earlier messages were summarised; the whole is in the session before", view.width)),
];

const renderToolLine = (entry: Extract<HistoryEntry, { kind: "tool" }>, view: ViewContext): readonly string[] => [
  view.palette.dim(cutText(`${MARKS[entry.outcome]} ${summaryLine(entry.summary, view)}`, view.width)),
];

const renderWhole = (entry: HistoryEntry, view: ViewContext): readonly string[] => {
  switch (entry.kind) {
    case "user":
      return renderUser(entry.text, undefined, view);
    case "assistant":
      return partsOfMarkdown(entry.text).flatMap((part) =>
        renderAnswerPart(part, { width: view.width, palette: view.palette, mode: view.config.markdown }),
      );
    case "summarised":
      return renderSummarised(view);
    case "tool":
      return renderToolLine(entry, view);
    default:
      return entry satisfies never;
  }
};

/** An earlier conversation: as it was, or as short as `display.resume_*` wants it. */
export const renderPast = (
  entries: readonly HistoryEntry[],
  shortened: boolean,
  view: ViewContext,
): readonly string[] => {
  if (!shortened) return entries.flatMap((entry) => renderWhole(entry, view));
  const { resume } = view.config;
  const messages = entries.filter(isMessage).length;
  if (resume.mode === "minimal") return [view.palette.dim(cutText(plural(messages, "earlier message"), view.width))];
  const shown = newest(entries, resume.exchanges);
  const left = messages - shown.filter(isMessage).length;
  const head =
    left > 0 ? [view.palette.dim(cutText(`… ${plural(left, "earlier message")} (/history)`, view.width))] : [];
  return [
    ...head,
    ...shown.flatMap((entry) => renderShort(entry, view)),
    view.palette.dim("─".repeat(Math.min(20, view.width))),
  ];
};
