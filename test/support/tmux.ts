import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { systemClock } from "../../src/base/clock.ts";
import { createTempDirectory } from "../../src/testing/temp-home.ts";
import { cliEnvironment, LAUNCHER, type CliOptions } from "./cli.ts";

const execute = promisify(execFile);

/** Why tests in tmux cannot run here; undefined = they can. */
export const tmuxMissing = (): string | undefined =>
  spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0 ? undefined : "tmux is not installed";

/** The program in a real terminal: a window of a tmux server of its own. */
export interface TmuxWindow extends AsyncDisposable {
  /** Text as typed, character by character. */
  type(text: string): Promise<void>;
  /** A key by tmux's name: `Enter`, `C-c`, `Escape`, … */
  press(key: string): Promise<void>;
  /** Text as pasted, between the marks of bracketed paste where the program has asked for them. */
  paste(text: string): Promise<void>;
  resize(size: { readonly columns: number; readonly rows: number }): Promise<void>;
  /** The rows of the window. */
  screen(): Promise<readonly string[]>;
  /** Everything that was printed and is kept, lines that the terminal wrapped put together. */
  everything(): Promise<string>;
  /** Resolves when what was printed is as wanted. Fails after 20 s, showing it. */
  waitFor(wanted: (text: string) => boolean): Promise<void>;
  waitForText(text: string): Promise<void>;
}

export interface TmuxOptions extends CliOptions {
  readonly columns?: number;
  readonly rows?: number;
}

const DEADLINE_MS = 20_000;
const LOOK_EVERY_MS = 50;
const SERVER = "hermes-test";
const WINDOW = "chat";

/** Starts the built program with these arguments; its exit code is printed as `EXIT=code` when it ends. */
export const startInTmux = async (args: readonly string[], options: TmuxOptions): Promise<TmuxWindow> => {
  const directory = createTempDirectory();
  const environment = { ...cliEnvironment(options), TMUX_TMPDIR: directory.path };
  const tmux = async (...words: readonly string[]): Promise<string> => {
    const { stdout } = await execute("tmux", ["-u", "-L", SERVER, ...words], {
      env: environment,
      cwd: options.cwd ?? options.home,
    });
    return stdout;
  };
  const { columns = 80, rows = 30 } = options;
  const script = 'node=$1; shift; "$node" "$@"; echo "EXIT=$?"; read -r _';
  const size = ["-x", String(columns), "-y", String(rows)];
  const program = ["sh", "-c", script, "sh", process.execPath, LAUNCHER, ...args];
  await tmux("-f", "/dev/null", "new-session", "-d", "-s", WINDOW, ...size, ...program);
  const everything = (): Promise<string> => tmux("capture-pane", "-p", "-J", "-S", "-", "-t", WINDOW);
  const waitFor: TmuxWindow["waitFor"] = async (wanted) => {
    using deadline = systemClock.deadline(DEADLINE_MS);
    for (;;) {
      const text = await everything();
      if (wanted(text)) return;
      if (deadline.signal.aborted) throw new Error(`The terminal did not become as wanted:\n${text}`);
      await systemClock.sleep(LOOK_EVERY_MS);
    }
  };
  return {
    type: async (text) => void (await tmux("send-keys", "-l", "-t", WINDOW, "--", text)),
    press: async (key) => void (await tmux("send-keys", "-t", WINDOW, key)),
    paste: async (text) => {
      await tmux("set-buffer", "-b", "pasted", "--", text);
      await tmux("paste-buffer", "-p", "-r", "-b", "pasted", "-t", WINDOW);
    },
    resize: async (size) =>
      void (await tmux("resize-window", "-t", WINDOW, "-x", String(size.columns), "-y", String(size.rows))),
    screen: async () => (await tmux("capture-pane", "-p", "-t", WINDOW)).split("\n"),
    everything,
    waitFor,
    waitForText: (text) => waitFor((printed) => printed.includes(text)),
    [Symbol.asyncDispose]: async () => {
      // The server of this socket is ours; it may have ended with its only window.
      await tmux("kill-server").catch(() => undefined);
      await directory[Symbol.asyncDispose]();
    },
  };
};
