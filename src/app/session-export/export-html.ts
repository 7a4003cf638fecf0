import { localTimeIn } from "../../base/local-time.ts";
import type { ImagePart, Part } from "../../llm/message.ts";
import type { SessionRecord, StoredMessage } from "../../store/store.ts";
import type { ExportRequest } from "./export-request.ts";
import { escapeHtml } from "./escape-html.ts";
import { PAGE_END, pageStart } from "./html-page.ts";
import { SPEAKER_NAMES, speakerOf } from "./speaker.ts";

/**
 * Sessions as one page that needs nothing else. Its policy runs and loads nothing; whatever a message says is text; images stand in
 * the page. Calls, results and reasoning are folded.
 */
export async function* exportHtml(request: ExportRequest): AsyncIterable<string> {
  const { store, sessions, messagesOf, timeZone } = request;
  const timeOf = localTimeIn(timeZone);
  let isBegun = false;
  for await (const session of sessions) {
    if (!isBegun) yield pageStart(session.title ?? session.id);
    isBegun = true;
    yield renderHead(session, timeOf(session.startedAt));
    for await (const message of messagesOf(session)) {
      const speaker = speakerOf(message);
      if (speaker === undefined) continue;
      const { day, time } = timeOf(message.createdAt);
      yield await renderMessage(message, { name: SPEAKER_NAMES[speaker], time: `${day} ${time}`, store });
    }
    yield "</section>\n";
  }
  if (!isBegun) yield pageStart("No sessions");
  yield PAGE_END;
}

const renderHead = (session: SessionRecord, { day, time }: { readonly day: string; readonly time: string }): string =>
  `<section><h1>${escapeHtml(session.title ?? session.id)}</h1>\n<p class="facts">${escapeHtml(
    `${session.id}, started ${day} ${time}, ${session.provider} ${session.model}`,
  )}</p>\n`;

interface Place {
  /** Who speaks. */
  readonly name: string;
  readonly time: string;
  readonly store: ExportRequest["store"];
}

const renderMessage = async (message: StoredMessage, { name, time, store }: Place): Promise<string> => {
  const parts: string[] = [];
  for (const part of message.parts) parts.push(await renderPart(part, store));
  const head = `<h2>${name} <time>${time}</time></h2>`;
  return `<article class="${message.role}">${message.role === "tool" ? "" : head}${parts.join("")}</article>\n`;
};

const renderPart = async (part: Part, store: ExportRequest["store"]): Promise<string> => {
  switch (part.type) {
    case "text":
      return renderText(part.text);
    case "reasoning":
      return folded("Reasoning", block(part.text));
    case "tool_call":
      return folded(`Calls ${part.name}`, block(part.arguments));
    case "tool_result": {
      const content: string[] = [];
      for (const item of part.content)
        content.push(item.type === "text" ? block(item.text) : await renderImage(item, store));
      return folded(`Result of ${part.name} (${part.outcome})`, content.join(""));
    }
    case "image":
      return renderImage(part, store);
    case "opaque":
      return "";
  }
};

const folded = (summary: string, inner: string): string =>
  `<details><summary>${escapeHtml(summary)}</summary>${inner}</details>`;

const block = (text: string): string => `<pre dir="auto">${escapeHtml(text)}</pre>`;

// Blocks of code are set apart; all other Markdown reads well as it is written.
const CODE = /^ {0,3}(`{3,})[^`\n]*\n([\s\S]*?)^ {0,3}\1`*[ \t]*$/gm;

const renderText = (text: string): string => {
  const pieces: string[] = [];
  let at = 0;
  for (const match of text.matchAll(CODE)) {
    pieces.push(paragraph(text.slice(at, match.index)), block(match[2] ?? ""));
    at = match.index + match[0].length;
  }
  pieces.push(paragraph(text.slice(at)));
  return pieces.join("");
};

const paragraph = (text: string): string =>
  text.trim() === "" ? "" : `<div class="text" dir="auto">${escapeHtml(text.trim())}</div>`;

/** What browsers show and cannot run. */
const SHOWN_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

const renderImage = async ({ hash, mediaType }: ImagePart, { blobs }: ExportRequest["store"]): Promise<string> => {
  const bytes = SHOWN_TYPES.has(mediaType) ? await blobs.get(hash) : undefined;
  if (bytes === undefined) return `<p class="facts">[image ${escapeHtml(mediaType)}]</p>`;
  return `<img alt="" src="data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}">`;
};
