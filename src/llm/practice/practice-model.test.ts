import { assert, asyncProperty, string } from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallEvent } from "../event.ts";
import { textOf, toolCallsOf, type AssistantMessage, type Message, type ToolOutcome } from "../message.ts";
import type { LlmRequest } from "../request.ts";
import { createPracticeModel } from "./practice-model.ts";

const TOOLS = ["read_file", "write_file", "patch", "search_files", "terminal", "process", "todo", "clarify", "memory"];

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }], origin: { surface: "cli" } });

const requestOf = (messages: readonly Message[], tools: readonly string[] = TOOLS): LlmRequest => ({
  system: "",
  messages,
  tools: tools.map((name) => ({ name, description: "", parameters: { type: "object" } })),
});

const collectEvents = async (request: LlmRequest, signal = new AbortController().signal): Promise<CallEvent[]> => {
  const events: CallEvent[] = [];
  for await (const event of createPracticeModel().call(request, { signal })) events.push(event);
  return events;
};

const answerTo = async (request: LlmRequest): Promise<AssistantMessage> => {
  const last = (await collectEvents(request)).at(-1);
  if (last?.type !== "done") throw new Error(`ended with ${JSON.stringify(last)}`);
  return last.message;
};

interface ToolAnswer {
  readonly text: string;
  readonly outcome?: ToolOutcome;
}

interface Played {
  readonly calls: { readonly name: string; readonly args: unknown }[];
  readonly closing: string;
  readonly ids: string[];
}

/** Plays a whole turn: every call is answered by `tool`. */
const play = async (
  text: string,
  tool: (name: string, turn: number) => ToolAnswer,
  before: readonly Message[] = [],
): Promise<Played> => {
  const messages: Message[] = [...before, user(text)];
  const calls: Played["calls"] = [];
  const ids: string[] = [];
  for (;;) {
    const answer = await answerTo(requestOf(messages));
    messages.push(answer);
    const [call] = toolCallsOf(answer);
    if (call === undefined) return { calls, closing: textOf(answer), ids };
    ids.push(call.id);
    calls.push({ name: call.name, args: JSON.parse(call.arguments) as unknown });
    const { text: said, outcome = "ok" } = tool(call.name, calls.length);
    messages.push({
      role: "tool",
      parts: [
        { type: "tool_result", callId: call.id, name: call.name, outcome, content: [{ type: "text", text: said }] },
      ],
    });
  }
};

const firstCall = async (text: string): Promise<unknown> => {
  const [call] = toolCallsOf(await answerTo(requestOf([user(text)])));
  return call === undefined ? undefined : [call.name, JSON.parse(call.arguments) as unknown];
};

const list = (path: string): unknown => ["search_files", { pattern: "*", target: "files", path }];
const run = (command: string): unknown => ["terminal", { command }];
const write = (path: string, content: string): unknown => ["write_file", { path, content }];
const replace = (path: string, old_string: string, new_string: string): unknown => [
  "patch",
  { mode: "replace", path, old_string, new_string },
];

