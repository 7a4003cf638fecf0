import type { ExportRequest } from "./export-request.ts";
import { messageJson } from "./message-json.ts";
import { sessionJson } from "./session-json.ts";

/** One session a line, with its messages in `transcript`. */
export async function* exportJsonl({ sessions, messagesOf }: ExportRequest): AsyncIterable<string> {
  for await (const session of sessions) {
    yield `${JSON.stringify(sessionJson(session)).slice(0, -1)},"transcript":[`;
    let separator = "";
    for await (const message of messagesOf(session)) {
      yield separator + JSON.stringify(messageJson(message));
      separator = ",";
    }
    yield "]}\n";
  }
}
