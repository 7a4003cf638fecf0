import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ExitCode } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { CHAT_CONFIG, createScriptedChat, type ScriptedChat } from "../../testing/scripted-chat.ts";
import { createVirtualTerminal, type VirtualTerminal } from "../../testing/virtual-terminal.ts";
import type { ChatConfig } from "./chat-config.ts";
import { createHistoryFile } from "./input/history-file.ts";
import { runChat } from "./run-chat.ts";

interface Opened {
  readonly chat: ScriptedChat;
  readonly terminal: VirtualTerminal;
  readonly ended: Promise<ExitCode>;
  readonly stop: AbortController;
}

let home = "";
const opened: Opened[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "hermes-chat-"));
});

afterEach(async () => {
  for (const { stop, ended } of opened.splice(0)) {
    stop.abort();
    await ended;
  }
  await rm(home, { recursive: true });
});

const open = (
  options: {
    readonly columns?: number;
    readonly rows?: number;
    readonly config?: Partial<ChatConfig>;
    readonly chat?: ScriptedChat;
  } = {},
): Opened => {
  const chat = options.chat ?? createScriptedChat();
  const terminal = createVirtualTerminal({ columns: options.columns ?? 60, rows: options.rows ?? 20 });
  const stop = new AbortController();
  const ended = runChat({
    session: chat,
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    config: { ...CHAT_CONFIG, ...options.config },
    clock: systemClock,
    history: createHistoryFile({
      path: join(home, "history"),
      redact: (text) => text.replaceAll("sk-secret", "«secret»"),
    }),
    userHome: home,
    signal: stop.signal,
  });
  const result = { chat, terminal, ended, stop };
  opened.push(result);
  return result;
};

/** Opens a chat and starts a turn. */
const inTurn = async (options: Parameters<typeof open>[0] = {}): Promise<Opened> => {
  const result = open(options);
  await result.terminal.waitForText("❯");
  result.terminal.type("do it");
  await result.terminal.waitForText("do it");
  result.terminal.press("enter");
  await result.terminal.waitForText("Working");
  return result;
};

