import type { Conversation } from "../../app/conversation/conversation.ts";
import {
  conversationHistory,
  createConversationPort,
  createMoneyPort,
  createTurnPort,
} from "../../app/conversation/conversation-port.ts";
import { createModelPort } from "../../app/conversation/model-port.ts";
import { createSkillsPort } from "../../app/skills-port.ts";
import { STOP_WAIT_MS } from "../../app/conversation/turns.ts";
import { createMemoryPort } from "../../app/memory-port.ts";
import { COMMANDS } from "../../commands/registry.ts";
import { createCommandRunner } from "../../commands/run-command.ts";
import type { DisplaySettings } from "../../commands/display-settings.ts";
import type { CommandPorts } from "../../commands/ports.ts";
import type { ProcessEvents } from "../../tools/exec/process/process-events.ts";
import type { ChatInfo, ChatNotification, ChatSession } from "../chat/chat-session.ts";
import { processWords } from "./process-words.ts";
import { createSettingsPort } from "./settings-port.ts";

export interface ChatSessionParts {
  readonly conversation: Conversation;
  readonly display: DisplaySettings;
  /** Told first, before anything that happens. */
  readonly notices: readonly ChatNotification[];
  /** Texts that go with the first message. */
  readonly preloaded: readonly string[];
}

/** What the interactive chat talks to. Closing it stops the running turn; the conversation stays its opener's to end. */
export const createChatSession = ({ conversation, display, notices, preloaded }: ChatSessionParts): ChatSession => {
  let waiting = preloaded;
  const { turns, host, app } = conversation;
  const skills = createSkillsPort(conversation);
  const ports: CommandPorts = {
    conversation: createConversationPort(conversation),
    money: createMoneyPort(conversation),
    memory: createMemoryPort(app),
    turn: createTurnPort(conversation),
    model: createModelPort(conversation),
    settings: createSettingsPort(conversation, display),
    skills,
    now: () => app.clock.now(),
  };
  const commands = createCommandRunner(COMMANDS, ports);
  const closed = Promise.withResolvers<void>();
  return {
    info: () => chatInfo(conversation),
    send: (text, options) => {
      const whole = [text, ...waiting].join("\n\n");
      waiting = [];
      return turns.run(whole, options);
    },
    compress: (focus, options) => turns.compress(focus, options),
    steer: (text) => turns.steer(text),
    answerApproval: (id, answer) => void conversation.session().agent.answerApproval(id, answer),
    answerClarify: (id, answer) => void conversation.session().agent.answerClarify(id, answer),
    history: () => conversationHistory(conversation),
    runCommand: (line, options) => commands.run(line, options),
    commands: () => commands.infos(),
    notifications: () => notifications({ notices, events: host.processes.events, closed: closed.promise }),
    close: async () => {
      closed.resolve();
      await turns.stop(STOP_WAIT_MS);
      await skills[Symbol.asyncDispose]();
    },
  };
};

const chatInfo = (conversation: Conversation): ChatInfo => {
  const { info } = conversation.model();
  const record = conversation.record();
  const { tools, approvals } = conversation.session();
  return {
    provider: info.provider,
    model: info.model,
    practice: info.wire === "practice",
    sessionId: record.id,
    title: record.title,
    cwd: tools.shell.cwd(),
    contextTokens: conversation.contextTokens(),
    contextWindow: info.contextWindow,
    yolo: approvals.yolo(),
  };
};

interface Sources {
  readonly notices: readonly ChatNotification[];
  readonly events: ProcessEvents;
  readonly closed: Promise<void>;
}

async function* notifications({ notices, events, closed }: Sources): AsyncGenerator<ChatNotification, void, undefined> {
  yield* notices;
  const iterator = events[Symbol.asyncIterator]();
  const ended = closed.then(() => undefined);
  for (;;) {
    const next = await Promise.race([iterator.next(), ended]);
    if (next === undefined || next.done === true) return;
    yield processWords(next.value);
  }
}
