import { PassThrough } from "node:stream";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { CHAT_CONFIG, createScriptedChat, type ScriptedChat } from "../../testing/scripted-chat.ts";
import { terminalAbilities } from "./chat-config.ts";
import { runChat } from "./run-chat.ts";

/** A chat on paper: what is written, and a way to wait for it. */
const open = (chat: ScriptedChat) => {
  const stdin = new PassThrough();
  const stdout = Object.assign(new PassThrough(), { columns: 40 });
  let written = "";
  stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString("utf8");
  });
  const ended = runChat({
    session: chat,
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    config: { ...CHAT_CONFIG, drawable: false, compact: true },
    clock: systemClock,
    history: { load: async () => [], append: async () => undefined },
    userHome: "/home/me",
  });
  const waitFor = async (text: string): Promise<void> => {
    using deadline = systemClock.deadline(10_000);
    while (!written.includes(text)) await once(stdout, "data", { signal: deadline.signal });
  };
  return {
    line: (text: string) => stdin.write(`${text}\n`),
    close: () => stdin.end(),
    written: () => written,
    waitFor,
    ended,
  };
};

describe("TERM=dumb", () => {
  test("what the environment says of the terminal", () => {
    expect(terminalAbilities({ noColor: undefined, term: "xterm" })).toEqual({ colour: true, drawable: true });
    expect(terminalAbilities({ noColor: "1", term: "xterm" })).toEqual({ colour: false, drawable: true });
    expect(terminalAbilities({ noColor: "", term: "xterm" })).toEqual({ colour: true, drawable: true });
    expect(terminalAbilities({ noColor: undefined, term: "dumb" })).toEqual({ colour: false, drawable: false });
  });

  test("R-TUI-1 the same chat in lines: no sequence is ever written", async () => {
    const chat = createScriptedChat();
    const paper = open(chat);
    await paper.waitFor("> ");
    paper.line("hello");
    await paper.waitFor("❯ hello");
    chat.emit({ type: "text", delta: "An **answer**.\n\nMore" });
    chat.emit({
      type: "approval_requested",
      approvalId: "a",
      callId: "c",
      action: "command",
      subject: "rm x",
      reasons: [],
      timeoutMs: 60_000,
    });
    await paper.waitFor("[d]eny");
    paper.line("d");
    await paper.waitFor("Denied: rm x");
    chat.emit({ type: "clarify_requested", clarifyId: "q", callId: "c", question: "Which?", choices: ["red", "blue"] });
    await paper.waitFor("2. blue");
    paper.line("2");
    await paper.waitFor("→ blue");
    chat.finish();
    await paper.waitFor("More");
    paper.line("/quit");
    expect(await paper.ended).toBe(0);
    expect(chat.sent).toEqual(["hello"]);
    expect(chat.approvals).toEqual([{ id: "a", answer: "deny" }]);
    expect(chat.clarified).toEqual([{ id: "q", answer: "blue" }]);
    expect(chat.ran).toEqual(["/quit"]);
    expect(paper.written()).not.toContain("\u001B");
    expect(paper.written()).toContain("An answer.\n");
    expect(paper.written().split("rm x")).toHaveLength(3);
  });

  test("R-TUI-1 a backslash goes on with the message, the end of the input leaves", async () => {
    const chat = createScriptedChat();
    const paper = open(chat);
    await paper.waitFor("> ");
    paper.line("one \\");
    paper.line("two");
    await paper.waitFor("❯ one");
    expect(chat.sent).toEqual(["one \ntwo"]);
    paper.close();
    expect(await paper.ended).toBe(0);
    expect(chat.isClosed()).toBe(true);
  });
});
