import { localTimeIn } from "../../base/local-time.ts";
import type { Part } from "../../llm/message.ts";
import type { SessionRecord, StoredMessage } from "../../store/store.ts";
import type { ExportRequest } from "./export-request.ts";
import { SPEAKER_NAMES, speakerOf } from "./speaker.ts";

/** Sessions as Markdown: what was said as it was written, calls and results in fences that nothing in them can end. */
export async function* exportMarkdown({ sessions, messagesOf, timeZone }: ExportRequest): AsyncIterable<string> {
  const timeOf = (at: number): string => {
    const { day, time } = localTimeIn(timeZone)(at);
    return `${day} ${time}`;
  };
  for await (const session of sessions) {
    yield renderHead(session, timeOf(session.startedAt));
    for await (const message of messagesOf(session)) {
      const speaker = speakerOf(message);
      if (speaker !== undefined)
        yield renderMessage(message, `${SPEAKER_NAMES[speaker]}, ${timeOf(message.createdAt)}`);
    }
  }
}

const renderHead = (session: SessionRecord, started: string): string =>
  `# ${inline(session.title ?? session.id)}\n\n- Session: ${session.id}\n- Started: ${started}\n- Model: ${inline(`${session.provider} ${session.model}`)}\n\n`;

const renderMessage = (message: StoredMessage, head: string): string => {
  const blocks = message.parts.map(renderPart).filter((block) => block !== "");
  return `## ${head}\n\n${blocks.map((block) => `${block}\n\n`).join("")}`;
};

const renderPart = (part: Part): string => {
  switch (part.type) {
    case "text":
      return closeFence(part.text.trim());
    case "reasoning":
      return `Reasoning:\n\n${fenced(part.text)}`;
    case "tool_call":
      return `Calls ${inline(part.name)}:\n\n${fenced(part.arguments, "json")}`;
    case "tool_result":
      return `Result of ${inline(part.name)} (${part.outcome}):\n\n${part.content
        .map((item) => (item.type === "text" ? fenced(item.text) : `[image ${inline(item.mediaType)}]`))
        .join("\n\n")}`;
    case "image":
      return `[image ${inline(part.mediaType)}]`;
    case "opaque":
      return "";
  }
};

/** A name within a line: nothing in it may begin a heading, a list or a link. */
const inline = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]<>#|~]/g, String.raw`\$&`)
    .trim();

const SHORTEST_FENCE = 3;

/** A block that ends where it should: its fence is longer than any run of backticks in it. */
export const fenced = (text: string, language = ""): string => {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(Math.max(SHORTEST_FENCE, longest + 1));
  return `${fence}${language}\n${text.endsWith("\n") ? text : `${text}\n`}${fence}`;
};

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Markdown in which a block that was begun is also ended: what follows must not become a part of it. */
export const closeFence = (text: string): string => {
  let open: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, run = "", rest = ""] = FENCE.exec(line) ?? [];
    if (run === "") continue;
    if (open === undefined) {
      if (run.startsWith("~") || !rest.includes("`")) open = run;
    } else if (run.charAt(0) === open.charAt(0) && run.length >= open.length && rest.trim() === "") open = undefined;
  }
  return open === undefined ? text : `${text}\n${open}`;
};
