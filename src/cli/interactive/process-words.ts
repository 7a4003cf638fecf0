import { sliceCharacters } from "../../base/slice-characters.ts";
import type { ProcessEvent } from "../../tools/exec/process/process-events.ts";
import type { ChatNotification } from "../chat/chat-session.ts";

const MOST_TAIL_LINES = 5;
const MOST_COMMAND_CHARS = 80;

/** What became of a background process, for the person. */
export const processWords = (event: ProcessEvent): ChatNotification => {
  const name = `${event.id} (${oneLine(event.command)})`;
  switch (event.type) {
    case "exited":
      return {
        tone: event.code === 0 ? "info" : "warning",
        text: [`${name} ${exitWords(event.code, event.signal)}`, ...tailOf(event.tail)].join("\n"),
      };
    case "matched": {
      const before = event.suppressed > 0 ? ` (${event.suppressed} more before it)` : "";
      return { tone: "info", text: `${name} printed what matches "${event.pattern}"${before}:\n  ${event.line}` };
    }
    case "pattern_too_slow":
      return {
        tone: "warning",
        text: `${name}: the pattern "${event.pattern}" takes too long and is not looked for any more`,
      };
  }
};

const exitWords = (code: number | null, signal: string | null): string => {
  if (signal !== null) return `was ended by ${signal}`;
  if (code === 0) return "is done";
  return code === null ? "has ended" : `has failed with exit code ${code}`;
};

const tailOf = (tail: string): readonly string[] =>
  tail.trim() === ""
    ? []
    : tail
        .trimEnd()
        .split("\n")
        .slice(-MOST_TAIL_LINES)
        .map((line) => `  ${line}`);

/** A command as a name: its first line, cut. */
export const oneLine = (command: string): string => {
  const [first = ""] = command.trim().split("\n", 1);
  const isCut = first.length > MOST_COMMAND_CHARS || first !== command.trim();
  return isCut ? `${sliceCharacters(first, 0, MOST_COMMAND_CHARS)}…` : first;
};
