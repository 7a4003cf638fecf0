import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ExitCode } from "../../base/app-error.ts";
import { createScriptedModel, type ModelAnswerScript, type ScriptedModel } from "../../testing/scripted-model.ts";
import { createTempApp, type TempApp, type TempAppOptions } from "../../testing/temp-app.ts";
import { createVirtualTerminal, type VirtualTerminal } from "../../testing/virtual-terminal.ts";
import type { SessionRequest } from "../../app/session-request.ts";
import { runInApp } from "./run-in-app.ts";

interface Opened {
  readonly temp: TempApp;
  readonly model: ScriptedModel;
  readonly terminal: VirtualTerminal;
  readonly ended: Promise<ExitCode>;
  readonly stop: AbortController;
}

const opened: Opened[] = [];

afterEach(async () => {
  for (const { stop, ended, temp } of opened.splice(0)) {
    stop.abort();
    await ended.catch(() => undefined);
    await temp[Symbol.asyncDispose]();
  }
});

interface OpenOptions extends TempAppOptions {
  readonly answers?: readonly ModelAnswerScript[];
  readonly request?: Partial<SessionRequest>;
  readonly temp?: TempApp;
  /** The configured model answers, not a scripted one. */
  readonly configured?: boolean;
}

const open = (options: OpenOptions = {}): Opened => {
  const temp = options.temp ?? createTempApp({ environment: { TERM: "xterm", NO_COLOR: "1" }, ...options });
  const model = createScriptedModel(options.answers);
  const terminal = createVirtualTerminal({ columns: 90, rows: 40 });
  const stop = new AbortController();
  const ended = runInApp(temp.app, {
    request: temp.request(options.request),
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    signal: stop.signal,
    ...(options.configured === true ? {} : { model: { models: temp.models, model } }),
  });
  const result = { temp, model, terminal, ended, stop };
  opened.push(result);
  return result;
};

const KEY = `sk-proj-${"Ab3dEf6hIj9kLm2nOp5q".repeat(2)}`;

const enter = async (terminal: VirtualTerminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitForText(text);
  terminal.press("enter");
};

/** Resolves after the next thing that is drawn; the spinner draws while a turn runs. */
const nextFrame = (terminal: VirtualTerminal): Promise<void> => {
  let looks = 0;
  return terminal.waitFor(() => {
    looks += 1;
    return looks > 1;
  });
};

const shown = (terminal: VirtualTerminal): string => terminal.everything().join("\n");

