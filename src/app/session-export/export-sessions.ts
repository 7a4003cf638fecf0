import { exportHtml } from "./export-html.ts";
import { exportJsonl } from "./export-jsonl.ts";
import { exportMarkdown } from "./export-markdown.ts";
import type { ExportRequest } from "./export-request.ts";

/** The formats of an export, with the endings of file names that mean them. */
export const EXPORT_FORMATS = {
  jsonl: [".jsonl", ".json", ".ndjson"],
  markdown: [".md", ".markdown"],
  html: [".html", ".htm"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** The export in pieces, one message at a time, so that its size does not matter. */
export const exportSessions = (format: ExportFormat, request: ExportRequest): AsyncIterable<string> => {
  switch (format) {
    case "jsonl":
      return exportJsonl(request);
    case "markdown":
      return exportMarkdown(request);
    case "html":
      return exportHtml(request);
  }
};

/** The format that a file's name means; undefined = none. */
export const formatOf = (path: string): ExportFormat | undefined => {
  const name = path.toLowerCase();
  if (EXPORT_FORMATS.jsonl.some((ending) => name.endsWith(ending))) return "jsonl";
  if (EXPORT_FORMATS.markdown.some((ending) => name.endsWith(ending))) return "markdown";
  return EXPORT_FORMATS.html.some((ending) => name.endsWith(ending)) ? "html" : undefined;
};
