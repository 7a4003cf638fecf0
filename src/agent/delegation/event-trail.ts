import type { AgentEventBody } from "../event.ts";

/** What is remembered of a child's way, to find out later why it went nowhere. */
export interface EventTrail {
  note(event: AgentEventBody, atMs: number): void;
  /** The newest, oldest first. */
  lines(): readonly string[];
}

const MOST_LINES = 100;

/** Keeps what says how a call went; not what was said. */
export const createEventTrail = (): EventTrail => {
  const lines: string[] = [];
  return {
    note: (event, atMs) => {
      const words = wordsOf(event);
      if (words === undefined) return;
      lines.push(`+${(atMs / 1000).toFixed(1)} s ${words}`);
      if (lines.length > MOST_LINES) lines.shift();
    },
    lines: () => lines,
  };
};

const wordsOf = (event: AgentEventBody): string | undefined => {
  switch (event.type) {
    case "start":
      return `begins with ${event.provider}:${event.model}`;
    case "saved":
      return `saved message ${event.seq} (${event.role})`;
    case "waiting":
      return `waiting for the ${event.phase === "first_token" ? "first" : "next"} token: ${event.waitedMs} ms of ${event.limitMs} ms`;
    case "retrying":
      return `attempt ${event.attempt} in ${event.delayMs} ms: ${event.kind}: ${event.message}`;
    case "notice":
      return `notice ${event.code}: ${event.message}`;
    case "turn_finished":
      return `ended: ${event.status}${event.error === undefined ? "" : ` (${event.error.code}: ${event.error.message})`}`;
    default:
      return undefined;
  }
};
