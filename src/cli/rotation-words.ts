import type { AgentEventOf } from "../agent/event.ts";
import { formatTokens } from "../llm/spend/amounts.ts";

/** What became of a conversation that was compressed; one sentence. */
export const rotationWords = ({ to, reason, before, after, by, because }: AgentEventOf<"rotated">): string => {
  if (reason === "elsewhere") return `Another process compressed this conversation; going on in ${to}.`;
  const sizes =
    before === undefined || after === undefined ? "" : `: ${formatTokens(before)} tokens became ${formatTokens(after)}`;
  const why = because === undefined ? "" : ` (${because})`;
  const how = by === "static" ? ` No model wrote the summary${why}: a list of what happened stands in its place.` : "";
  return `Conversation compressed${sizes}; the whole of it stays in the session before.${how}`;
};
