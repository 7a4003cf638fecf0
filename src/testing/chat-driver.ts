import type { AgentEventBody } from "../agent/event.ts";
import type { ChatAction, Effect, StepContext } from "../cli/chat/chat-action.ts";
import { type ChatState, initialState, type TranscriptItem } from "../cli/chat/chat-state.ts";
import type { KeyName, KeyPress } from "../cli/chat/input/key-press.ts";
import { step } from "../cli/chat/step.ts";
import { CHAT_CONFIG, createScriptedChat } from "./scripted-chat.ts";

/** Drives the pure state: every action in order, effects kept. */
export const createChatDriver = (config: Partial<typeof CHAT_CONFIG> = {}) => {
  const settings = { ...CHAT_CONFIG, ...config };
  let state: ChatState = initialState({ display: settings, streaming: settings.streaming });
  let now = 1000;
  const effects: Effect[] = [];
  const printed: TranscriptItem[] = [];
  const context = (): StepContext => ({
    now,
    wall: 0,
    columns: 60,
    commands: createScriptedChat().commands(),
    options: { ...settings, graceMs: 500 },
  });
  const act = (action: ChatAction): void => {
    const next = step(state, action, context());
    state = next.state;
    effects.push(...next.effects.filter((effect) => effect.kind !== "load_history" && effect.kind !== "remember"));
    printed.push(...state.pending);
    const last = state.pending.at(-1);
    if (last !== undefined) state = step(state, { type: "printed", through: last.id }, context()).state;
  };
  const key = (key: KeyPress): void => act({ type: "key", key });
  let sequence = 0;
  return {
    state: () => state,
    effects,
    printed,
    /** The kinds of what was printed, with a word of each. */
    lines: () => printed.map(describeItem),
    wait: (ms: number) => {
      now += ms;
    },
    act,
    event: (body: AgentEventBody) => {
      act({ type: "event", event: { session: "s", turn: "t", sequence, ...body } });
      sequence += 1;
    },
    type: (text: string) => key({ kind: "text", text }),
    press: (name: string) => {
      const letter = name.startsWith("ctrl+") ? name.slice(5) : "";
      key({
        kind: "key",
        name: letter === "" ? (name as KeyName) : "letter",
        letter,
        ctrl: letter !== "",
        alt: false,
        shift: false,
      });
    },
    say: (text: string) => {
      key({ kind: "text", text });
      key({ kind: "key", name: "enter", letter: "", ctrl: false, alt: false, shift: false });
    },
    over: (status: "completed" | "interrupted" | "failed" = "completed", text = "") => {
      act({
        type: "event",
        event: {
          session: "s",
          turn: "t",
          sequence: 99,
          type: "turn_finished",
          status,
          text,
          modelCalls: 1,
          toolCalls: 2,
          usage: {},
          costUsd: 0.5,
          ...(status === "failed" ? { error: { code: "llm.auth", message: "bad key", hint: "hermes auth" } } : {}),
        },
      });
      act({ type: "turn_over", abandoned: false });
    },
  };
};

/** A printed thing as its kind and its words. */
const describeItem = (item: TranscriptItem): string => {
  switch (item.kind) {
    case "answer":
      return `answer:${item.part.kind === "blocks" ? item.part.source.trim() : item.part.kind}`;
    case "user":
    case "steered":
    case "reasoning":
      return `${item.kind}:${item.text.trim()}`;
    case "tool":
      return `tool:${item.summary}:${item.outcome}${item.verbose ? ":verbose" : ""}`;
    case "notice":
      return `${item.tone}:${item.text}`;
    case "approved":
    case "clarified":
      return `${item.kind}:${item.answer}`;
    case "turn_end":
      return `end:${item.status}`;
    case "banner":
    case "todos":
    case "result":
    case "past":
    case "asked":
      return item.kind;
    default:
      return item satisfies never;
  }
};

/** A call that begins. */
export const toolStarted = (callId: string, name = "terminal"): AgentEventBody => ({
  type: "tool_started",
  callId,
  tool: name,
  arguments: {},
  summary: `${name} ${callId}`,
});
/** A call that has ended. */
export const toolFinished = (
  callId: string,
  more: Partial<Extract<AgentEventBody, { type: "tool_finished" }>> = {},
): AgentEventBody => ({
  type: "tool_finished",
  callId,
  tool: "terminal",
  outcome: "ok",
  durationMs: 10,
  text: "out",
  ...more,
});
/** A question before something dangerous. */
export const approvalRequested = (id: string): AgentEventBody => ({
  type: "approval_requested",
  approvalId: id,
  callId: "c",
  action: "command",
  subject: "rm x",
  reasons: [],
  timeoutMs: 1000,
});
