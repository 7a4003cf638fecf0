import { describe, expect, test } from "vitest";
import type { CommandResult } from "../../commands/command.ts";
import type { ToolProgress } from "../../commands/display-settings.ts";
import { createChatDriver, toolFinished, toolStarted } from "../../testing/chat-driver.ts";
import { CHAT_CONFIG } from "../../testing/scripted-chat.ts";
import type { ChatAction, Effect, StepContext } from "./chat-action.ts";
import { initialState } from "./chat-state.ts";
import { step } from "./step.ts";

describe("a turn", () => {
  test("text before a tool call is final when the call begins", () => {
    const chat = createChatDriver();
    chat.say("hi");
    chat.event({ type: "text", delta: "I look" });
    expect(chat.lines()).toEqual(["user:hi"]);
    chat.event({ type: "tool_preparing", callId: "1", tool: "terminal" });
    expect(chat.lines()).toEqual(["user:hi", "answer:I look"]);
    chat.event(toolStarted("1"));
    expect(chat.state().turn?.tools.map((live) => live.summary)).toEqual(["terminal 1"]);
    chat.event({ type: "tool_output", callId: "1", text: "x".repeat(9000) });
    expect(chat.state().turn?.tools[0]?.output).toHaveLength(4000);
    chat.event(toolFinished("1"));
    chat.event({ type: "text", delta: "Done." });
    chat.over("completed", "Done.");
    expect(chat.lines()).toEqual(["user:hi", "answer:I look", "tool:terminal 1:ok", "answer:Done.", "end:completed"]);
    expect(chat.state().turn).toBeUndefined();
  });

  test("an answer that did not stream is shown from the last event, once", () => {
    const chat = createChatDriver();
    chat.say("hi");
    chat.over("completed", "whole answer");
    expect(chat.lines()).toContain("answer:whole answer");
    const streamed = createChatDriver();
    streamed.say("hi");
    streamed.event({ type: "text", delta: "whole answer" });
    streamed.over("completed", "whole answer");
    expect(streamed.lines().filter((line) => line.startsWith("answer"))).toEqual(["answer:whole answer"]);
  });

  test("what a failed call wrote is void: dropped where open, said where printed", () => {
    const open = createChatDriver();
    open.say("hi");
    open.event({ type: "text", delta: "half a sen" });
    open.event({ type: "retrying", attempt: 2, delayMs: 500, kind: "network", message: "connection lost" });
    open.event({ type: "text", delta: "A whole sentence." });
    open.over();
    expect(open.lines()).toEqual(["user:hi", "answer:A whole sentence.", "end:completed"]);
    const printed = createChatDriver();
    printed.say("hi");
    printed.event({ type: "text", delta: "one\n\ntwo\n" });
    printed.event({ type: "retrying", attempt: 2, delayMs: 500, kind: "network", message: "connection lost" });
    expect(printed.lines()).toEqual(["user:hi", "answer:one", "warning:The answer was cut off here; it begins again."]);
    expect(printed.state().turn?.activity).toEqual({
      kind: "retrying",
      attempt: 2,
      until: 1500,
      why: "connection lost",
    });
  });

  test("without streaming nothing of an answer is shown before its end", () => {
    const chat = createChatDriver({ streaming: false });
    chat.say("hi");
    chat.event({ type: "text", delta: "one\n\ntwo\n\nthree" });
    expect(chat.lines()).toEqual(["user:hi"]);
    chat.over("completed", "one\n\ntwo\n\nthree");
    expect(chat.lines()).toEqual(["user:hi", "answer:one", "answer:two", "answer:three", "end:completed"]);
  });

  test.each<[ToolProgress, string[]]>([
    ["off", ["tool:read_file 3:ok", "tool:terminal 4:error:verbose"]],
    ["new", ["tool:terminal 1:ok", "tool:read_file 3:ok", "tool:terminal 4:error:verbose"]],
    ["all", ["tool:terminal 1:ok", "tool:terminal 2:ok", "tool:read_file 3:ok", "tool:terminal 4:error:verbose"]],
    [
      "verbose",
      [
        "tool:terminal 1:ok:verbose",
        "tool:terminal 2:ok:verbose",
        "tool:read_file 3:ok:verbose",
        "tool:terminal 4:error:verbose",
      ],
    ],
  ])("display.tool_progress %s", (toolProgress, expected) => {
    const chat = createChatDriver({ toolProgress });
    chat.say("hi");
    for (const id of ["1", "2"]) {
      chat.event(toolStarted(id));
      chat.event(toolFinished(id));
    }
    chat.event(toolStarted("3", "read_file"));
    chat.event(toolFinished("3", { tool: "read_file", diff: "+x" }));
    chat.event(toolStarted("4"));
    chat.event(toolFinished("4", { outcome: "error" }));
    expect(chat.lines().slice(1)).toEqual(expected);
  });

  test("reasoning is kept for the person only where they want it", () => {
    for (const showReasoning of [true, false]) {
      const chat = createChatDriver({ showReasoning });
      chat.say("hi");
      chat.event({ type: "reasoning", delta: "hm " });
      chat.event({ type: "reasoning", delta: "yes" });
      chat.event({ type: "text", delta: "Yes." });
      chat.over();
      expect(chat.lines().includes("reasoning:hm yes")).toBe(showReasoning);
    }
  });

  test("a failure is said with what to do", () => {
    const chat = createChatDriver();
    chat.say("hi");
    chat.over("failed");
    expect(chat.printed.find((item) => item.kind === "notice")).toMatchObject({
      tone: "error",
      text: "bad key",
      hint: "hermes auth",
    });
    expect(chat.lines().at(-1)).toBe("end:failed");
  });

  test("a finished plan goes into the transcript, an open one stays", () => {
    const chat = createChatDriver();
    chat.say("hi");
    chat.event({ type: "todos", todos: [{ id: "1", content: "a", status: "in_progress" }] });
    expect(chat.state().todos).toHaveLength(1);
    chat.event({ type: "todos", todos: [{ id: "1", content: "a", status: "completed" }] });
    expect(chat.state().todos).toEqual([]);
    expect(chat.lines()).toContain("todos");
  });

  test("a session that throws is said, and the chat goes on", () => {
    const chat = createChatDriver();
    chat.say("hi");
    chat.act({ type: "turn_over", abandoned: false, error: "the lease was lost" });
    expect(chat.lines()).toEqual(["user:hi", "error:the lease was lost", "end:failed"]);
    chat.say("again");
    expect(chat.effects.at(-1)).toEqual({ kind: "send", text: "again" });
  });
});

