import type { ExitCode } from "../../base/app-error.ts";
import { createChatController } from "./chat-controller.ts";
import type { ChatOptions } from "./chat-options.ts";
import { createPalette } from "./palette.ts";
import type { TerminalActions } from "./perform-effect.ts";
import { runPlainChat } from "./plain-chat.ts";
import { untilLeft } from "./until-left.ts";

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
  const { session, stdin, stdout, config, clock, userHome } = options;
  // React and Ink take long to load; nothing else of the program pays for them.
  const [{ render }, { createChatApp }] = await Promise.all([import("ink"), import("./chat-app.tsx")]);
  const screen: Screen = { clear: () => undefined, suspend: (during) => during() };
  const controller = createChatController({
    session,
    config,
    clock,
    history: options.history,
    userHome,
    columns: () => stdout.columns,
    graceMs: KEY_GRACE_MS,
    terminal: terminalActions(options, screen),
  });
  const app = createChatApp({
    controller,
    session,
    clock,
    view: { palette: createPalette(config.colour), config, userHome },
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
