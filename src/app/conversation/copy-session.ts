import type { ConversationKey } from "../../base/ids.ts";
import { baseTitle } from "../../store/session-title.ts";
import type { SessionRecord, Store } from "../../store/store.ts";

export interface CopyRequest {
  readonly from: SessionRecord;
  /** Messages after it are left out. */
  readonly throughSeq: number;
  /** Which model goes on. */
  readonly provider: string;
  readonly model: string;
  /** Absent = a conversation of its own. */
  readonly conversation?: ConversationKey;
  /** The title that a person gave; absent, or taken = a number behind the parent's. */
  readonly title?: string | undefined;
}

/**
 * Makes a child session that begins with a copy of its parent's messages. The parent stays as it is; its open questions
 * (calls without results) are closed by the child's first turn. A copy that fails leaves no child behind.
 */
export const copySession = async (store: Store, request: CopyRequest): Promise<SessionRecord> => {
  const { from, throughSeq, provider, model, conversation } = request;
  // One in which nothing was said is discarded when it is left: what it came from is the parent then.
  const parent = from.messageCount > 0 ? from.id : from.parent;
  const child = await store.sessions.create({
    source: from.source,
    provider,
    model,
    cwd: from.cwd,
    systemPrompt: await store.sessions.systemPrompt(from.id),
    ...(parent === null ? {} : { parent }),
    ...(conversation === undefined ? {} : { conversation }),
  });
  try {
    if (throughSeq > 0) await store.messages.copy(from.id, child.id, throughSeq);
  } catch (error) {
    await store.sessions.discardEmpty(child.id);
    throw error;
  }
  await nameCopy(store, child, request);
  return (await store.sessions.get(child.id)) ?? child;
};

const nameCopy = async (store: Store, child: SessionRecord, { from, title }: CopyRequest): Promise<void> => {
  if (title !== undefined && (await store.sessions.setTitle(child.id, title, "user")).kind === "set") return;
  const base = title ?? (from.title === null ? undefined : baseTitle(from.title));
  if (base !== undefined) await store.sessions.setTitle(child.id, base, "auto");
};
