import type { AgentEventOf } from "../../agent/event.ts";
import type { LiveChild, LiveTool } from "./chat-state.ts";

type SubagentEvent = AgentEventOf<"subagent_started" | "subagent_progress" | "subagent_finished">;

/** What an event of a sub-agent changes at a running call; nothing where it runs below another one. */
export const reduceChild = (tool: LiveTool, event: SubagentEvent, now: number): LiveTool => {
  if (tool.callId !== event.callId) return tool;
  switch (event.type) {
    case "subagent_started": {
      const { child: id, parent, goal } = event;
      const begun: LiveChild = { id, parent, goal, action: "", startedAt: now, ended: undefined };
      return { ...tool, children: [...tool.children, begun] };
    }
    case "subagent_progress": {
      const action = event.summary ?? event.tool ?? event.text ?? "";
      return changed(tool, event.child, () => ({ action }));
    }
    case "subagent_finished": {
      const { status, durationMs } = event;
      return changed(tool, event.child, () => ({ ended: { status, durationMs } }));
    }
    default:
      return event satisfies never;
  }
};

const changed = (tool: LiveTool, id: string, change: (child: LiveChild) => Partial<LiveChild>): LiveTool => ({
  ...tool,
  children: tool.children.map((child) => (child.id === id ? { ...child, ...change(child) } : child)),
});
