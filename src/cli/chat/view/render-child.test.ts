import { expect, test } from "vitest";
import type { AgentEventBody } from "../../../agent/event.ts";
import { createChatDriver, toolStarted } from "../../../testing/chat-driver.ts";
import { CHAT_CONFIG } from "../../../testing/scripted-chat.ts";
import { createPalette } from "../palette.ts";
import { measureText } from "../text-width.ts";
import { renderChildren } from "./render-child.ts";
import { renderLiveTools } from "./render-turn.ts";
import type { ViewContext } from "./view-context.ts";

const viewOf = (width: number): ViewContext => ({
  width,
  palette: createPalette(false),
  config: { ...CHAT_CONFIG, compact: true, indicator: "ascii" },
  userHome: "/home/me",
});

const started = (index: number, child: string, parent = "s"): AgentEventBody => ({
  type: "subagent_started",
  callId: "c1",
  index,
  child,
  parent,
  goal: `goal of ${child}`,
});
const finished = (child: string, status: "completed" | "timeout" | "interrupted"): AgentEventBody => ({
  type: "subagent_finished",
  callId: "c1",
  index: 0,
  child,
  status,
  durationMs: 3_000,
  modelCalls: 1,
  toolCalls: 0,
  usage: {},
  costUsd: null,
});

const createRig = () => {
  const driver = createChatDriver();
  driver.say("go");
  driver.event(toolStarted("c1", "delegate 2 tasks"));
  return driver;
};

test("each sub-agent has a line with what it did last, set in by its depth, and its end", () => {
  const driver = createRig();
  driver.event(started(0, "one"));
  driver.event(started(1, "two"));
  driver.event(started(0, "deep", "one"));
  driver.event({ type: "subagent_progress", callId: "c1", index: 0, child: "one", tool: "terminal", summary: "ls -l" });
  driver.event({ type: "subagent_progress", callId: "c1", index: 0, child: "deep", text: "so I\u001B[31m think" });
  driver.event({ type: "subagent_progress", callId: "other", index: 0, child: "one", text: "of another call" });
  driver.event(finished("two", "timeout"));
  driver.wait(2_000);
  const state = driver.state();
  const [head, ...lines] = renderLiveTools(state, 3_000, viewOf(60));
  expect(head).toContain("delegate 2 tasks");
  expect(lines.map((line) => line.replace(/[|/\\-] /u, "* ").trimEnd())).toEqual([
    "  * goal of one · ls -l 2.0s",
    "  ✗ goal of two · timeout 3.0s",
    "    * goal of deep · so I think 2.0s",
  ]);
});

test("where there is no room for all, those that run are kept, and the rest is counted", () => {
  const driver = createRig();
  const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
  for (const [index, id] of ids.entries()) driver.event(started(index, id));
  driver.event(finished("a", "completed"));
  driver.event(finished("h", "interrupted"));
  const lines = renderLiveTools(driver.state(), 1_000, viewOf(60));
  expect(lines[1]).toBe("  … 2 more (6 of 8 run)");
  const text = lines.join("\n");
  for (const id of ["b", "c", "d", "e", "f", "g"]) expect(text).toContain(`goal of ${id}`);
});

test("no line is wider than the terminal", () => {
  const tool = createRig().state().turn?.tools[0];
  if (tool === undefined) throw new Error("a call runs");
  const nasty = "漢字 👨‍👩‍👧‍👦 \u001B]0;x\u0007 two\nlines ".repeat(9);
  const child = { id: "x", parent: "s", goal: nasty, action: nasty, startedAt: 0, ended: undefined };
  for (const width of [20, 33, 80]) {
    for (const line of renderChildren({ ...tool, children: [child] }, 5_000, viewOf(width)))
      expect(measureText(line)).toBeLessThanOrEqual(width);
  }
});
