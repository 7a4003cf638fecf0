import { speakerOf } from "./speaker.ts";
import type { SessionRecord, Store, StoredMessage } from "../../store/store.ts";

/**
 * Everything that was said over the sessions of a conversation, oldest first, each message once: a session that goes on from another
 * begins with copies of messages that stand there already. Summaries of what stands there anyway are left out.
 */
export async function* wholeConversation(
  store: Pick<Store, "messages">,
  lineage: readonly SessionRecord[],
): AsyncIterable<StoredMessage> {
  let before = new Set<string>();
  for (const session of lineage) {
    const held = new Set<string>();
    for await (const message of store.messages.stream(session.id)) {
      const place = `${message.createdAt} ${message.role} ${callOf(message)}`;
      held.add(place);
      const isCopy = message.createdAt <= session.startedAt && before.has(place);
      if (!isCopy && speakerOf(message) !== "summary" && speakerOf(message) !== undefined) yield message;
    }
    before = held;
  }
}

/** Results of calls that were made together may come in the same moment. */
const callOf = (message: StoredMessage): string => (message.role === "tool" ? message.parts[0].callId : "");
