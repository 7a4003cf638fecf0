import type { AgentEvent, AgentEventBody, AgentEventOf } from "../agent/event.ts";
import type { ChatConfig } from "../cli/chat/chat-config.ts";
import type { ApprovalAnswer } from "../agent/approvals/approval-gate.ts";
import type { ChatInfo, ChatNotification, ChatSession } from "../cli/chat/chat-session.ts";
import type { CommandInfo, CommandResult, Confirmation } from "../commands/command.ts";
import type { HistoryEntry } from "../commands/ports.ts";

/** The chat's settings in tests: everything shown, no colours, so that screens can be compared as text. */
export const CHAT_CONFIG: ChatConfig = {
  toolProgress: "all",
  busyInputMode: "interrupt",
  showReasoning: false,
  markdown: "render",
  streaming: true,
  inlineDiffs: true,
  toolPreviewLength: 0,
  bellOnComplete: false,
  showCost: false,
  timestamps: false,
  compact: false,
  indicator: "ascii",
  resume: {
    mode: "full",
    exchanges: 10,
    maxUserChars: 300,
    maxAssistantChars: 200,
    maxAssistantLines: 3,
    skipToolOnly: true,
  },
  colour: false,
  drawable: true,
};

/** Values from one side, an async iteration on the other. */
interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  end(): void;
}

const createChannel = <T>(): Channel<T> => {
  const waiting: T[] = [];
  let ended = false;
  let wake = Promise.withResolvers<void>();
  return {
    push: (value) => {
      waiting.push(value);
      wake.resolve();
    },
    end: () => {
      ended = true;
      wake.resolve();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const value = waiting.shift();
        if (value !== undefined) yield value;
        else if (ended) return;
        else {
          await wake.promise;
          wake = Promise.withResolvers();
        }
      }
    },
  };
};

/** A chat session that does what the test says, and keeps what was asked of it. */
export interface ScriptedChat extends ChatSession {
  /** An event of the running turn. */
  emit(body: AgentEventBody): void;
  /** The end of the running turn. */
  finish(status?: AgentEventOf<"turn_finished">["status"], text?: string): void;
  notify(notification: ChatNotification): void;
  /** What `runCommand` answers. */
  onCommand: (line: string, confirmed: Confirmation | undefined) => CommandResult | Promise<CommandResult>;
  /** Whether a running turn ends by itself when it is interrupted. */
  stopsOnAbort: boolean;
  /** What `steer` answers. */
  takesSteer: boolean;
  past: readonly HistoryEntry[];
  facts: ChatInfo;
  infos: readonly CommandInfo[];
  readonly sent: string[];
  /** The topics with which the conversation was compressed. */
  readonly compressed: (string | undefined)[];
  readonly steered: string[];
  readonly approvals: { readonly id: string; readonly answer: ApprovalAnswer }[];
  readonly clarified: { readonly id: string; readonly answer: string | undefined }[];
  readonly ran: string[];
  readonly interrupts: () => number;
  readonly isClosed: () => boolean;
}

const info = (name: string, more: Partial<CommandInfo> = {}): CommandInfo => ({
  name,
  aliases: [],
  argsHint: "",
  description: `does ${name}`,
  subcommands: [],
  during: "any",
  ...more,
});

const FACTS: ChatInfo = {
  provider: "acme",
  model: "brain-1",
  practice: false,
  sessionId: "20260101_000000_abcdef",
  title: null,
  cwd: "/tmp",
  contextTokens: 0,
  contextWindow: 0,
  yolo: false,
};

const INFOS: readonly CommandInfo[] = [
  info("help", { argsHint: "[command]" }),
  info("history"),
  info("busy", { subcommands: ["interrupt", "queue", "steer"], argsHint: "[mode]" }),
  info("new", { aliases: ["reset"] }),
  info("quit", { aliases: ["exit"] }),
];

/** Makes a scripted session. */
export const createScriptedChat = (): ScriptedChat => {
  let channel = createChannel<AgentEvent>();
  let sequence = 0;
  let interrupts = 0;
  let closed = false;
  const notifications = createChannel<ChatNotification>();
  const emit = (body: AgentEventBody): void => {
    channel.push({ session: "20260101_000000_abcdef", turn: "trn_1", sequence, ...body });
    sequence += 1;
  };
  const finish: ScriptedChat["finish"] = (status = "completed", text = "") => {
    emit({ type: "turn_finished", status, text, modelCalls: 1, toolCalls: 0, usage: {}, costUsd: null });
    channel.end();
  };
  const begin = (signal: AbortSignal): AsyncIterable<AgentEvent> => {
    channel = createChannel();
    signal.addEventListener("abort", () => {
      interrupts += 1;
      if (chat.stopsOnAbort) finish("interrupted");
    });
    return channel;
  };
  const chat: ScriptedChat = {
    facts: FACTS,
    infos: INFOS,
    past: [],
    sent: [],
    compressed: [],
    steered: [],
    approvals: [],
    clarified: [],
    ran: [],
    stopsOnAbort: true,
    takesSteer: true,
    onCommand: (line) => (line.startsWith("/quit") ? { kind: "exit" } : { kind: "text", text: `ran ${line}` }),
    emit,
    finish,
    notify: (notification) => notifications.push(notification),
    interrupts: () => interrupts,
    isClosed: () => closed,
    info: () => chat.facts,
    commands: () => chat.infos,
    history: async () => chat.past,
    send: (text, { signal }) => {
      chat.sent.push(text);
      return begin(signal);
    },
    compress: (focus, { signal }) => {
      chat.compressed.push(focus);
      return begin(signal);
    },
    steer: (text) => {
      if (chat.takesSteer) chat.steered.push(text);
      return chat.takesSteer;
    },
    answerApproval: (id, answer) => {
      chat.approvals.push({ id, answer });
      emit({ type: "approval_resolved", approvalId: id, answer });
    },
    answerClarify: (id, answer) => {
      chat.clarified.push({ id, answer });
      emit({ type: "clarify_resolved", clarifyId: id, answer: answer ?? null });
    },
    runCommand: async (line, options = {}) => {
      chat.ran.push(options.confirmed === undefined ? line : `${line} (${options.confirmed})`);
      return chat.onCommand(line, options.confirmed);
    },
    notifications: () => notifications,
    close: async () => {
      closed = true;
      notifications.end();
    },
  };
  return chat;
};
