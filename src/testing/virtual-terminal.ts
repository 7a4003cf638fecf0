import { EventEmitter, once } from "node:events";
import { PassThrough } from "node:stream";
import { Terminal } from "@xterm/headless";
import { systemClock } from "../base/clock.ts";

/** Keys by name, as a terminal sends them. */
const KEYS = {
  enter: "\r",
  "ctrl+j": "\n",
  "alt+enter": "\u001B\r",
  tab: "\t",
  "shift+tab": "\u001B[Z",
  escape: "\u001B",
  backspace: "\u007F",
  delete: "\u001B[3~",
  up: "\u001B[A",
  down: "\u001B[B",
  right: "\u001B[C",
  left: "\u001B[D",
  home: "\u001B[H",
  end: "\u001B[F",
  "ctrl+left": "\u001B[1;5D",
  "ctrl+right": "\u001B[1;5C",
  "ctrl+a": "\u0001",
  "ctrl+c": "\u0003",
  "ctrl+d": "\u0004",
  "ctrl+e": "\u0005",
  "ctrl+k": "\u000B",
  "ctrl+l": "\u000C",
  "ctrl+r": "\u0012",
  "ctrl+u": "\u0015",
  "ctrl+w": "\u0017",
  "ctrl+y": "\u0019",
  "ctrl+z": "\u001A",
} as const;

/** A key that `press` knows. */
export type TerminalKey = keyof typeof KEYS;

/** A terminal without a screen: a program draws on `stdout` and reads from `stdin`, a test sees what a person would. */
export interface VirtualTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** The rows of the window now, without spaces at their ends. */
  screen(): string[];
  /** Everything that was ever printed and is still kept: the scrollback and the window. */
  everything(): string[];
  /** Where the cursor stands in the window. */
  cursor(): { readonly row: number; readonly column: number };
  /** Characters as typed. */
  type(text: string): void;
  /** Text as pasted: between the marks of bracketed paste, if the program has asked for them. */
  paste(text: string): void;
  press(key: TerminalKey): void;
  /** Another size; the program is told. */
  resize(size: { readonly columns: number; readonly rows: number }): void;
  /** Closes the input, as a terminal that goes away does. */
  hangUp(): void;
  /** Resolves as soon as the screen is as wanted, looking after everything that is drawn. Fails after 10 s, showing the screen. */
  waitFor(wanted: (screen: string[]) => boolean): Promise<void>;
  /** Resolves when text that holds `text` is on the screen. */
  waitForText(text: string): Promise<void>;
  /** All bytes that were written, for looking at sequences. */
  raw(): string;
  readonly isRaw: () => boolean;
  readonly cursorIsVisible: () => boolean;
}

const WAIT_MS = 10_000;

/** Makes a terminal of a size. */
export const createVirtualTerminal = (size: { readonly columns: number; readonly rows: number }): VirtualTerminal => {
  const terminal = new Terminal({
    cols: size.columns,
    rows: size.rows,
    allowProposedApi: true,
    convertEol: true,
    scrollback: 50_000,
  });
  const drawn = new EventEmitter();
  drawn.setMaxListeners(0);
  let written = "";
  let raw = false;

  const stdout = new PassThrough();
  stdout.on("data", (chunk: Buffer) => {
    const text = chunk.toString("utf8");
    written += text;
    terminal.write(text, () => drawn.emit("drawn"));
  });
  const stdin = new PassThrough();
  const input = Object.assign(stdin, {
    isTTY: true,
    setRawMode: (mode: boolean) => {
      raw = mode;
      return input;
    },
    ref: () => input,
    unref: () => input,
  });
  const output = Object.assign(stdout, { isTTY: true, columns: size.columns, rows: size.rows });

  const rowsFrom = (first: number, count: number): string[] =>
    Array.from(
      { length: count },
      (_, row) => terminal.buffer.active.getLine(first + row)?.translateToString(true) ?? "",
    );
  const screen = (): string[] => rowsFrom(terminal.buffer.active.baseY, terminal.rows);

  const waitFor = async (wanted: (screen: string[]) => boolean): Promise<void> => {
    using deadline = systemClock.deadline(WAIT_MS);
    while (!wanted(screen())) {
      try {
        await once(drawn, "drawn", { signal: deadline.signal });
      } catch {
        throw new Error(`The screen did not become as wanted:\n${screen().join("\n")}`);
      }
    }
  };

  return {
    // The parts of a terminal's streams that programs use are there; the rest of their types is not.
    stdin: input as unknown as NodeJS.ReadStream,
    stdout: output as unknown as NodeJS.WriteStream,
    screen,
    everything: () => rowsFrom(0, terminal.buffer.active.length),
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    type: (text) => stdin.write(text),
    paste: (text) => stdin.write(terminal.modes.bracketedPasteMode ? `\u001B[200~${text}\u001B[201~` : text),
    press: (key) => stdin.write(KEYS[key]),
    resize: ({ columns, rows }) => {
      terminal.resize(columns, rows);
      Object.assign(output, { columns, rows });
      stdout.emit("resize");
    },
    hangUp: () => stdin.end(),
    waitFor,
    waitForText: (text) => waitFor((rows) => rows.join("\n").includes(text)),
    raw: () => written,
    isRaw: () => raw,
    cursorIsVisible: () => written.lastIndexOf("\u001B[?25h") >= written.lastIndexOf("\u001B[?25l"),
  };
};