describe("plain requests, said in many ways", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["Remember that I like tea.", ["memory", { action: "add", target: "user", content: "I like tea" }]],
    [
      "please remember: the server is called atlas",
      ["memory", { action: "add", target: "memory", content: "the server is called atlas" }],
    ],
    [
      "remember that Ann, Ben and Carl run and read",
      ["memory", { action: "add", target: "memory", content: "Ann, Ben and Carl run and read" }],
    ],
    ["forget that I like tea", ["memory", { action: "remove", target: "user", old_text: "I like tea" }]],
    ["what do you remember about tea?", ["memory", { action: "search", content: "tea" }]],
    ["list files", list(".")],
    ["List the files here.", list(".")],
    ["please show me the files in src", list("src")],
    ["what are the files in this folder?", list(".")],
    ["ls", list(".")],
    ["list the contents of the folder docs/guide", list("docs/guide")],
    ["read notes.txt", ["read_file", { path: "notes.txt" }]],
    ["Can you show me the file notes.txt?", ["read_file", { path: "notes.txt" }]],
    ['open "my notes.txt" please', ["read_file", { path: "my notes.txt" }]],
    ["print the contents of src/a.ts.", ["read_file", { path: "src/a.ts" }]],
    ['write "hello" to a.txt', write("a.txt", "hello\n")],
    ["write hello world to a.txt", write("a.txt", "hello world\n")],
    [String.raw`save "one\ntwo" into the file list.txt`, write("list.txt", "one\ntwo\n")],
    ['create a file called b.md with the text "# Title"', write("b.md", "# Title\n")],
    ["write “curly” to a.txt", write("a.txt", "curly\n")],
    ['append "last line" to a.txt', run("printf '%s\\n' 'last line' >> a.txt")],
    ['change red to blue in "my colours.txt"', replace("my colours.txt", "red", "blue")],
    ['replace "a b" with "c d" in x.txt', replace("x.txt", "a b", "c d")],
    ["in x.txt change a to b", replace("x.txt", "a", "b")],
    ["find TODO in src", ["search_files", { pattern: "TODO", path: "src" }]],
    ['search for "f(x)" ', ["search_files", { pattern: String.raw`f\(x\)`, path: "." }]],
    ["find files named *.md", ["search_files", { pattern: "*.md", target: "files", path: "." }]],
    ["find *.ts in src", ["search_files", { pattern: "*.ts", target: "files", path: "src" }]],
    ["run ls -la, and count", run("ls -la, and count")],
    ["run `echo a then b`", run("echo a then b")],
    ["execute the command git status", run("git status")],
    ["make a folder called drafts", run("mkdir -p drafts")],
    ["create a new directory 'a b'", run("mkdir -p 'a b'")],
    ["delete old.txt", run("rm -- old.txt")],
    ["remove the folder tmp", run("rm -r -- tmp")],
    ["diff a.txt and b.txt", run("diff -u a.txt b.txt")],
    ["what time is it?", run("date")],
    ["What is the date today", run("date")],
    ["start npm run dev", ["terminal", { command: "npm run dev", background: true }]],
    ["run sleep 60 in the background", ["terminal", { command: "sleep 60", background: true }]],
    ["list background processes", ["process", { action: "list" }]],
    [
      "plan: look; think; write",
      [
        "todo",
        {
          todos: ["look", "think", "write"].map((content, at) => ({ id: String(at + 1), content, status: "pending" })),
        },
      ],
    ],
    [
      "ask me which colour: red, green or blue",
      ["clarify", { question: "Which colour?", choices: ["red", "green", "blue"] }],
    ],
    ["ask me my name", ["clarify", { question: "My name?" }]],
  ];
  test.each(cases)("%s", async (text, expected) => {
    expect(await firstCall(text)).toEqual(expected);
  });

  test.each(["hello", "Hi there!", "help", "what can you do?"])("%s is answered in words", async (text) => {
    const message = await answerTo(requestOf([user(text)]));
    expect(toolCallsOf(message)).toEqual([]);
    expect(textOf(message)).toContain("practice model");
  });

  test.each(["explain quantum physics", "日本語で答えて", "", "   ", "why?"])(
    "%j gets an honest answer and the way to a real model",
    async (text) => {
      const message = await answerTo(requestOf([user(text)]));
      expect(toolCallsOf(message)).toEqual([]);
      expect(textOf(message)).toContain("practice model");
      expect(textOf(message)).toMatch(/`hermes auth add PROVIDER` .* `hermes model` chooses/);
      expect(textOf(message)).not.toContain("config set");
    },
  );
});

