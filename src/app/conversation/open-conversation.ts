import type { SessionId } from "../../base/ids.ts";
import type { Agent } from "../../agent/agent.ts";
import type { ModelClient } from "../../llm/model-client.ts";
import type { ReasoningEffort } from "../../config/reasoning-effort.ts";
import type { SessionRecord, Store } from "../../store/store.ts";
import type { App } from "../app.ts";
import type { MemoryUpkeep } from "../memory-upkeep.ts";
import { openModel, openSession, type CarriedOver, type OpenSession } from "../open-session.ts";
import type { SessionRequest } from "../session-request.ts";
import { createCommandHost, type CommandHost } from "../terminal-tools.ts";
import type { ChosenPersonality, Conversation, Move } from "./conversation.ts";
import { createRawTexts, type RawTexts } from "./raw-texts.ts";
import { titleSession } from "./title-session.ts";
import { createTurns, STOP_WAIT_MS, type TurnPlace } from "./turns.ts";

/** Opens a conversation. `model` replaces the configured one. Throws what `openSession` throws. */
export const openConversation = async (
  app: App,
  request: SessionRequest,
  model?: Pick<CarriedOver, "models" | "model">,
): Promise<Conversation> => {
  const opened = model ?? (await openModel(app, request));
  const store = await app.store();
  const host = createCommandHost(app, { cwd: request.cwd, processStore: store.processes });
  try {
    const first = await openSession(app, request, { ...opened, host });
    const conversation = createConversation({ app, request, store, host, first });
    // A session that is opened again is not ended any more.
    await conversation.refresh();
    return conversation;
  } catch (error) {
    await host.close();
    throw error;
  }
};

interface Parts {
  readonly app: App;
  readonly request: SessionRequest;
  readonly store: Store;
  readonly host: CommandHost;
  readonly first: OpenSession;
}

/** What is known of the session that the conversation is in. */
interface Place {
  readonly session: OpenSession;
  readonly raw: RawTexts;
  lineage: readonly SessionId[];
  record: SessionRecord;
  contextTokens: number;
  isDeleted: boolean;
}

interface State {
  /** What is being written down beside the conversation; never rejects. */
  titling: Promise<void>;
  place: Place;
  model: ModelClient;
  effort: ReasoningEffort;
  personality: ChosenPersonality | undefined;
}

const placeOf = (session: OpenSession, raw: RawTexts, ancestors: readonly SessionId[]): Place => ({
  session,
  raw,
  lineage: [session.record.id, ...ancestors],
  record: session.record,
  contextTokens: 0,
  isDeleted: false,
});

const createConversation = (parts: Parts): Conversation => {
  const { app, store, host, first } = parts;
  const ending = new AbortController();
  const state: State = {
    titling: Promise.resolve(),
    place: placeOf(first, createRawTexts(), []),
    model: first.model,
    effort: app.config.section("agent").reasoning_effort,
    personality: undefined,
  };
  const turns = createTurns(app.clock, () => turnPlace(parts, state, ending.signal));
  return {
    app,
    store,
    host,
    turns,
    session: () => state.place.session,
    record: () => follow(state.place).record,
    model: () => state.model,
    effort: () => state.effort,
    contextTokens: () => state.place.contextTokens,
    raw: () => state.place.raw,
    lineage: () => follow(state.place).lineage,
    isDeleted: () => state.place.isDeleted,
    refresh: () => refresh(store, state.place),
    useModel: (next) => {
      state.model = next;
      state.place.session.agent.useModel(next);
    },
    useEffort: (next) => {
      state.effort = next;
      state.place.session.agent.useReasoningEffort(next);
    },
    personality: () => state.personality,
    usePersonality: (next) => {
      state.personality = next;
      speakLike(app, state.place.session.agent, next);
      app.log.info("the personality was changed: requests begin differently from now on", { personality: next?.name });
    },
    open: async (start, options = {}) => {
      const { request } = parts;
      const { approvals } = state.place.session;
      const cwd = options.cwd ?? request.cwd;
      const next = await openSession(
        app,
        { ...request, start, cwd, yolo: approvals.yolo() },
        carriedFrom(parts, state),
      );
      next.agent.useReasoningEffort(state.effort);
      speakLike(app, next.agent, state.personality);
      return next;
    },
    moveTo: (next, move) => moveTo(parts, state, { next, move }),
    deleteCurrent: async () => {
      await store.sessions.delete([follow(state.place).record.id]);
      state.place.isDeleted = true;
    },
    [Symbol.asyncDispose]: async () => {
      try {
        ending.abort();
        await turns.stop(STOP_WAIT_MS);
        await state.titling;
        await store.sessions.end(follow(state.place).record.id, "cli_close");
        await state.place.session[Symbol.asyncDispose]();
      } finally {
        await host.close();
      }
    },
  };
};

