import type { Clock } from "../../base/clock.ts";
import type { ChatConfig } from "./chat-config.ts";
import type { ChatSession } from "./chat-session.ts";
import type { HistoryFile } from "./input/history-file.ts";

/** What the interactive chat is run with. Both streams must be terminals. */
export interface ChatOptions {
  readonly session: ChatSession;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly config: ChatConfig;
  readonly clock: Clock;
  /** The lines sent earlier, of this home. */
  readonly history: HistoryFile;
  /** The person's home directory: `~` in paths. */
  readonly userHome: string;
  /**
   * Aborts when the program is told to end (SIGTERM, SIGHUP): the terminal is restored and the session closed. The handler
   * must be set with `process.on`: one set with `once` is gone when Ink looks for it, and Ink then kills the process.
   */
  readonly signal?: AbortSignal;
  /** Stops the process until it is continued (`suspend-process`); absent = Ctrl+Z does nothing. */
  readonly suspendProcess?: (clock: Clock) => Promise<void>;
}
