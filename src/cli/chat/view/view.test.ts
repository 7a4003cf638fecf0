import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEventBody } from "../../../agent/event.ts";
import { approvalRequested, createChatDriver, toolFinished, toolStarted } from "../../../testing/chat-driver.ts";
import { CHAT_CONFIG, createScriptedChat } from "../../../testing/scripted-chat.ts";
import type { ChatConfig } from "../chat-config.ts";
import type { TranscriptBody } from "../chat-state.ts";
import { createPalette } from "../palette.ts";
import { measureText } from "../text-width.ts";
import { renderItem } from "./render-item.ts";
import { type LiveFacts, renderLive } from "./render-live.ts";
import type { ViewContext } from "./view-context.ts";
import { formatDuration, formatSeconds, shortPath } from "../../format.ts";

const viewOf = (width: number, config: Partial<ChatConfig> = {}): ViewContext => ({
  width,
  palette: createPalette(config.colour ?? false),
  config: { ...CHAT_CONFIG, compact: true, ...config },
  userHome: "/home/me",
});
const draw = (body: TranscriptBody, width = 60, config: Partial<ChatConfig> = {}): readonly string[] =>
  renderItem({ ...body, id: 1 }, viewOf(width, config));

const NASTY = [
  "plain words",
  "漢字テスト",
  "👨‍👩‍👧‍👦 🇩🇪",
  "e\u0301\u0351",
  "a\tb",
  "\u001B[31mred\u001B[0m \u001B]0;title\u0007",
  "\u202Eevil",
  "two\nlines",
  "x".repeat(200),
  "",
];

const bodies = (text: string): readonly TranscriptBody[] => [
  {
    kind: "banner",
    info: { ...createScriptedChat().info(), title: text, model: text, practice: true, cwd: `/home/me/${text}` },
  },
  { kind: "user", text, at: 0 },
  { kind: "steered", text },
  { kind: "answer", part: { kind: "fence_open", language: "typescript", joined: false }, opens: true },
  { kind: "reasoning", text },
  {
    kind: "tool",
    tool: "t",
    summary: text,
    outcome: "error",
    durationMs: 123_456,
    text,
    diff: undefined,
    fullTextPath: `/home/me/${text}`,
    verbose: true,
  },
  {
    kind: "tool",
    tool: "t",
    summary: text,
    outcome: "denied",
    durationMs: 1,
    text,
    diff: `--- a\n+++ b\n@@ 1 @@\n+${text}\n-${text}`,
    fullTextPath: undefined,
    verbose: false,
  },
  { kind: "asked", action: "command", subject: text },
  { kind: "approved", subject: text, answer: "timeout" },
  { kind: "clarified", question: text, answer: text },
  {
    kind: "todos",
    todos: [
      { id: "1", content: text, status: "in_progress" },
      { id: "2", content: text, status: "cancelled" },
    ],
  },
  { kind: "notice", tone: "error", text, hint: text },
  { kind: "result", result: { kind: "text", text } },
  { kind: "result", result: { kind: "table", title: text, columns: ["a", "b"], rows: [[text, text]], note: text } },
  { kind: "result", result: { kind: "table", columns: [], rows: [[text, text]] } },
  {
    kind: "past",
    shortened: true,
    entries: [
      { kind: "user", text },
      { kind: "assistant", text },
      { kind: "tool", tool: "t", summary: text, outcome: "ok" },
    ],
  },
  {
    kind: "past",
    shortened: false,
    entries: [
      { kind: "user", text },
      { kind: "assistant", text },
      { kind: "tool", tool: "t", summary: text, outcome: "ok" },
    ],
  },
  { kind: "turn_end", status: "budget_exhausted", durationMs: 1000, toolCalls: 1, costUsd: null },
];

// oxlint-disable-next-line no-control-regex -- what must not be left once colours are off
const CONTROL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/u;

