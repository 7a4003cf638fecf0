import { createInterface } from "node:readline/promises";
import type { Clock } from "../../../base/clock.ts";
import type { SignInPerson, SignInStep } from "../../../llm/auth/sign-in/sign-in-person.ts";
import type { Output } from "../../output.ts";

/** What the terminal is used with. */
export interface TerminalPersonOptions {
  readonly label: string;
  readonly output: Output;
  readonly clock: Clock;
  readonly openBrowser: ((url: string) => boolean) | undefined;
}

/** The person at the terminal. Disposing ends the countdown and clears its line. */
export interface TerminalPerson extends SignInPerson, AsyncDisposable {}

/** Speaks on standard error; what is pasted is taken where both ends are a terminal. */
export const createTerminalPerson = (options: TerminalPersonOptions): TerminalPerson => {
  const { output, openBrowser } = options;
  const isPerson = output.isTerminal.stdin && output.isTerminal.stderr;
  const finished = new AbortController();
  let countdown: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    finished.abort();
    await countdown;
  };
  return {
    tell: (step) => {
      output.stderr(wordsOf(options, step));
      if (step.kind === "enter_code" && output.isTerminal.stderr) {
        countdown = countDown(options, step.lifetimeMs, finished.signal);
      }
      if (step.kind === "agreed") finished.abort();
    },
    ...(isPerson ? { paste: (signal) => takeLine(PASTE, signal) } : {}),
    ...(openBrowser === undefined ? {} : { openBrowser }),
    [Symbol.asyncDispose]: stop,
  };
};

const PASTE = "> ";

const wordsOf = ({ label, output }: TerminalPersonOptions, step: SignInStep): string => {
  const canPaste = output.isTerminal.stdin && output.isTerminal.stderr;
  switch (step.kind) {
    case "open_address": {
      const begin = step.opened
        ? `The browser opens for the sign-in to ${label}. If it does not, open this address:`
        : `Open this address to sign in to ${label}:`;
      return `${begin}\n\n${step.url}\n\n${endWords(step.waitsHere, canPaste)}`;
    }
    case "enter_code": {
      const begin = step.opened
        ? `The browser opens for the sign-in to ${label}. Check that it shows this code:`
        : `Open this address on any machine to sign in to ${label}, and enter the code:`;
      return `${begin}\n\n  ${step.url}\n  ${step.code}\n\n`;
    }
    case "unusable_paste":
      return `That is not the answer: ${step.why}.\n`;
    case "agreed":
      return "";
  }
};

const endWords = (waitsHere: boolean, canPaste: boolean): string => {
  if (!waitsHere) return "Then paste the code that is shown, or the address of the page that it ends on:\n";
  return canPaste
    ? "Its answer comes here by itself. From a browser on another machine, paste the address of the page that it ends on:\n"
    : "Its answer comes here by itself; Ctrl+C ends the waiting.\n";
};

const SECOND_MS = 1000;
const CLEAR_LINE = "\r\u001B[2K";

const minutesAndSeconds = (ms: number): string => {
  const seconds = Math.ceil(ms / SECOND_MS);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

/** Shows how long the code still holds, in one line that is written over. */
const countDown = async (
  { clock, output }: TerminalPersonOptions,
  lifetimeMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const end = clock.monotonic() + lifetimeMs;
  for (let left = lifetimeMs; left > 0 && !signal.aborted; left = end - clock.monotonic()) {
    output.stderr(`${CLEAR_LINE}Waiting for it; ${minutesAndSeconds(left)} left, Ctrl+C ends`);
    await clock.sleep(SECOND_MS, signal).catch(() => undefined); // it rejects with the end only
  }
  output.stderr(CLEAR_LINE);
};

/** Takes a line from the terminal. Ctrl+C means the whole program, as everywhere else. */
const takeLine = async (question: string, signal: AbortSignal): Promise<string | undefined> => {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: true, historySize: 0 });
  const ended = new AbortController();
  reader.once("close", () => ended.abort());
  // In raw mode the terminal hands the key over instead of sending the signal.
  reader.once("SIGINT", () => process.emit("SIGINT", "SIGINT"));
  try {
    return await reader.question(question, { signal: AbortSignal.any([signal, ended.signal]) });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof Error && thrown.name === "AbortError") return undefined;
    throw thrown;
  } finally {
    reader.close();
    if (signal.aborted) process.stderr.write("\n");
  }
};
