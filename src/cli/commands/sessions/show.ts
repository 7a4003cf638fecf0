import type { ExitCode } from "../../../base/app-error.ts";
import type { Message } from "../../../llm/message.ts";
import type { StoredMessage } from "../../../store/store.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { formatCost } from "../../../commands/format-values.ts";
import type { CommandCall } from "../../command-call.ts";
import { formatTime, plural } from "../../format.ts";
import { displayZone } from "../../display-zone.ts";
import { openApp } from "../../open-app.ts";
import { wholeNumber } from "../../whole-number.ts";
import { findSession } from "../../../app/find-start.ts";
import { messageJson } from "./message-json.ts";
import { sessionJson } from "./session-json.ts";

/** `hermes sessions show SESSION`: its facts and messages. */
export const runShow = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const store = await app.store();
  const zone = displayZone(app, output);
  const { session } = await findSession(store, String(args[0]));
  const limit = flags["limit"] === undefined ? undefined : wholeNumber("--limit", flags["limit"]);
  const messages = await newest(store.messages.stream(session.id), limit);
  if (flags.json === true) {
    output.stdout(
      `${JSON.stringify({ ...sessionJson(session), transcript: messages.map(messageJson) }, undefined, 2)}\n`,
    );
    return 0;
  }
  output.stdout(
    [
      `${session.id}  ${cleanText(session.title ?? "(untitled)")}`,
      `${session.provider} ${session.model}, started ${formatTime(session.startedAt, zone)}, ${plural(session.messageCount, "message")}, ${plural(session.toolCallCount, "tool call")}, cost ${formatCost(session.costUsd)}`,
      "",
      ...messages.map((message) => renderMessage(message, zone)),
      "",
    ].join("\n"),
  );
  return 0;
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

const NAMES: Readonly<Record<Message["role"], string>> = { user: "you", assistant: "hermes", tool: "tool" };

const renderMessage = (message: StoredMessage, zone: string | undefined): string => {
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
  return `[${formatTime(message.createdAt, zone)}] ${NAMES[message.role]}:\n${cleanText(lines.join("\n"))}\n`;
};