describe("several things in order", () => {
  const wanted = [
    { name: "search_files", args: { pattern: "*", target: "files", path: "." } },
    { name: "write_file", args: { path: "hello.txt", content: "Hello from Hermes\n" } },
    { name: "read_file", args: { path: "hello.txt" } },
    { name: "terminal", args: { command: "wc -c hello.txt" } },
  ];
  test.each([
    [
      "then",
      'list the files here, then write "Hello from Hermes" to hello.txt, then read hello.txt, then run wc -c hello.txt',
    ],
    ["commas and it", 'list the files, write "Hello from Hermes" to hello.txt, read it back and run wc -c hello.txt'],
    ["a numbered list", '1. list files\n2. write "Hello from Hermes" to hello.txt\n3) read it\n- run wc -c hello.txt'],
    ["sentences", 'List the files. Write "Hello from Hermes" to hello.txt. Then read it. Finally, run wc -c hello.txt'],
  ])("joined by %s", async (_name, text) => {
    const { calls, closing, ids } = await play(text, (name, turn) => ({ text: `answer ${turn} of ${name}` }));
    expect(calls).toEqual(wanted);
    expect(new Set(ids).size).toBe(4);
    for (const turn of [1, 2, 3, 4]) expect(closing).toContain(`answer ${turn} of`);
    expect(closing).toContain("practice model");
  });

  test("quoted words are never taken apart", async () => {
    const { calls } = await play('write "read a.txt, then run rm x and list" to b.txt', () => ({ text: "ok" }));
    expect(calls).toEqual([
      { name: "write_file", args: { path: "b.txt", content: "read a.txt, then run rm x and list\n" } },
    ]);
  });

  test.each([
    ["error", "There is no file hello.txt", "did not work"],
    ["denied", "The owner said no", "was not allowed"],
    ["interrupted", "", "was interrupted"],
  ] as const)("after a result %s it stops and says so", async (...[outcome, text, words]) => {
    const { calls, closing } = await play("read hello.txt then run date", () => ({ text, outcome }));
    expect(calls).toHaveLength(1);
    expect(closing).toContain(words);
    expect(closing).toContain(text);
    expect(closing).toContain("Not done, because an earlier step failed: Running `date`.");
  });

  test("what is not understood is named, the rest is done", async () => {
    const { calls, closing } = await play("run date then contemplate the moon", () => ({ text: "Tue" }));
    expect(calls).toHaveLength(1);
    expect(closing).toContain('I did not understand "contemplate the moon"');
  });

  test("a tool that is not granted is not called", async () => {
    const message = await answerTo(requestOf([user("run date")], ["read_file"]));
    expect(toolCallsOf(message)).toEqual([]);
    expect(textOf(message)).toContain("the tool terminal is not available here");
  });

  test("a second turn begins anew, with new call ids", async () => {
    const first = await answerTo(requestOf([user("run date")]));
    const [call] = toolCallsOf(first);
    const history: Message[] = [
      user("run date"),
      first,
      {
        role: "tool",
        parts: [
          {
            type: "tool_result",
            callId: call?.id ?? "",
            name: "terminal",
            outcome: "error",
            content: [{ type: "text", text: "x" }],
          },
        ],
      },
    ];
    const { calls, ids } = await play("read a.txt", () => ({ text: "1\tx" }), history);
    expect(calls).toHaveLength(1);
    expect(ids).not.toContain(call?.id);
  });

  test("a fence inside a result cannot end its block", async () => {
    const { closing } = await play("read a.md", () => ({ text: "```\ncode\n```" }));
    expect(closing).toContain("````\n```\ncode\n```\n````");
  });
});

describe("as a model", () => {
  test("it names itself, streams in pieces, and says the same thing twice", async () => {
    expect(createPracticeModel().info).toMatchObject({ wire: "practice", model: "practice model" });
    const request = requestOf([user("help")]);
    const events = await collectEvents(request);
    expect(events.filter((event) => event.type === "text").length).toBeGreaterThan(20);
    expect(await collectEvents(request)).toEqual(events);
    const streamed = events.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(streamed).toBe(textOf(await answerTo(request)));
  });

  test("an abort ends it between two pieces and keeps what was said", async () => {
    const caller = new AbortController();
    const events: CallEvent[] = [];
    for await (const event of createPracticeModel().call(requestOf([user("help")]), { signal: caller.signal })) {
      events.push(event);
      if (events.length === 3) caller.abort();
    }
    expect(events).toHaveLength(4);
    expect(events.at(-1)).toMatchObject({ type: "aborted", partial: { finish: "interrupted" } });
  });

  test.each([
    ["blanks", " ".repeat(300_000)],
    ["one word", "a".repeat(300_000)],
    ["a verb and blanks", `write ${" x".repeat(9_000)}`],
    ["many verbs", "list, ".repeat(3_000)],
    ["open quotes", `write "${"'`".repeat(1_900)}`],
  ])("a huge request of %s is answered", async (_name, text) => {
    expect(textOf(await answerTo(requestOf([user(text)])))).not.toBe("");
  });

  test("no words make it throw or call anything that is no tool of the request", async () => {
    await assert(
      asyncProperty(string({ unit: "grapheme", maxLength: 200 }), async (text) => {
        const message = await answerTo(requestOf([user(text)]));
        for (const call of toolCallsOf(message)) expect(TOOLS).toContain(call.name);
        expect(message.parts.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});
