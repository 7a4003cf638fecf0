import { describe, expect, test } from "vitest";
import type { AgentEventBody } from "../../agent/event.ts";
import type { BusyInputMode } from "../../commands/display-settings.ts";
import { approvalRequested, createChatDriver } from "../../testing/chat-driver.ts";
import type { Effect } from "./chat-action.ts";

describe("messages while a turn runs (compat §4.7)", () => {
  test.each<[BusyInputMode, Effect[], string[]]>([
    ["interrupt", [{ kind: "interrupt" }], ["two", "three"]],
    ["queue", [], ["two", "three"]],
    [
      "steer",
      [
        { kind: "steer", text: "two" },
        { kind: "steer", text: "three" },
      ],
      [],
    ],
  ])("%s", (busyInputMode, effects, queued) => {
    const chat = createChatDriver({ busyInputMode });
    chat.say("one");
    chat.effects.length = 0;
    chat.say("two");
    chat.say("three");
    expect(chat.effects).toEqual(effects);
    expect(chat.state().queue.map((message) => message.text)).toEqual(queued);
  });

  test("messages that interrupted go together as one turn, queued ones one by one", () => {
    const chat = createChatDriver();
    chat.say("one");
    chat.say("two");
    chat.say("three");
    chat.act({ type: "command_done", result: { kind: "submit", text: "queued", place: "queue" } });
    chat.effects.length = 0;
    chat.over("interrupted");
    expect(chat.effects).toEqual([{ kind: "send", text: "two\n\nthree" }]);
    chat.over();
    expect(chat.effects.at(-1)).toEqual({ kind: "send", text: "queued" });
    chat.over();
    expect(chat.effects).toHaveLength(2);
  });

  test("a steer that no turn takes waits for its own", () => {
    const chat = createChatDriver({ busyInputMode: "steer" });
    chat.say("one");
    chat.act({ type: "steer_refused", text: "two" });
    expect(chat.state().queue).toEqual([{ text: "two", joins: false }]);
    chat.over();
    chat.over();
    chat.act({ type: "steer_refused", text: "late" });
    expect(chat.effects.at(-1)).toEqual({ kind: "send", text: "late" });
  });

  test("Ctrl+C stops everything: what waited is in the input box again, before what was being written", () => {
    const chat = createChatDriver({ busyInputMode: "queue" });
    chat.say("one");
    chat.say("two");
    chat.say("three");
    chat.type("four");
    chat.press("ctrl+c");
    chat.over("interrupted");
    expect(chat.effects.filter((effect) => effect.kind === "send")).toHaveLength(1);
    expect(chat.state().queue).toEqual([]);
    expect(chat.state().editor.text).toBe("two\n\nthree\n\nfour");
  });

  test("after a failure nothing more is sent by itself", () => {
    const chat = createChatDriver({ busyInputMode: "queue" });
    chat.say("one");
    chat.say("two");
    chat.over("failed");
    expect(chat.state().editor.text).toBe("two");
    expect(chat.effects.filter((effect) => effect.kind === "send")).toHaveLength(1);
  });
});

describe("Ctrl+C, Ctrl+D, Esc", () => {
  test("once interrupts, twice abandons; a message that interrupted is still sent", () => {
    const chat = createChatDriver();
    chat.say("one");
    chat.press("ctrl+c");
    expect(chat.state().turn?.phase).toBe("interrupting");
    chat.press("ctrl+c");
    expect(chat.effects.slice(1)).toEqual([{ kind: "interrupt" }, { kind: "abandon" }]);
    chat.act({ type: "turn_over", abandoned: true });
    expect(chat.lines().at(-1)).toBe("end:abandoned");
    chat.say("two");
    chat.say("three");
    chat.press("ctrl+c");
    chat.act({ type: "turn_over", abandoned: true });
    expect(chat.effects.at(-1)).toEqual({ kind: "send", text: "three" });
  });

  test("clears the text of an earlier line, and the next step back is the newest line again", () => {
    const chat = createChatDriver();
    for (const text of ["one", "two", "three"]) {
      chat.say(text);
      chat.over();
    }
    chat.act({ type: "history_loaded", entries: [] });
    for (const _ of ["three", "two"]) chat.press("up");
    expect(chat.state().editor.text).toBe("two");
    chat.press("ctrl+c");
    chat.press("up");
    expect(chat.state().editor.text).toBe("three");
  });

  test("clears the text (it can be yanked), then warns, then leaves; any key between takes the warning back", () => {
    const chat = createChatDriver();
    chat.type("text");
    chat.press("ctrl+c");
    expect(chat.state().editor.text).toBe("");
    chat.press("ctrl+y");
    expect(chat.state().editor.text).toBe("text");
    chat.press("ctrl+c");
    chat.press("ctrl+c");
    expect(chat.state().leaving).toBe(true);
    chat.press("left");
    expect(chat.state().leaving).toBe(false);
    chat.press("ctrl+c");
    expect(chat.effects).toEqual([]);
    chat.press("ctrl+c");
    expect(chat.effects).toEqual([{ kind: "exit" }]);
  });

  test("Ctrl+D leaves only with nothing written and nothing running", () => {
    const chat = createChatDriver();
    chat.type("ab");
    chat.press("home");
    chat.press("ctrl+d");
    expect(chat.state().editor.text).toBe("b");
    chat.press("ctrl+d");
    chat.say("x");
    chat.press("ctrl+d");
    expect(chat.effects.some((effect) => effect.kind === "exit")).toBe(false);
    chat.over();
    chat.press("ctrl+d");
    expect(chat.effects.at(-1)).toEqual({ kind: "exit" });
  });

  test("Esc interrupts, but does not abandon", () => {
    const chat = createChatDriver();
    chat.say("one");
    chat.press("escape");
    chat.press("escape");
    expect(chat.effects.slice(1)).toEqual([{ kind: "interrupt" }]);
  });
});

