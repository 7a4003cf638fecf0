import { join } from "node:path";
import type {
  ContextReport,
  ConversationPort,
  HistoryEntry,
  MoneyPort,
  ResumeOutcome,
  SaveOutcome,
  SessionSummary,
  TurnPort,
} from "../../commands/ports.ts";
import type { SessionRecord } from "../../store/store.ts";
import { windowOf } from "../../agent/compress-place.ts";
import { thresholdOf } from "../../agent/compression/window.ts";
import { contextParts } from "../context-report.ts";
import { compressionSettings } from "../open-compression.ts";
import { branchSession, resumeSession, startNew, undoLast } from "./change-session.ts";
import { createCheckpointPort } from "./checkpoint-port.ts";
import type { Conversation } from "./conversation.ts";
import { historyEntries } from "./history-entries.ts";

/** The slash commands' view of a conversation. */
export const createConversationPort = (conversation: Conversation): ConversationPort => {
  const { store } = conversation;
  return {
    checkpoints: createCheckpointPort(conversation),
    current: () => currentSummary(conversation),
    history: () => conversationHistory(conversation),
    startNew: async (title) => {
      const outcome = await startNew(conversation, title);
      if (outcome.kind === "taken") return outcome;
      return { kind: "set", title: conversation.record().title ?? "" };
    },
    setTitle: async (title) => {
      const outcome = await store.sessions.setTitle(conversation.record().id, title, "user");
      await conversation.refresh();
      return outcome.kind === "taken" ? outcome : { kind: "set", title: outcome.title };
    },
    undo: () => undoLast(conversation),
    branch: async (title) => {
      await branchSession(conversation, title);
      return currentSummary(conversation);
    },
    resume: (target) => resume(conversation, target),
    recent: async (limit) => {
      const records = await store.sessions.list({ listed: true, limit });
      const openings = await store.sessions.openings(records.map(({ id }) => id));
      return records.map((record) => {
        const opening = openings.get(record.id);
        return { ...toSummary(record), ...(opening === undefined ? {} : { opening }) };
      });
    },
    save: (file) => save(conversation, file),
    deleteCurrent: () => conversation.deleteCurrent(),
    usage: async () => {
      await conversation.refresh();
      const { usage, modelCallCount, toolCallCount, costUsd } = conversation.record();
      return { usage, modelCalls: modelCallCount, toolCalls: toolCallCount, costUsd };
    },
    context: () => contextOf(conversation),
  };
};

/** What calls cost, for commands. */
export const createMoneyPort = (conversation: Conversation): MoneyPort => ({
  status: () => conversation.session().models.spending.status(conversation.record().id),
  insights: (days) => conversation.session().models.spending.insights({ days }),
});

/** The turn that runs, for commands. */
export const createTurnPort = ({ app, turns, host, lineage, session }: Conversation): TurnPort => ({
  isRunning: turns.isRunning,
  steer: (text) => turns.steer(text),
  stopProcesses: async () => {
    let stopped = 0;
    for (const session of lineage()) stopped += await host.processes.killAll(session);
    return stopped;
  },
  processes: async () => {
    const all = await host.processes.list();
    const running = all.filter(({ state }) => state.kind === "running").toReversed();
    return running.map(({ id, command, startedAt }) => ({ id, command: app.redactor.text(command), startedAt }));
  },
  children: () => {
    const now = app.clock.monotonic();
    return session()
      .children.list()
      .map(({ startedAt, ...child }) => ({ ...child, runningMs: now - startedAt }));
  },
  interruptChildren: (reference) => session().children.interrupt(reference),
});

/** What was said so far, oldest first. */
export const conversationHistory = async (conversation: Conversation): Promise<readonly HistoryEntry[]> => {
  const { tools, grant } = conversation.session();
  const messages = await conversation.store.messages.load(conversation.record().id);
  return historyEntries({ messages, raw: conversation.raw(), tools: { grant, cwd: tools.shell.cwd() } });
};

const save = async (conversation: Conversation, file: string | undefined): Promise<SaveOutcome> => {
  const { app, store } = conversation;
  const { saveConversation } = await import("../session-export/save-conversation.ts");
  const session = conversation.record();
  return saveConversation({
    store,
    file,
    session,
    lineage: await store.sessions.lineage(session.id),
    folder: join(app.paths.home, "sessions", "saved"),
    cwd: conversation.session().tools.shell.cwd(),
    timeZone: app.config.section("timezone"),
  });
};

const toSummary = (record: SessionRecord): SessionSummary => ({
  id: record.id,
  title: record.title,
  provider: record.provider,
  model: record.model,
  cwd: record.cwd ?? "",
  startedAt: record.startedAt,
  activeAt: record.activeAt,
  messageCount: record.messageCount,
  toolCallCount: record.toolCallCount,
});

const currentSummary = (conversation: Conversation): SessionSummary => {
  const { provider, model } = conversation.model().info;
  return { ...toSummary(conversation.record()), provider, model, cwd: conversation.session().tools.shell.cwd() };
};

const resume = async (conversation: Conversation, target: string): Promise<ResumeOutcome> => {
  const result = await resumeSession(conversation, target);
  switch (result.kind) {
    case "resumed":
      return { kind: "resumed", session: currentSummary(conversation), followedFrom: result.followed };
    case "ambiguous":
      return { kind: "ambiguous", candidates: result.candidates.map(toSummary) };
    case "none":
      return { kind: "none", nearest: result.nearest.map(toSummary) };
    case "busy":
      return result;
  }
};

const contextOf = async (conversation: Conversation): Promise<ContextReport> => {
  const { systemPrompt, grant, models, agent } = conversation.session();
  const messages = await conversation.store.messages.load(conversation.record().id);
  const estimated = contextParts({
    systemPrompt,
    preface: agent.preface(),
    grant,
    messages,
    estimator: models.estimator,
  });
  const parts = estimated.filter((part) => part.tokens > 0);
  const sum = parts.reduce((tokens, part) => tokens + part.tokens, 0);
  const counted = conversation.contextTokens();
  const settings = compressionSettings(conversation.app);
  return {
    window: conversation.model().info.contextWindow,
    used: counted > 0 ? counted : sum,
    parts,
    compressAt: settings.enabled ? thresholdOf(settings, windowOf(conversation.model())) : undefined,
  };
};