const speakLike = (app: App, agent: Agent, personality: ChosenPersonality | undefined): void =>
  agent.usePreface({ ...agent.preface(), personality: app.redactor.text(personality?.prompt ?? "") });

/** Compression may have taken the conversation to another session: its agent knows at once (R-COMP-2). */
const follow = (place: Place): Place => {
  const { record } = place.session;
  if (record.id === place.record.id) return place;
  place.record = record;
  place.lineage = [record.id, ...place.lineage];
  return place;
};

const refresh = async (store: Store, place: Place): Promise<void> => {
  follow(place);
  place.record = (await store.sessions.get(place.record.id)) ?? place.record;
};

const turnPlace = ({ app, store }: Parts, state: State, signal: AbortSignal): TurnPlace => {
  const { model } = state;
  const place = follow(state.place);
  let asked = "";
  let isNoted = false;
  return {
    agent: place.session.agent,
    session: place.record.id,
    surface: app.surface,
    begin: (text) => {
      asked = text ?? "";
      isNoted = false;
      place.session.models.refreshBeside(model);
      if (text !== undefined) place.raw.expectUser(text);
    },
    observe: (event) => {
      place.raw.observe(event);
      if (event.type === "usage") place.contextTokens = event.contextTokens;
      if (event.type === "rotated") place.contextTokens = event.after ?? 0;
      if (event.type === "tool_finished" && event.tool === "memory" && event.outcome === "ok") isNoted = true;
      if (event.type !== "turn_finished") return;
      const { models } = place.session;
      const turn = { record: follow(place).record, model, asked, end: event, signal };
      state.titling = titleSession({ app, store, models }, turn)
        .then(() => refresh(store, place))
        .then(() => (isNoted ? tidyAfter(app, { record: turn.record, models, model, signal }) : undefined))
        .catch(() => undefined);
    },
    settle: () => refresh(store, place),
  };
};

/** A turn that wrote to memory may have filled it. */
const tidyAfter = async (app: App, upkeep: MemoryUpkeep): Promise<void> => {
  if (!app.config.section("memory").consolidate) return;
  const { tidyMemory } = await import("../memory-upkeep.ts");
  await tidyMemory(app, upkeep);
};

/** What the next session takes over from the one before. */
const carriedFrom = ({ host }: Parts, { place, model }: State): CarriedOver => ({
  models: place.session.models,
  model,
  host,
  writtenScripts: place.session.tools.writtenScripts,
  remembered: place.session.approvals.remembered,
});

const moveTo = async (
  { store, host }: Parts,
  state: State,
  { next, move }: { readonly next: OpenSession; readonly move: Move },
): Promise<void> => {
  const before = follow(state.place);
  await store.sessions.end(before.record.id, move.reason);
  state.place =
    move.copiedTexts === undefined
      ? placeOf(next, createRawTexts(), [])
      : placeOf(next, move.copiedTexts, before.lineage);
  await before.session[Symbol.asyncDispose]();
  // A copy has taken the shell with it.
  if (move.copiedTexts === undefined) host.shells.forget(before.record.id);
  await refresh(store, state.place);
};