describe("commands", () => {
  test("a line with a slash is a command, a path is a message; one at a time", () => {
    const chat = createChatDriver();
    chat.say("/help me");
    expect(chat.effects).toEqual([{ kind: "command", line: "/help me" }]);
    chat.say("/status");
    expect(chat.lines().at(-1)).toBe("warning:Another command is still being carried out.");
    chat.act({ type: "command_done", result: { kind: "text", text: "ok" } });
    expect(chat.lines().at(-1)).toBe("result");
    chat.say("/usr/bin/env is missing");
    expect(chat.effects.at(-1)).toEqual({ kind: "send", text: "/usr/bin/env is missing" });
  });

  test.each<[string, CommandResult, Effect[]]>([
    ["redraw", { kind: "redraw" }, [{ kind: "clear_screen" }, { kind: "show_past", shortened: true }]],
    ["cleared", { kind: "cleared", text: "new" }, [{ kind: "clear_screen" }]],
    ["resumed", { kind: "session_switched", text: "r", showHistory: true }, [{ kind: "show_past", shortened: true }]],
    ["submit", { kind: "submit", text: "again", place: "now" }, [{ kind: "send", text: "again" }]],
    ["copy", { kind: "copy", text: "x", note: "copied" }, [{ kind: "copy", text: "x" }]],
    ["exit", { kind: "exit" }, [{ kind: "exit" }]],
    ["error", { kind: "error", message: "no" }, []],
  ])("what %s makes happen", (_, result, effects) => {
    const chat = createChatDriver();
    chat.say("/x");
    chat.effects.length = 0;
    chat.act({ type: "command_done", result });
    expect(chat.effects).toEqual(effects);
    expect(chat.state().commandRunning).toBe(false);
  });

  test("a new session forgets what waited", () => {
    const chat = createChatDriver({ busyInputMode: "queue" });
    chat.say("one");
    chat.say("two");
    chat.act({ type: "command_done", result: { kind: "session_switched", text: "new", showHistory: false } });
    expect(chat.state().queue).toEqual([]);
  });

  test("a display setting takes effect at once", () => {
    const chat = createChatDriver();
    chat.act({ type: "command_done", result: { kind: "display", change: { busyInputMode: "queue" }, text: "ok" } });
    chat.say("one");
    chat.say("two");
    expect(chat.effects).toEqual([{ kind: "send", text: "one" }]);
  });

  test.each([
    ["o", [{ kind: "command", line: "/new", confirmed: "once" }]],
    ["a", [{ kind: "command", line: "/new", confirmed: "always" }]],
    ["c", []],
  ])("%s answers a confirmation", (letter, effects) => {
    const chat = createChatDriver();
    chat.say("/new");
    chat.act({ type: "command_done", result: { kind: "confirm", question: "Sure?", line: "/new" } });
    chat.effects.length = 0;
    chat.type(letter);
    expect(chat.effects).toEqual(effects);
    expect(chat.state().questions).toEqual([]);
  });
});

