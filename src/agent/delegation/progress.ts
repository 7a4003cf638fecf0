import type { Clock } from "../../base/clock.ts";
import { createRedactingStream } from "../../base/redact/redacting-stream.ts";
import type { Redactor } from "../../base/redact/redact-text.ts";
import { sliceCharacters } from "../../base/slice-characters.ts";
import type { AgentEventBody } from "../event.ts";

/** What a child does now: a call, or the end of what it writes. Masked. */
export type Progress = { readonly tool: string; readonly summary: string } | { readonly text: string };

/** Follows a child's events; says what is news. */
export interface ProgressFollower {
  follow(event: AgentEventBody): Progress | undefined;
}

/** Text is news this often at most. */
const TEXT_EVERY_MS = 250;
/** How much of the end of a text, or of the beginning of a call, is shown. */
const TAIL_CHARS = 200;

/** Text is masked as a stream, so that no cut goes through a secret. */
export const createProgressFollower = (clock: Clock, redactor: Redactor): ProgressFollower => {
  const stream = createRedactingStream(redactor);
  let tail = "";
  let shownAt = Number.NEGATIVE_INFINITY;
  const startOver = (): void => {
    stream.end();
    tail = "";
  };
  const grow = (piece: string): Progress | undefined => {
    const more = stream.push(piece);
    if (more === "") return undefined;
    tail = (tail + more).slice(-2 * TAIL_CHARS);
    const now = clock.monotonic();
    if (now - shownAt < TEXT_EVERY_MS) return undefined;
    const line = tail.replaceAll(/\s+/gu, " ").trim();
    if (line === "") return undefined;
    shownAt = now;
    return { text: sliceCharacters(line, Math.max(0, line.length - TAIL_CHARS), line.length) };
  };
  return {
    follow: (event) => {
      switch (event.type) {
        case "text":
          return grow(event.delta);
        case "tool_started":
          startOver();
          return { tool: event.tool, summary: sliceCharacters(event.summary, 0, TAIL_CHARS) };
        case "retrying":
          startOver();
          return undefined;
        default:
          return undefined;
      }
    },
  };
};
