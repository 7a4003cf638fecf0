import { homedir } from "node:os";
import type { ExitCode } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { ChatConfig } from "./chat-config.ts";
import { createChatController } from "./chat-controller.ts";
import type { ChatSession } from "./chat-session.ts";
import type { HistoryFile } from "./input/history-file.ts";
import { createPalette } from "./palette.ts";
import type { TerminalActions } from "./perform-effect.ts";
import { runPlainChat } from "./plain-chat.ts";
import { untilLeft } from "./until-left.ts";

/** What the interactive chat is run with. Both streams must be terminals. */
export interface ChatOptions {
  readonly session: ChatSession;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly config: ChatConfig;
  readonly clock: Clock;
  /** The lines sent earlier, of this home. */
  readonly history: HistoryFile;
  /**
   * Aborts when the program is told to end (SIGTERM, SIGHUP): the terminal is restored and the session closed. The handler
   * must be set with `process.on`: one set with `once` is gone when Ink looks for it, and Ink then kills the process.
   */
  readonly signal?: AbortSignal;
  /** Stops the process until it is continued (`suspend-process`); absent = Ctrl+Z does nothing. */
  readonly suspendProcess?: (clock: Clock) => Promise<void>;
}

/**
 * Talks with the person until they leave, then closes the session. The terminal is restored however it ends.
 * Answers 0, or 130 where `signal` ended it. Throws only what drawing throws.
 */
export const runChat = async (options: ChatOptions): Promise<ExitCode> => {
  const { signal } = options;
  await (options.config.drawable ? runInkChat(options) : runPlainChat(options));
  return signal?.aborted === true ? 130 : 0;
};

/** A chat on a terminal that can move its cursor. */
const runInkChat = async (options: ChatOptions): Promise<void> => {
  const { session, stdin, stdout, config, clock } = options;
  // React and Ink take long to load; nothing else of the program pays for them.
  const [{ render }, { createElement }, { ChatApp }] = await Promise.all([
    import("ink"),
    import("react"),
    import("./chat-app.tsx"),
  ]);
  const screen: Screen = { clear: () => undefined, suspend: (during) => during() };
  const controller = createChatController({
    session,
    config,
    clock,
    history: options.history,
    userHome: homedir(),
    columns: () => stdout.columns,
    graceMs: KEY_GRACE_MS,
    terminal: terminalActions(options, screen),
  });
  const app = createElement(ChatApp, {
    controller,
    session,
    clock,
    view: { palette: createPalette(config.colour), config, userHome: homedir() },
    openedAt: clock.monotonic(),
    onReady: (suspend) => {
      screen.suspend = suspend;
    },
  });
  const ink = render(app, { stdin, stdout, exitOnCtrlC: false, patchConsole: false, interactive: true });
  screen.clear = ink.clear;
  try {
    await controller.start();
    await untilLeft(controller, options, ink.waitUntilExit());
    await ink.waitUntilRenderFlush();
  } finally {
    // What was said stays on the screen, the input box does not.
    ink.clear();
    ink.unmount();
    await controller.close();
  }
};

/** What Ink owns of the terminal, once it runs. */
interface Screen {
  clear: () => void;
  suspend: (during: () => Promise<void>) => Promise<void>;
}

/** Letters pressed this soon after an approval question appeared were meant for the input box. */
const KEY_GRACE_MS = 500;
// Only what is visible: the scrollback holds what the person did before.
const CLEAR_SCREEN = "\u001B[2J\u001B[H";

/** The clipboard of the terminal's own machine, also over SSH (OSC 52). */
const clipboardSequence = (text: string): string => `\u001B]52;c;${Buffer.from(text).toString("base64")}\u0007`;

const terminalActions = ({ stdout, clock, suspendProcess }: ChatOptions, screen: Screen): TerminalActions => ({
  clearScreen: () => {
    screen.clear();
    stdout.write(CLEAR_SCREEN);
  },
  copy: (text) => {
    stdout.write(clipboardSequence(text));
  },
  bell: () => {
    stdout.write("\u0007");
  },
  suspend: async () => {
    if (suspendProcess !== undefined) await screen.suspend(() => suspendProcess(clock));
  },
});