describe("the rest", () => {
  test("the history file is asked for with the first key, and Up waits for it", () => {
    const config = { ...CHAT_CONFIG };
    const context: StepContext = { now: 0, wall: 0, columns: 60, commands: [], options: { ...config, graceMs: 0 } };
    const up: ChatAction = {
      type: "key",
      key: { kind: "key", name: "up", letter: "", ctrl: false, alt: false, shift: false },
    };
    const first = step(initialState({ display: config, streaming: true }), up, context);
    expect(first.effects).toEqual([{ kind: "load_history" }]);
    const loaded = step(first.state, { type: "history_loaded", entries: ["old", "newer"] }, context);
    expect(loaded.state.editor.text).toBe("newer");
    expect(step(loaded.state, up, context).effects).toEqual([]);
  });

  test("paths that come late for other text are dropped", () => {
    const chat = createChatDriver();
    chat.type("@a");
    chat.press("tab");
    const [effect] = chat.effects;
    expect(effect).toMatchObject({ kind: "complete_path", target: { prefix: "@a" } });
    chat.type("b");
    chat.act({
      type: "candidates",
      target: { kind: "path", start: 0, prefix: "@a" },
      candidates: [{ insert: "@apple", label: "apple", note: "" }],
    });
    expect(chat.state().editor.text).toBe("@ab");
  });

  test("the bell rings and costs are shown where they are wanted", () => {
    const chat = createChatDriver({ bellOnComplete: true, showCost: true });
    chat.say("one");
    chat.over();
    expect(chat.effects.at(-1)).toEqual({ kind: "bell" });
    expect(chat.printed.at(-1)).toMatchObject({ kind: "turn_end", costUsd: 0.5 });
  });

  test("what is printed is forgotten", () => {
    const chat = createChatDriver();
    chat.say("one");
    for (let line = 0; line < 1000; line += 1) chat.event({ type: "text", delta: `p ${line}\n\n` });
    expect(chat.state().pending).toEqual([]);
    expect(JSON.stringify(chat.state()).length).toBeLessThan(3000);
  });
});
