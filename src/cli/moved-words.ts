import type { AgentEventOf } from "../agent/event.ts";

/** Who goes on instead, in words. */
export const movedWords = (moved: NonNullable<AgentEventOf<"retrying">["moved"]>): string =>
  moved.to === "credential"
    ? `going on with another credential of ${moved.provider} (${moved.label})`
    : `going on with ${moved.provider}:${moved.model}`;