describe("R-TUI-1: hermes is an interactive chat", () => {
  test("R-TUI-1 a message is sent, its answer streams, and the finished answer stays above the input", async () => {
    const { chat, terminal } = await inTurn();
    expect(chat.sent).toEqual(["do it"]);
    chat.emit({ type: "text", delta: "First **para" });
    await terminal.waitForText("First **para");
    chat.emit({ type: "text", delta: "graph**.\n\nSecond" });
    await terminal.waitForText("Second");
    expect(terminal.screen().join("\n")).toContain("First paragraph.");
    chat.finish();
    await terminal.waitFor((screen) => !screen.join("\n").includes("Working"));
    const screen = terminal.screen();
    const answer = screen.indexOf("First paragraph.");
    expect(screen.slice(answer, answer + 3)).toEqual(["First paragraph.", "", "Second"]);
    expect(terminal.everything().filter((line) => line === "First paragraph.")).toHaveLength(1);
    expect(screen.findIndex((line) => line === "❯")).toBeGreaterThan(answer);
  });

  test("R-TUI-1 /quit leaves, the terminal is as it was, the session is closed", async () => {
    const { chat, terminal, ended } = open();
    await terminal.waitForText("Hermes");
    expect(terminal.isRaw()).toBe(true);
    terminal.type("/quit");
    await terminal.waitForText("❯ /quit");
    terminal.press("enter");
    expect(await ended).toBe(0);
    expect(terminal.isRaw()).toBe(false);
    expect(terminal.cursorIsVisible()).toBe(true);
    expect(terminal.raw()).toContain("\u001B[?2004l");
    // What was said stays, the input box and the status line do not.
    expect(terminal.everything().join("\n")).toContain("Hermes · acme:brain-1");
    expect(terminal.screen().join("\n")).not.toContain("brain-1 · /tmp ·");
    expect(chat.isClosed()).toBe(true);
  });

  test("R-TUI-1 Ctrl+C stops the turn; a second one waits no longer; on nothing it asks, then leaves", async () => {
    const chat = createScriptedChat();
    chat.stopsOnAbort = false;
    const { terminal, ended } = await inTurn({ chat });
    terminal.press("ctrl+c");
    await terminal.waitForText("Stopping…");
    expect(chat.interrupts()).toBe(1);
    terminal.press("ctrl+c");
    await terminal.waitForText("No longer waited for");
    // What the abandoned turn still says is not shown.
    chat.emit({ type: "text", delta: "late words\n\n" });
    terminal.type("half");
    await terminal.waitForText("❯ half");
    expect(terminal.everything().join("\n")).not.toContain("late words");
    terminal.press("ctrl+c");
    await terminal.waitFor((screen) => screen.includes("❯"));
    terminal.press("ctrl+c");
    await terminal.waitForText("Press Ctrl+C again to leave");
    terminal.press("ctrl+c");
    expect(await ended).toBe(0);
  });

  test("R-TUI-1 Ctrl+D on an empty line leaves; a hang-up does too; SIGTERM's abort ends with 130", async () => {
    const first = open();
    await first.terminal.waitForText("Hermes");
    first.terminal.press("ctrl+d");
    expect(await first.ended).toBe(0);
    const second = open();
    await second.terminal.waitForText("Hermes");
    second.terminal.hangUp();
    expect(await second.ended).toBe(0);
    const third = await inTurn();
    third.stop.abort();
    expect(await third.ended).toBe(130);
    expect(third.terminal.isRaw()).toBe(false);
    expect(third.chat.interrupts()).toBe(1);
  });

  test("R-TUI-1 an approval is shown as it is and answered with one key", async () => {
    const { chat, terminal } = await inTurn();
    chat.emit({ type: "tool_started", callId: "c1", tool: "terminal", arguments: {}, summary: "$ rm -rf build" });
    chat.emit({
      type: "approval_requested",
      approvalId: "a1",
      callId: "c1",
      action: "command",
      subject: "rm -rf build\u001B[2K",
      reasons: ["deletes files recursively"],
      alwaysCovers: "rm -rf",
      timeoutMs: 60_000,
    });
    await terminal.waitForText("[o]nce  [s]ession  [a]lways  [d]eny");
    const shown = terminal.screen().join("\n");
    expect(shown).toContain("┃ rm -rf build\\x1b[2K");
    expect(shown).toContain("┃ ! deletes files recursively");
    // A letter within the first half second goes to the input box: it was meant for it.
    await terminal.waitForText("denied in 59s");
    terminal.type("s");
    await terminal.waitForText("Allowed for this session: rm -rf build");
    expect(chat.approvals).toEqual([{ id: "a1", answer: "session" }]);
    chat.emit({ type: "tool_finished", callId: "c1", tool: "terminal", outcome: "ok", durationMs: 1200, text: "" });
    await terminal.waitForText("✓ $ rm -rf build 1.2s");
  });

  test("R-TUI-1 a message while a turn runs interrupts it, and is sent as the next turn", async () => {
    const { chat, terminal } = await inTurn();
    terminal.type("no, that");
    await terminal.waitForText("❯ no, that");
    terminal.press("enter");
    await terminal.waitForText("Interrupted");
    await terminal.waitForText("❯ no, that");
    expect(chat.sent).toEqual(["do it", "no, that"]);
  });

  test("R-TUI-1 in queue mode messages wait in order and are seen waiting", async () => {
    const { chat, terminal } = await inTurn({ config: { busyInputMode: "queue" } });
    for (const text of ["second", "third"]) {
      terminal.type(text);
      await terminal.waitForText(`❯ ${text}`);
      terminal.press("enter");
      await terminal.waitForText(`queued › ${text}`);
    }
    expect(terminal.screen().at(-1) ?? "").toBeDefined();
    await terminal.waitForText("2 queued");
    chat.finish();
    await terminal.waitForText("1 queued");
    expect(chat.sent).toEqual(["do it", "second"]);
    chat.finish();
    await terminal.waitFor((screen) => !screen.join("\n").includes("queued"));
    expect(chat.sent).toEqual(["do it", "second", "third"]);
  });

  test("R-TUI-1 slash commands complete, list what fits, and show their results", async () => {
    const { chat, terminal } = open();
    await terminal.waitForText("❯");
    terminal.type("/h");
    await terminal.waitForText("/history  does history");
    terminal.press("tab");
    terminal.press("tab");
    terminal.press("tab");
    await terminal.waitForText("❯ /history");
    terminal.press("enter");
    await terminal.waitForText("ran /history");
    expect(chat.ran).toEqual(["/history"]);
  });

  test("R-TUI-1 a destructive command asks; cancel runs nothing", async () => {
    const chat = createScriptedChat();
    chat.onCommand = (line, confirmed) =>
      confirmed === undefined
        ? { kind: "confirm", question: "Start a new session?", line }
        : { kind: "session_switched", text: "New session", showHistory: false };
    const { terminal } = open({ chat });
    await terminal.waitForText("❯");
    const ask = async (): Promise<void> => {
      terminal.type("/new");
      await terminal.waitForText("❯ /new");
      terminal.press("enter");
      await terminal.waitForText("[c]ancel");
    };
    await ask();
    terminal.press("escape");
    await terminal.waitFor((screen) => !screen.join("\n").includes("[c]ancel"));
    await ask();
    terminal.type("a");
    await terminal.waitForText("New session");
    expect(chat.ran).toEqual(["/new", "/new", "/new (always)"]);
  });

  test("R-TUI-1 a paste of many lines is a label until it is sent", async () => {
    const { chat, terminal } = open();
    await terminal.waitForText("❯");
    const pasted = Array.from({ length: 120 }, (_, line) => `line ${line}`).join("\n");
    terminal.type("look: ");
    terminal.paste(pasted);
    await terminal.waitForText("❯ look: [pasted 120 lines]");
    terminal.press("enter");
    await terminal.waitForText("Working");
    expect(chat.sent).toEqual([`look: ${pasted}`]);
    expect(terminal.screen().join("\n")).toContain("more lines");
  });

  test("R-TUI-1 a short paste is text, and does not send itself", async () => {
    const { chat, terminal } = open();
    await terminal.waitForText("❯");
    terminal.paste("one\ntwo\n");
    await terminal.waitForText("two");
    expect(chat.sent).toEqual([]);
    terminal.press("enter");
    await terminal.waitForText("Working");
    expect(chat.sent).toEqual(["one\ntwo"]);
  });

  test("B65 Chinese text is edited by characters, and the cursor stands on the right column", async () => {
    const { chat, terminal } = open();
    await terminal.waitForText("❯");
    terminal.type("潮汐记录");
    await terminal.waitForText("❯ 潮汐记录");
    terminal.press("left");
    terminal.press("backspace");
    await terminal.waitForText("❯ 潮汐录");
    expect(terminal.cursor().column).toBe(2 + 4);
    terminal.press("enter");
    await terminal.waitForText("Working");
    expect(chat.sent).toEqual(["潮汐录"]);
  });

  test("B65 resized in the middle of an answer to 20 columns and back, everything still fits and nothing is lost", async () => {
    const { chat, terminal } = await inTurn({ columns: 70, rows: 16 });
    chat.emit({
      type: "text",
      delta: "一段很长的中文文字 mixed with English words that must be wrapped at any width\n\nsecond block",
    });
    await terminal.waitForText("second block");
    terminal.resize({ columns: 20, rows: 12 });
    await terminal.waitForText("second block");
    chat.emit({ type: "text", delta: " goes on 👨‍👩‍👧 with emoji and 汉字汉字汉字汉字\n\n" });
    await terminal.waitForText("汉字");
    terminal.resize({ columns: 70, rows: 16 });
    chat.finish();
    await terminal.waitFor((screen) => !screen.join("\n").includes("Working"));
    expect(terminal.screen().join("\n")).toContain("❯");
    expect(terminal.everything().join("").replaceAll(/\s/gu, "")).toContain("mustbewrappedatanywidth");
  });

  test("a background process that ends is told at any time", async () => {
    const { chat, terminal } = open();
    await terminal.waitForText("❯");
    chat.notify({ tone: "info", text: "proc_1 (npm test) ended with 0" });
    await terminal.waitForText("proc_1 (npm test) ended with 0");
  });

  test("what was sent is found again in the next session, without secrets, in a private file", async () => {
    const { chat, terminal, ended } = await inTurn();
    const isIdle = (screen: string[]): boolean => !screen.join("\n").includes("Working");
    chat.finish();
    await terminal.waitFor(isIdle);
    terminal.type("key sk-secret");
    await terminal.waitForText("❯ key sk-secret");
    terminal.press("enter");
    await terminal.waitForText("Working");
    chat.finish();
    await terminal.waitFor(isIdle);
    terminal.press("ctrl+d");
    await ended;
    const path = join(home, "history");
    expect((await readFile(path, "utf8")).split("\n")).toEqual(['"do it"', '"key «secret»"', ""]);
    if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
    const next = open();
    await next.terminal.waitForText("❯");
    next.terminal.press("up");
    await next.terminal.waitForText("❯ key «secret»");
    next.terminal.press("up");
    await next.terminal.waitForText("❯ do it");
    next.terminal.press("down");
    next.terminal.press("down");
    await next.terminal.waitFor((screen) => screen.includes("❯"));
    next.terminal.press("ctrl+r");
    next.terminal.type("do");
    await next.terminal.waitForText("search: do → do it");
    next.terminal.press("enter");
    await next.terminal.waitForText("❯ do it");
  });

  test("@path completes from the working directory", async () => {
    await writeFile(join(home, "notes-潮汐.md"), "");
    const chat = createScriptedChat();
    chat.facts = { ...chat.facts, cwd: home };
    const { terminal } = open({ chat });
    await terminal.waitForText("❯");
    terminal.type("see @no");
    await terminal.waitForText("❯ see @no");
    terminal.press("tab");
    await terminal.waitForText("❯ see @notes-潮汐.md");
  });

  test("a long session keeps nothing that is printed", async () => {
    const { chat, terminal } = await inTurn();
    for (let line = 0; line < 500; line += 1) chat.emit({ type: "text", delta: `paragraph ${line}\n\n` });
    chat.finish();
    await terminal.waitForText("paragraph 499");
    const printed = terminal.everything().filter((line) => /^paragraph \d+$/u.test(line));
    expect(printed).toEqual(Array.from({ length: 500 }, (_, line) => `paragraph ${line}`));
  });
});