describe("questions", () => {
  test.each([
    ["o", "once"],
    ["y", "once"],
    ["S", "session"],
    ["a", "always"],
    ["d", "deny"],
    ["n", "deny"],
  ])("%s answers an approval with %s", (letter, answer) => {
    const chat = createChatDriver();
    chat.say("one");
    chat.event({ ...approvalRequested("a1"), alwaysCovers: "rm" } as AgentEventBody);
    chat.wait(600);
    chat.type(letter);
    expect(chat.effects.at(-1)).toEqual({ kind: "answer_approval", id: "a1", answer });
    expect(chat.state().editor.text).toBe("");
  });

  test.each(["s", "a"])("%s is no answer where nothing could be remembered", (letter) => {
    const chat = createChatDriver();
    chat.say("one");
    chat.event(approvalRequested("a1"));
    chat.wait(600);
    chat.type(letter);
    expect(chat.effects.some((effect) => effect.kind === "answer_approval")).toBe(false);
    expect(chat.state().editor.text).toBe(letter);
  });

  test("a letter right after the question, or while something is written, is no answer", () => {
    const chat = createChatDriver();
    chat.say("one");
    chat.event(approvalRequested("a1"));
    chat.wait(400);
    chat.type("o");
    chat.wait(400);
    chat.type("o");
    expect(chat.effects.some((effect) => effect.kind === "answer_approval")).toBe(false);
    expect(chat.state().editor.text).toBe("oo");
    chat.press("backspace");
    chat.press("enter");
    expect(chat.effects.at(-1)).toEqual({ kind: "answer_approval", id: "a1", answer: "once" });
    expect(chat.state().editor.text).toBe("");
    chat.say("deny");
    expect(chat.effects.at(-1)).toEqual({ kind: "answer_approval", id: "a1", answer: "deny" });
    chat.press("escape");
    expect(chat.effects.at(-1)).toEqual({ kind: "answer_approval", id: "a1", answer: "deny" });
  });

  test("always is an answer only where it is offered", () => {
    const chat = createChatDriver();
    chat.say("one");
    chat.event(approvalRequested("a1"));
    chat.wait(600);
    chat.type("a");
    expect(chat.effects.some((effect) => effect.kind === "answer_approval")).toBe(false);
    chat.press("ctrl+u");
    chat.event({ type: "approval_resolved", approvalId: "a1", answer: "timeout" });
    chat.event({ ...approvalRequested("a2"), alwaysCovers: "rm" } as AgentEventBody);
    chat.wait(600);
    chat.type("a");
    expect(chat.effects.at(-1)).toEqual({ kind: "answer_approval", id: "a2", answer: "always" });
    expect(chat.lines()).toContain("approved:timeout");
  });

  test("several are asked one after another; the end of the turn ends them", () => {
    const chat = createChatDriver();
    chat.say("one");
    chat.event(approvalRequested("a1"));
    chat.event(approvalRequested("a2"));
    chat.wait(600);
    chat.type("o");
    chat.event({ type: "approval_resolved", approvalId: "a1", answer: "once" });
    chat.wait(600);
    chat.type("d");
    expect(chat.effects.slice(-2)).toEqual([
      { kind: "answer_approval", id: "a1", answer: "once" },
      { kind: "answer_approval", id: "a2", answer: "deny" },
    ]);
    chat.over("interrupted");
    expect(chat.state().questions).toEqual([]);
  });

  test("a command too long for its card stands in full above it", () => {
    const chat = createChatDriver();
    chat.say("one");
    chat.event({ ...approvalRequested("a1"), subject: "echo 1\n".repeat(30) } as AgentEventBody);
    expect(chat.lines()).toContain("asked");
  });

  test("a question of the agent takes a number, words, or nothing", () => {
    const chat = createChatDriver();
    chat.say("one");
    const ask: AgentEventBody = {
      type: "clarify_requested",
      clarifyId: "q",
      callId: "c",
      question: "Which?",
      choices: ["red", "blue"],
    };
    for (const [written, answer] of [
      ["2", "blue"],
      ["7", "7"],
      ["green", "green"],
    ] as const) {
      chat.event(ask);
      chat.say(written);
      expect(chat.effects.at(-1)).toEqual({ kind: "answer_clarify", id: "q", answer });
      chat.event({ type: "clarify_resolved", clarifyId: "q", answer });
    }
    chat.event(ask);
    chat.press("escape");
    expect(chat.effects.at(-1)).toEqual({ kind: "answer_clarify", id: "q", answer: undefined });
    expect(chat.effects.filter((effect) => effect.kind === "send")).toHaveLength(1);
  });
});
