import type { AgentEventOf } from "../agent/event.ts";

/** What goes on instead, in words. */
export const movedWords = (moved: NonNullable<AgentEventOf<"retrying">["moved"]>): string => {
  switch (moved.to) {
    case "credential":
      return `going on with another credential of ${moved.provider} (${moved.label})`;
    case "model":
      return `going on with ${moved.provider}:${moved.model}`;
    case "less":
      return `going on without ${moved.without}`;
  }
};
