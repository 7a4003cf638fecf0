import type { AgentEventBody, AgentEventOf } from "../event.ts";

/** What is told of a sub-agent in the stream of whoever called; the call's id is added there. */
export type ChildEvent =
  | Omit<AgentEventOf<"subagent_started">, "callId">
  | Omit<AgentEventOf<"subagent_progress">, "callId">
  | Omit<AgentEventOf<"subagent_finished">, "callId">
  /** What the person should know whoever was told it first, e.g. that a cap is near. */
  | AgentEventOf<"notice">;

/** What a child's own stream says that concerns the whole tree: its sub-agents and its notices. */
export const passedOn = (event: AgentEventBody): ChildEvent | undefined => {
  switch (event.type) {
    case "subagent_started": {
      const { type, index, child, parent, goal } = event;
      return { type, index, child, parent, goal };
    }
    case "subagent_progress": {
      const { type, index, child, tool, summary, text } = event;
      return {
        type,
        index,
        child,
        ...(tool === undefined ? {} : { tool }),
        ...(summary === undefined ? {} : { summary }),
        ...(text === undefined ? {} : { text }),
      };
    }
    case "subagent_finished": {
      const { type, index, child, status, durationMs, modelCalls, toolCalls, usage, costUsd } = event;
      return { type, index, child, status, durationMs, modelCalls, toolCalls, usage, costUsd };
    }
    case "notice":
      return { type: event.type, code: event.code, message: event.message };
    default:
      return undefined;
  }
};
