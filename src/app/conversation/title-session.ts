import type { AgentEvent } from "../../agent/event.ts";
import { writeTitle } from "../../agent/write-title.ts";
import type { ModelClient } from "../../llm/model-client.ts";
import type { SessionRecord, Store } from "../../store/store.ts";
import type { App } from "../app.ts";
import type { Models } from "../open-model.ts";

/** What a title is made with. */
export interface TitleDeps {
  readonly app: Pick<App, "redactor" | "log">;
  readonly store: Store;
  readonly models: Models;
}

/** A turn that could begin a conversation. */
export interface FirstTurn {
  readonly record: SessionRecord;
  readonly model: ModelClient;
  readonly asked: string;
  readonly end: Extract<AgentEvent, { type: "turn_finished" }>;
  readonly signal: AbortSignal;
}

/**
 * Gives a session without a title one, after its first answer. Only where a model for it is known: the conversation's own may be slow
 * or dear, and a title is not worth it. A title of the owner's is never replaced (B29). Never throws.
 */
export const titleSession = async ({ app, store, models }: TitleDeps, turn: FirstTurn): Promise<void> => {
  const { record, model, asked, end, signal } = turn;
  if (record.title !== null || end.status !== "completed" || asked.trim() === "") return;
  const client = models.auxiliary("title_generation", model);
  if (client === model) return;
  const opening = { asked: app.redactor.text(asked), answered: app.redactor.text(end.text) };
  const charge = { purpose: "title", source: record.source, session: record.id } as const;
  try {
    const title = await writeTitle(client, opening, { signal, charge });
    if (title !== undefined && !signal.aborted)
      await store.sessions.setTitle(record.id, app.redactor.text(title), "auto");
  } catch (error) {
    app.log.warn("a session got no title", { session: record.id, error: String(error) });
  }
};