describe("B65 every line fits the terminal, whatever stands in it", () => {
  test.each([1, 2, 7, 20, 80])("B65 finished things at %i columns", (width) => {
    for (const text of NASTY) {
      for (const body of bodies(text)) {
        for (const line of draw(body, width, {
          colour: true,
          compact: false,
          resume: { ...CHAT_CONFIG.resume, skipToolOnly: false },
        })) {
          expect(measureText(line), `${body.kind} ${JSON.stringify(line)}`).toBeLessThanOrEqual(width);
        }
        // Without colours nothing that a terminal obeys is left of what came from outside.
        for (const line of draw(body, width)) expect(line).not.toMatch(CONTROL);
      }
    }
  });

  const event = fc.oneof(
    fc.constantFrom(...NASTY).map((delta): AgentEventBody => ({ type: "text", delta: `${delta}\n\n${delta}` })),
    fc.constantFrom(...NASTY).map((delta): AgentEventBody => ({ type: "reasoning", delta })),
    fc
      .constantFrom(...NASTY)
      .map((summary): AgentEventBody => ({ ...toolStarted(summary), summary }) as AgentEventBody),
    fc.constantFrom(...NASTY).map((text): AgentEventBody => ({ type: "tool_output", callId: "plain words", text })),
    fc.constantFrom(...NASTY).map(
      (subject): AgentEventBody =>
        ({
          ...approvalRequested(subject),
          subject: subject.repeat(5),
          reasons: [subject],
          alwaysCovers: subject,
        }) as AgentEventBody,
    ),
    fc.constantFrom(...NASTY).map((question): AgentEventBody => ({
      type: "clarify_requested",
      clarifyId: question,
      callId: "c",
      question,
      choices: [question, question],
    })),
    fc.constantFrom(...NASTY).map((content): AgentEventBody => ({
      type: "todos",
      todos: Array.from({ length: 9 }, (_, id) => ({ id: String(id), content, status: "pending" as const })),
    })),
    fc.constant<AgentEventBody>({ type: "waiting", phase: "first_token", waitedMs: 90_000, limitMs: 180_000 }),
    fc
      .constantFrom(...NASTY)
      .map((message): AgentEventBody => ({ type: "retrying", attempt: 2, delayMs: 4000, kind: "x", message })),
  );

  test("B65 property: the live part is never wider, and always lower, than the terminal; the cursor stands in it", () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 12 }),
        fc.constantFrom(...NASTY),
        fc.record({
          width: fc.integer({ min: 1, max: 90 }),
          rows: fc.integer({ min: 2, max: 30 }),
          showReasoning: fc.boolean(),
          verbose: fc.boolean(),
          menu: fc.boolean(),
        }),
        (events, typed, shape) => {
          const chat = createChatDriver({
            busyInputMode: "queue",
            showReasoning: shape.showReasoning,
            toolProgress: shape.verbose ? "verbose" : "all",
          });
          chat.say("go");
          for (const next of events) chat.event(next);
          chat.type(typed);
          if (shape.menu) {
            chat.press("ctrl+u");
            chat.type("/h");
            chat.press("tab");
          }
          const facts: LiveFacts = {
            info: { ...createScriptedChat().info(), title: typed, yolo: true },
            commands: createScriptedChat().commands(),
            now: 2000,
            openMs: 99,
            rows: shape.rows,
          };
          const live = renderLive(chat.state(), facts, viewOf(shape.width, { colour: true }));
          expect(live.lines.length).toBeLessThan(shape.rows);
          expect(live.lines.length).toBeGreaterThan(0);
          for (const line of live.lines)
            expect(measureText(line), JSON.stringify(line)).toBeLessThanOrEqual(shape.width);
          expect(live.cursor.row).toBeLessThan(live.lines.length);
          expect(live.cursor.column).toBeLessThan(Math.max(1, shape.width));
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe("finished things", () => {
  test("a call: how it ended, what it did, how long it took", () => {
    const item = {
      kind: "tool" as const,
      tool: "terminal",
      summary: "$ ls",
      outcome: "ok" as const,
      durationMs: 1234,
      text: "a\nb",
      diff: undefined,
      fullTextPath: undefined,
      verbose: false,
    };
    expect(draw(item)).toEqual(["✓ $ ls 1.2s"]);
    expect(draw({ ...item, outcome: "denied" })).toEqual(["⊘ $ ls (denied) 1.2s"]);
    expect(draw({ ...item, summary: "$ a very long command line" }, 20)).toEqual(["✓ $ a very lon… 1.2s"]);
    expect(draw({ ...item, summary: "$ a very long command line" }, 60, { toolPreviewLength: 8 })).toEqual([
      "✓ $ a ver… 1.2s",
    ]);
  });

  test("a failed call shows the beginning of its output and where all of it is", () => {
    const text = Array.from({ length: 10 }, (_, line) => `error ${line}`).join("\n");
    const item = {
      kind: "tool" as const,
      tool: "terminal",
      summary: "$ make",
      outcome: "error" as const,
      durationMs: 100,
      text,
      diff: undefined,
      fullTextPath: "/home/me/out.txt",
      verbose: true,
    };
    expect(draw(item)).toEqual([
      "✗ $ make 0.1s",
      "  error 0",
      "  error 1",
      "  error 2",
      "  error 3",
      "  … 6 more lines, all in ~/out.txt",
    ]);
  });

  test("display.inline_diffs: coloured, or not at all", () => {
    const item = {
      kind: "tool" as const,
      tool: "patch",
      summary: "patch a",
      outcome: "ok" as const,
      durationMs: 0,
      text: "",
      diff: "@@ -1 +1 @@\n-old\n+new\n same",
      fullTextPath: undefined,
      verbose: false,
    };
    expect(draw(item, 60, { colour: true }).slice(1)).toEqual([
      "  \u001B[36m@@ -1 +1 @@\u001B[39m",
      "  \u001B[31m-old\u001B[39m",
      "  \u001B[32m+new\u001B[39m",
      "  \u001B[2m same\u001B[22m",
    ]);
    expect(draw(item, 60, { inlineDiffs: false })).toHaveLength(1);
  });

  test("an earlier conversation is as short as display.resume_* wants it", () => {
    const entries = [1, 2, 3].flatMap((turn) => [
      { kind: "user" as const, text: `question ${turn} ${"long ".repeat(9)}` },
      { kind: "tool" as const, tool: "t", summary: "ran", outcome: "ok" as const },
      { kind: "assistant" as const, text: "one\ntwo\nthree\nfour" },
    ]);
    const resume = { ...CHAT_CONFIG.resume, exchanges: 1, maxUserChars: 12, maxAssistantLines: 2 };
    expect(draw({ kind: "past", entries, shortened: true }, 60, { resume })).toEqual([
      "… 4 earlier messages (/history)",
      "❯ question 3 l…",
      "one",
      "two",
      "…",
      "────────────────────",
    ]);
    expect(draw({ kind: "past", entries, shortened: true }, 60, { resume: { ...resume, mode: "minimal" } })).toEqual([
      "6 earlier messages",
    ]);
  });

  test("a long message of the person keeps its beginning and end", () => {
    const text = Array.from({ length: 40 }, (_, line) => `l${line}`).join("\n");
    const lines = draw({ kind: "user", text, at: undefined });
    expect(lines).toHaveLength(14);
    expect(lines[10]).toBe("  … 27 more lines");
    expect(lines.at(-1)).toBe("  l39");
  });

  test("facts of a command stand side by side, a table under its heads", () => {
    expect(
      draw({
        kind: "result",
        result: {
          kind: "table",
          columns: [],
          rows: [
            ["model", "m"],
            ["directory", "/x"],
          ],
        },
      }),
    ).toEqual(["model      m", "directory  /x"]);
    expect(
      draw({ kind: "result", result: { kind: "table", columns: ["id", "title"], rows: [["1", "潮汐"]], note: "n" } }),
    ).toEqual(["id │ title", "───┼──────", "1  │ 潮汐", "n"]);
  });
});

describe("the live part", () => {
  const live = (chat: ReturnType<typeof createChatDriver>, more: Partial<LiveFacts> = {}): readonly string[] =>
    renderLive(
      chat.state(),
      { info: createScriptedChat().info(), commands: [], now: 1000, openMs: 0, rows: 24, ...more },
      viewOf(60),
    ).lines;

  test("waiting and retrying say for how long", () => {
    const chat = createChatDriver();
    chat.say("go");
    chat.event({ type: "waiting", phase: "first_token", waitedMs: 90_000, limitMs: 180_000 });
    expect(live(chat)).toContain("| No response from provider for 90s (given up after 3m00s)");
    chat.event({ type: "retrying", attempt: 2, delayMs: 4000, kind: "rate_limit", message: "rate limited" });
    expect(live(chat)).toContain("| rate limited; attempt 2 in 4s");
  });

  test("running calls have a line each, with their output where that is wanted", () => {
    const chat = createChatDriver({ toolProgress: "verbose" });
    chat.say("go");
    chat.event({ type: "tool_preparing", callId: "1", tool: "terminal" });
    expect(live(chat)).toContain("| terminal … 0.0s");
    chat.event(toolStarted("1"));
    chat.event({ type: "tool_output", callId: "1", text: "10%\r50%\r90%" });
    expect(live(chat, { now: 4000 }).slice(0, 2)).toEqual(["/ terminal 1 3.0s", "  90%"]);
    chat.event(toolFinished("1"));
    expect(live(chat).join("\n")).not.toContain("terminal 1");
  });

  test("the status line puts warnings first, so that 20 columns still show them", () => {
    const chat = createChatDriver();
    const info = {
      ...createScriptedChat().info(),
      practice: true,
      yolo: true,
      contextTokens: 500,
      contextWindow: 1000,
      cwd: "/home/me/work",
    };
    const line = (width: number): string =>
      renderLive(chat.state(), { info, commands: [], now: 0, openMs: 61_000, rows: 24 }, viewOf(width)).lines.at(-1) ??
      "";
    expect(line(80)).toBe("PRACTICE · ⚠ YOLO · brain-1 · 50% context · ~/work · 61s");
    expect(line(20)).toBe("PRACTICE · ⚠ YOLO ·…");
  });

  test("on a low terminal the command's card is shortened, its keys stay", () => {
    const chat = createChatDriver();
    chat.say("go");
    chat.event({
      ...approvalRequested("a"),
      alwaysCovers: "cmd",
      subject: Array.from({ length: 50 }, (_, line) => `cmd ${line}`).join("\n"),
    } as AgentEventBody);
    const lines = live(chat, { rows: 14 });
    expect(lines.some((line) => line.includes("[o]nce  [s]ession  [a]lways  [d]eny"))).toBe(true);
    expect(lines.some((line) => line.includes("[s] and [a] cover, with any arguments: cmd"))).toBe(true);
    expect(lines.some((line) => line.includes("47 more lines shown above"))).toBe(true);
  });
});

test("lengths of time and paths", () => {
  expect([0, 420, 12_000, 185_000, 3_720_000].map(formatDuration)).toEqual(["0.0s", "0.4s", "12s", "3m05s", "1h02m"]);
  expect([0, 90_000, 180_000].map(formatSeconds)).toEqual(["0s", "90s", "3m00s"]);
  expect([
    shortPath("/home/me", "/home/me"),
    shortPath("/home/me/a", "/home/me"),
    shortPath("/home/men", "/home/me"),
  ]).toEqual(["~", "~/a", "/home/men"]);
});