describe("R-TUI-1: the interactive chat over a real session", () => {
  test("R-TUI-1 a message reaches the model, its answer the screen, and the end says how to come back", async () => {
    const { terminal, ended, model, temp } = open({ answers: ["The tide is high."] });
    await terminal.waitForText("❯");
    await enter(terminal, "how is the tide");
    await terminal.waitForText("The tide is high.");
    await enter(terminal, "/quit");
    expect(await ended).toBe(0);
    expect(model.requests).toHaveLength(1);
    const session = await (await temp.app.store()).sessions.newest();
    await terminal.waitForText(`Resume with: hermes -r ${session?.id}`);
    expect(session).toMatchObject({ endReason: "cli_close", messageCount: 2 });
  });

  test("a chat in which nothing was said leaves nothing behind and offers nothing", async () => {
    const { terminal, ended, temp } = open();
    await terminal.waitForText("❯");
    await enter(terminal, "/quit");
    expect(await ended).toBe(0);
    expect(shown(terminal)).not.toContain("Resume with");
    expect((await (await temp.app.store()).sessions.stats()).sessions).toBe(0);
  });

  test("the context of the newest call stands in the status line", async () => {
    const usage = { inputTokens: 64_000, outputTokens: 10 };
    const { terminal } = open({ answers: [{ text: "counted", usage }] });
    await terminal.waitForText("❯");
    await enter(terminal, "count");
    await terminal.waitForText("50% context");
  });

  test("an approval is asked on the screen, and the answer reaches the command", async () => {
    const { terminal, temp } = open({
      answers: [{ toolCalls: [{ name: "terminal", arguments: { command: "rm -rf victim" } }] }, "It is gone."],
    });
    writeFileSync(join(temp.cwd, "victim"), "");
    await terminal.waitForText("❯");
    await enter(terminal, "remove it");
    await terminal.waitForText("[o]nce");
    expect(existsSync(join(temp.cwd, "victim"))).toBe(true);
    // A letter is an answer once the question has stood for a moment; before, it goes to the input box.
    while (!terminal.everything().join("\n").includes("Allowed once")) {
      terminal.press("ctrl+u");
      await nextFrame(terminal);
      terminal.type("o");
      await nextFrame(terminal);
    }
    await terminal.waitForText("It is gone.");
    expect(existsSync(join(temp.cwd, "victim"))).toBe(false);
  });

  test("a slash command that discards asks once; always is written to the settings", async () => {
    const { terminal, temp } = open({ answers: ["fine"] });
    await terminal.waitForText("❯");
    await enter(terminal, "hello");
    await terminal.waitForText("fine");
    await enter(terminal, "/new");
    await terminal.waitForText("Start a new session?");
    terminal.type("a");
    await terminal.waitForText("New session");
    await enter(terminal, "/new");
    await terminal.waitFor((rows) => rows.join("\n").split("New session 2").length === 3);
    expect(temp.again().config.section("approvals").destructive_slash_confirm).toBe(false);
  });

  test("SIGTERM in the middle of a turn ends it, keeps what was said, and exits with 130", async () => {
    const { terminal, ended, stop, model, temp } = open({
      answers: [{ text: "half an ans", gate: new Promise(() => undefined) }],
    });
    await terminal.waitForText("❯");
    await enter(terminal, "begin");
    await model.called(1);
    stop.abort();
    expect(await ended).toBe(130);
    const store = await temp.app.store();
    const session = await store.sessions.newest();
    expect(session).toMatchObject({ endReason: "cli_close", messageCount: 2 });
    await terminal.waitForText(`hermes -r ${session?.id}`);
    expect(terminal.isRaw()).toBe(false);
  });

  test("a question of the model is put on the screen, and its answer goes back", async () => {
    const asked = { question: "Which harbour?", choices: ["north", "south"] };
    const { terminal, model } = open({
      answers: [{ toolCalls: [{ name: "clarify", arguments: asked }] }, "Northwards."],
    });
    await terminal.waitForText("❯");
    await enter(terminal, "sail");
    await terminal.waitForText("Which harbour?");
    await enter(terminal, "the old one");
    await terminal.waitForText("Northwards.");
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("the old one");
  });

  test("on a terminal that cannot move its cursor lines come in and lines go out", async () => {
    const { terminal, ended } = open({ answers: ["Plainly."], environment: { TERM: "dumb" } });
    await terminal.waitForText("> ");
    terminal.type("say it plainly\n");
    await terminal.waitForText("Plainly.");
    terminal.type("/quit\n");
    expect(await ended).toBe(0);
    await terminal.waitForText("Resume with");
    expect(terminal.raw()).not.toContain("\u001B");
  });

  test("what was said before a call that is interrupted is not said again", async () => {
    const { terminal } = open({
      answers: [{ text: "Looking closely.", toolCalls: [{ name: "terminal", arguments: { command: "sleep 300" } }] }],
    });
    await terminal.waitForText("❯");
    await enter(terminal, "look");
    await terminal.waitForText("sleep 300");
    terminal.press("ctrl+c");
    await terminal.waitForText("Interrupted");
    expect(shown(terminal).split("Looking closely.")).toHaveLength(2);
  });

  test("a background process that ends is told with its last lines; one that runs on is named at the end", async () => {
    const background = (command: string): ModelAnswerScript => ({
      toolCalls: [{ name: "terminal", arguments: { command, background: true, notify_on_complete: true } }],
    });
    const { terminal, ended } = open({
      answers: [background("echo one; echo last line; exit 3"), "started", background("sleep 300"), "started again"],
    });
    await terminal.waitForText("❯");
    await enter(terminal, "start it");
    await terminal.waitForText("has failed with exit code 3");
    await terminal.waitForText("last line");
    // The answer of the turn that started it: what is typed before would interrupt that.
    await terminal.waitForText("\nstarted");
    await enter(terminal, "start another");
    await terminal.waitForText("started again");
    await enter(terminal, "/quit");
    await ended;
    await terminal.waitForText("Resume with");
    expect(shown(terminal)).toMatch(/go on running[\s\S]*proc_[0-9a-z]+ \(pid (\d+)\): sleep 300/u);
    const pid = Number(/\(pid (\d+)\): sleep 300/u.exec(shown(terminal))?.[1]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    process.kill(pid, "SIGKILL");
  });
});

describe("what is told at the start", () => {
  test("the practice model says that it is one and what to do; one that was asked for does not", async () => {
    const first = open({ configured: true });
    await first.terminal.waitForText("No model is configured");
    const asked = open({ configured: true, request: { provider: "practice" } });
    await asked.terminal.waitForText("❯");
    await enter(asked.terminal, "/quit");
    await asked.ended;
    expect(shown(asked.terminal)).not.toContain("No model is configured");
  });

  test("settings that are wrong are told, five of them at most, in their order", async () => {
    const wrong = ["aaa", "bbb", "ccc", "ddd", "eee", "fff", "ggg"];
    const { terminal } = open({ config: wrong.map((key) => `${key}: 1\n`).join("") });
    await terminal.waitForText("… and 2 more");
    const text = shown(terminal);
    const places = wrong.slice(0, 5).map((key) => text.indexOf(key));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(text).not.toContain("fff");
  });

  test("a home of the Python system is told once", async () => {
    const prepare = (home: string): void => writeFileSync(join(home, "state.db"), "");
    const { terminal, ended, temp } = open({ prepare });
    await terminal.waitForText("belongs to the Python system");
    await enter(terminal, "/quit");
    await ended;
    const second = open({ temp });
    await second.terminal.waitForText("❯");
    await enter(second.terminal, "/quit");
    await second.ended;
    expect(shown(second.terminal)).not.toContain("Python system");
  });

  test("a session that was compressed opens as its newest one, and says so", async () => {
    const first = open({ answers: ["The first answer."] });
    await first.terminal.waitForText("❯");
    await enter(first.terminal, "a question");
    await first.terminal.waitForText("The first answer.");
    await enter(first.terminal, "/quit");
    await first.ended;
    const store = await first.temp.app.store();
    const old = await store.sessions.newest();
    if (old === undefined) throw new Error("nothing was saved");
    const prompt = await store.sessions.systemPrompt(old.id);
    const { source, provider, model, cwd } = old;
    const child = { source, provider, model, cwd, systemPrompt: prompt };
    const newest = await store.conversations.rotate({
      key: old.conversation,
      from: old.id,
      child,
      reason: "compression",
    });
    const { terminal } = open({ temp: first.temp, request: { start: { kind: "named", name: old.id } } });
    await terminal.waitForText(`Session ${old.id} was compressed`);
    expect(shown(terminal)).toContain(newest.id);
  });

  test("entries of the allow-list that mean nothing here are named", async () => {
    const { terminal } = open({ config: 'command_allowlist: ["recursive delete"]\n' });
    await terminal.waitForText("command_allowlist");
    expect(shown(terminal)).toContain("recursive delete");
  });
});

describe("decision 10: a session that another process works on", () => {
  const busy = async (): Promise<{ temp: TempApp; id: string; release: () => Promise<void> }> => {
    const first = open({ answers: ["The first answer."] });
    await first.terminal.waitForText("❯");
    await enter(first.terminal, "the first question");
    await first.terminal.waitForText("The first answer.");
    await enter(first.terminal, "/quit");
    await first.ended;
    const store = await first.temp.again().store();
    const session = await store.sessions.newest();
    if (session === undefined) throw new Error("nothing was saved");
    const taken = await store.leases.acquire(session.id, "tui");
    if (taken.kind === "busy") throw new Error("held already");
    return { temp: first.temp, id: session.id, release: () => taken.lease.release() };
  };

  test("read only shows the conversation and leaves", async () => {
    const { temp, id } = await busy();
    const { terminal, ended } = open({ temp, request: { start: { kind: "named", name: id } } });
    await terminal.waitForText("[r] read only");
    terminal.type("x\r");
    terminal.type("r\r");
    expect(await ended).toBe(0);
    await terminal.waitForText("The first answer.");
    expect(shown(terminal)).toContain("the first question");
    expect(await (await temp.app.store()).sessions.get(id as never)).toMatchObject({ endReason: "cli_close" });
  });

  test("branch goes on in a copy and leaves the original alone", async () => {
    const { temp, id } = await busy();
    const { terminal, ended, model } = open({
      temp,
      answers: ["In the copy."],
      request: { start: { kind: "newest" } },
    });
    await terminal.waitForText("[b] go on in a copy");
    terminal.type("b\r");
    await terminal.waitForText("❯");
    await enter(terminal, "go on");
    await terminal.waitForText("In the copy.");
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    await enter(terminal, "/quit");
    await ended;
    const store = await temp.app.store();
    expect(await store.sessions.get(id as never)).toMatchObject({ messageCount: 2, endReason: "cli_close" });
    expect(await store.sessions.newest()).toMatchObject({ parent: id, messageCount: 4 });
  });

  test("wait goes on as soon as the session is free", async () => {
    const { temp, id, release } = await busy();
    const { terminal, model } = open({ temp, answers: ["Here."], request: { start: { kind: "named", name: id } } });
    await terminal.waitForText("[w] wait");
    terminal.type("w\r");
    await terminal.waitForText("Waiting for process");
    expect(shown(terminal)).not.toContain("Ctrl+D leaves");
    await release();
    await terminal.waitForText("Ctrl+D leaves");
    await enter(terminal, "are you there");
    await terminal.waitForText("Here.");
    expect(model.requests[0]?.messages).toHaveLength(3);
  });

  test("quitting changes nothing; giving up while it waits is an interruption", async () => {
    const { temp, id } = await busy();
    const request = { start: { kind: "named" as const, name: id } };
    const quit = open({ temp, request });
    await quit.terminal.waitForText("[q] quit");
    quit.terminal.type("q\r");
    expect(await quit.ended).toBe(0);
    const waiting = open({ temp, request });
    await waiting.terminal.waitForText("[w] wait");
    waiting.terminal.type("w\r");
    await waiting.terminal.waitForText("Waiting for process");
    waiting.stop.abort();
    expect(await waiting.ended).toBe(130);
  });

  test("at the time of a turn a busy session fails that turn alone", async () => {
    const { temp, id, release } = await busy();
    await release();
    const { terminal } = open({ temp, answers: ["Now."], request: { start: { kind: "named", name: id } } });
    await terminal.waitForText("Ctrl+D leaves");
    const store = await temp.again().store();
    const taken = await store.leases.acquire(id as never, "tui");
    await enter(terminal, "are you there");
    await terminal.waitForText("is being used by another process");
    if (taken.kind === "held") await taken.lease.release();
    await enter(terminal, "and now");
    await terminal.waitForText("Now.");
  });
});

test("the lines that a person sent are kept masked, for the next chat", async () => {
  const { terminal, ended, temp } = open({ answers: ["ok", "noted"] });
  await terminal.waitForText("❯");
  await enter(terminal, "remember this line");
  await terminal.waitForText("ok");
  await enter(terminal, `about ${KEY}`);
  await terminal.waitForText("noted");
  await enter(terminal, "/quit");
  await ended;
  const kept = readFileSync(join(temp.app.home.path, "chat-history.jsonl"), "utf8");
  expect(kept).not.toContain(KEY);
  expect(kept).toContain("about «secret:");
  expect(kept).toContain('"remember this line"');
});
