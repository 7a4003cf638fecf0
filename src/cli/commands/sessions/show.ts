import type { ExitCode } from "../../../base/app-error.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { SessionRecord, StoredMessage } from "../../../store/store.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { formatCost } from "../../../commands/format-values.ts";
import type { CommandCall } from "../../command-call.ts";
import { formatTime, plural } from "../../format.ts";
import { displayZone } from "../../display-zone.ts";
import { openApp } from "../../open-app.ts";
import { wholeNumber } from "../../whole-number.ts";
import { findSession } from "../../../app/find-start.ts";
import { speakerOf } from "../../../app/session-export/speaker.ts";
import { wholeConversation } from "../../../app/session-export/whole-conversation.ts";
import { messageJson } from "../../../app/session-export/message-json.ts";
import { sessionJson } from "../../../app/session-export/session-json.ts";

/** `hermes sessions show SESSION`: its facts and messages; with `--lineage` all that was said in its conversation, once. */
export const runShow = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const store = await app.store();
  const zone = displayZone(app, output);
  const { session } = await findSession(store, String(args[0]));
  const limit = flags["limit"] === undefined ? undefined : wholeNumber("--limit", flags["limit"]);
  const lineage = await store.sessions.lineage(session.id);
  const children = (await store.sessions.children([session.id])).get(session.id) ?? [];
  const isWhole = flags["lineage"] === true;
  const said = isWhole ? wholeConversation(store, lineage) : store.messages.stream(session.id);
  const messages = await newest(said, limit);
  if (flags.json === true) {
    const before = lineage.map(({ id }) => id);
    const facts = { ...sessionJson(session), children, lineage: before };
    output.stdout(`${JSON.stringify({ ...facts, transcript: messages.map(messageJson) }, undefined, 2)}\n`);
    return 0;
  }
  output.stdout(
    [
      `${session.id}  ${cleanText(session.title ?? "(untitled)")}`,
      `${session.provider} ${session.model}, started ${formatTime(session.startedAt, zone)}, ${plural(session.messageCount, "message")}, ${plural(session.toolCallCount, "tool call")}, cost ${formatCost(session.costUsd)}`,
      ...familyLines({ session, lineage, children, isWhole }),
      "",
      ...messages.map((message) => renderMessage(message, zone)).filter((text) => text !== ""),
      "",
    ].join("\n"),
  );
  return 0;
};

interface Family {
  readonly session: SessionRecord;
  /** The session itself is the last. */
  readonly lineage: readonly SessionRecord[];
  readonly children: readonly SessionId[];
  readonly isWhole: boolean;
}

const familyLines = ({ session, lineage, children, isWhole }: Family): readonly string[] => {
  const before = lineage.slice(0, -1).map(({ id }) => id);
  const hint = isWhole ? "" : " (--lineage shows all of it)";
  const came = session.rotatedFrom === null && session.parent !== null ? [`made of ${session.parent}`] : [];
  return [
    ...(before.length === 0 ? came : [`goes on from ${before.join(", ")}${hint}`]),
    ...(children.length === 0 ? [] : [`made of it: ${children.join(", ")}`]),
  ];
};

const newest = async (
  messages: AsyncIterable<StoredMessage>,
  limit: number | undefined,
): Promise<readonly StoredMessage[]> => {
  const kept: StoredMessage[] = [];
  for await (const message of messages) {
    kept.push(message);
    if (limit !== undefined && kept.length > limit) kept.shift();
  }
  return kept;
};

const renderMessage = (message: StoredMessage, zone: string | undefined): string => {
  const speaker = speakerOf(message);
  if (speaker === undefined) return "";
  const lines = message.parts.flatMap((part): string[] => {
    switch (part.type) {
      case "text":
        return [part.text];
      case "reasoning":
        return [];
      case "tool_call":
        return [`→ ${part.name} ${part.arguments}`];
      case "tool_result":
        return [
          `← ${part.name} (${part.outcome})`,
          ...part.content.map((item) => (item.type === "text" ? item.text : "[image]")),
        ];
      case "image":
        return [`[image ${part.mediaType}]`];
      case "opaque":
        return [];
    }
  });
  return `[${formatTime(message.createdAt, zone)}] ${speaker}:\n${cleanText(lines.join("\n"))}\n`;
};
