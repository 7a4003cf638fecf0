import { open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf } from "../../base/app-error.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { systemErrorCode } from "../../base/system-error.ts";
import type { SaveOutcome } from "../../commands/ports.ts";
import type { SessionRecord, Store } from "../../store/store.ts";
import { exportSessions, formatOf } from "./export-sessions.ts";
import type { ExportRequest } from "./export-request.ts";
import { wholeConversation } from "./whole-conversation.ts";

/** What is saved, and where. */
export interface SaveRequest extends Omit<ExportRequest, "sessions" | "messagesOf" | "store"> {
  readonly session: SessionRecord;
  /** The sessions of its conversation, oldest first; it is the last. */
  readonly lineage: readonly SessionRecord[];
  readonly store: Pick<Store, "messages" | "blobs">;
  /** Where it goes if no file is named; made when missing. */
  readonly folder: string;
  /** As a person named it, from `cwd`. */
  readonly file: string | undefined;
  readonly cwd: string;
}

/**
 * Saves a conversation for its owner to read, as the file's name says: Markdown unless it ends otherwise. A file that was there stays,
 * but for the one that this session was saved to before without a name.
 */
export const saveConversation = async (request: SaveRequest): Promise<SaveOutcome> => {
  const { session, lineage, folder, file, cwd } = request;
  const path = file === undefined ? join(folder, `${session.id}.md`) : resolve(cwd, file);
  const messagesOf = () => wholeConversation(request.store, lineage);
  const sessions = (async function* () {
    yield session;
  })();
  try {
    if (file === undefined) await makeFolder(folder);
    await using opened = await open(path, file === undefined ? "w" : "wx", 0o600);
    for await (const piece of exportSessions(formatOf(path) ?? "markdown", { ...request, sessions, messagesOf })) {
      await opened.appendFile(piece);
    }
    return { kind: "saved", path };
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === undefined) throw thrown;
    return { kind: "failed", path, why: code === "EEXIST" ? "it is there already" : messageOf(thrown) };
  }
};
