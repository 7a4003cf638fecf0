import type { Conversation } from "../../app/conversation/conversation.ts";
import { backgroundLines } from "../background-lines.ts";

/** What is said when the chat has ended, line by line; call it before the conversation is disposed. */
export const farewell = async (conversation: Conversation): Promise<readonly string[]> => {
  await conversation.refresh();
  return [...(await backgroundLines(conversation.host.processes)), ...resumeLines(conversation)];
};

const resumeLines = (conversation: Conversation): readonly string[] => {
  const { id, title, messageCount } = conversation.record();
  if (conversation.isDeleted()) {
    return [`Session ${id} is deleted. \`hermes sessions restore ${id}\` brings it back for 7 days.`];
  }
  if (messageCount === 0) return [];
  return [`Session ${id}${title === null ? "" : ` "${title}"`}`, `Resume with: hermes -r ${id}`];
};
