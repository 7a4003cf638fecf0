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

/** What went wrong, with which model where another one goes on, and what happens next (R-TIME-3); one sentence. */
export const retryWords = ({ message, moved, delayMs }: AgentEventOf<"retrying">): string => {
  const from = moved?.to === "model" && moved.from !== undefined ? `${moved.from.provider}:${moved.from.model}: ` : "";
  const next = moved === undefined ? `trying again in ${Math.round(delayMs / 1000)} s` : movedWords(moved);
  return `${from}${withoutEnd(message)}; ${next}`;
};

/** A provider's sentence goes on in ours. */
const withoutEnd = (message: string): string => message.replace(/[\s.,;:]+$/u, "");
