import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../agent/event.ts";
import { COMMANDS } from "../../commands/registry.ts";
import { createCommandRunner, type CommandRunner } from "../../commands/run-command.ts";
import type { SettingsPort } from "../../commands/ports.ts";
import type { LlmRequest } from "../../llm/request.ts";
import { textOf } from "../../llm/message.ts";
import { createScriptedModel, type ModelAnswerScript, type ScriptedModel } from "../../testing/scripted-model.ts";
import { createTempApp, type TempApp, type TempAppOptions } from "../../testing/temp-app.ts";
import type { SessionRequest } from "../session-request.ts";
import { createSkillsPort } from "../skills-port.ts";
import type { Conversation } from "./conversation.ts";
import { createConversationPort, createMoneyPort, createTurnPort } from "./conversation-port.ts";
import { createMemoryPort } from "../memory-port.ts";
import { createModelPort } from "./model-port.ts";
import { openConversation } from "./open-conversation.ts";

interface Rig extends AsyncDisposable {
  readonly temp: TempApp;
  readonly model: ScriptedModel;
  readonly conversation: Conversation;
  readonly commands: CommandRunner;
  say(text: string): Promise<readonly AgentEvent[]>;
}

const SETTINGS: SettingsPort = {
  display: () => ({ toolProgress: "all", busyInputMode: "interrupt", showReasoning: false }),
  changeDisplay: () => undefined,
  yolo: () => false,
  setYolo: () => undefined,
  confirmsDestructive: () => false,
  stopConfirmingDestructive: async () => undefined,
  rows: async () => [],
  tools: () => [],
};

const openRig = async (
  answers: readonly ModelAnswerScript[],
  options: TempAppOptions & { readonly request?: Partial<SessionRequest> } = {},
): Promise<Rig> => {
  const temp = createTempApp(options);
  const model = createScriptedModel(answers);
  const conversation = await openConversation(temp.app, temp.request(options.request), { models: temp.models, model });
  const commands = createCommandRunner(COMMANDS, {
    conversation: createConversationPort(conversation),
    money: createMoneyPort(conversation),
    memory: createMemoryPort(conversation.app),
    turn: createTurnPort(conversation),
    model: createModelPort(conversation),
    settings: SETTINGS,
    skills: createSkillsPort(conversation),
    now: () => temp.app.clock.now(),
  });
  return {
    temp,
    model,
    conversation,
    commands,
    say: async (text) => {
      const events = await Array.fromAsync(conversation.turns.run(text, { signal: new AbortController().signal }));
      expect(events.at(-1)?.type).toBe("turn_finished");
      return events;
    },
    [Symbol.asyncDispose]: async () => {
      await conversation[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
};

/** What a request says, without what differs by time. */
const spoken = (request: LlmRequest | undefined): readonly string[] =>
  (request?.messages ?? []).map((message) => `${message.role}: ${textOf(message)}`);

const roles = (request: LlmRequest | undefined): string => (request?.messages ?? []).map(({ role }) => role).join(" ");

const KEY = `sk-proj-${"Ab3dEf6hIj9kLm2nOp5q".repeat(2)}`;

describe("/new", () => {
  test("/new ends the session before and begins an empty one that knows nothing of it", async () => {
    await using rig = await openRig(["first answer", "second answer"]);
    await rig.say("one");
    const before = rig.conversation.record().id;
    const result = await rig.commands.run("/new");
    expect(result.kind).toBe("session_switched");
    const now = rig.conversation.record();
    expect(now.id).not.toBe(before);
    const ended = await rig.conversation.store.sessions.get(before);
    expect(ended).toMatchObject({ endReason: "new_session", messageCount: 2 });
    await rig.say("two");
    expect(spoken(rig.model.requests[1])).toEqual(["user: two"]);
  });

  test("/new with a title that is taken changes nothing and leaves no empty session behind", async () => {
    await using rig = await openRig(["answer"]);
    await rig.say("one");
    await rig.commands.run("/title Tides");
    const before = rig.conversation.record();
    const result = await rig.commands.run("/new Tides");
    expect(result).toMatchObject({ kind: "error" });
    expect(rig.conversation.record().id).toBe(before.id);
    expect(rig.conversation.record().endedAt).toBeNull();
    expect((await rig.conversation.store.sessions.stats()).sessions).toBe(1);
  });

  test("/new takes over the model, the reasoning effort and yolo", async () => {
    await using rig = await openRig(["answer"]);
    const other = createScriptedModel(["from the other"], { provider: "other", model: "brain-2" });
    rig.conversation.useModel(other);
    rig.conversation.useEffort("high");
    rig.conversation.session().approvals.setYolo(true);
    await rig.commands.run("/new");
    await rig.say("hello");
    expect(rig.conversation.session().approvals.yolo()).toBe(true);
    expect(rig.model.requests).toHaveLength(0);
    expect(other.requests[0]?.reasoningEffort).toBe("high");
    expect(rig.conversation.record()).toMatchObject({ provider: "other", model: "brain-2" });
  });

  test("a session in which nothing was said leaves no trace", async () => {
    await using rig = await openRig([]);
    const first = rig.conversation.record().id;
    await rig.commands.run("/new");
    expect(await rig.conversation.store.sessions.get(first)).toBeUndefined();
  });
});

describe("/undo and /retry", () => {
  test("/undo goes on before the last message; the whole conversation stays as the parent", async () => {
    await using rig = await openRig(["first", "second", "third"]);
    await rig.say("one");
    await rig.commands.run("/title Tides");
    await rig.say(`two ${KEY}`);
    const parent = rig.conversation.record();
    const undone = await createConversationPort(rig.conversation).undo();
    expect(undone).toEqual({ text: `two ${KEY}` });
    const child = rig.conversation.record();
    expect(child).toMatchObject({
      parent: parent.id,
      conversation: parent.conversation,
      title: "Tides #2",
      messageCount: 2,
    });
    const { store } = rig.conversation;
    expect(await store.sessions.get(parent.id)).toMatchObject({ endReason: "branched", messageCount: 4 });
    expect(await store.conversations.current(parent.conversation)).toBe(child.id);
    await rig.say("two again");
    expect(spoken(rig.model.requests[2])).toEqual(["user: one", "assistant: first", "user: two again"]);
    // The title means the conversation, wherever it has gone on; the id means the session.
    expect(await store.sessions.lookup("Tides")).toMatchObject({ kind: "found", session: { id: child.id } });
    expect(await store.sessions.lookup(parent.id)).toMatchObject({ session: { id: parent.id }, followed: null });
    await rig.commands.run(`/resume ${parent.id}`);
    expect(rig.conversation.record().id).toBe(parent.id);
    expect(await store.conversations.current(parent.conversation)).toBe(parent.id);
    expect(await store.sessions.lookup("Tides")).toMatchObject({ session: { id: parent.id } });
  });

  test("/undo to nothing and a branch after it: what was said stays among the ancestors", async () => {
    await using rig = await openRig(["first", "second"]);
    await rig.say("one");
    const whole = rig.conversation.record().id;
    await createConversationPort(rig.conversation).undo();
    await rig.commands.run("/branch aside");
    expect(rig.conversation.record()).toMatchObject({ parent: whole, messageCount: 0 });
  });

  test("decision 19: what was said here is shown as it was said; the store holds masks", async () => {
    await using rig = await openRig([`your key is ${KEY}`, "next"]);
    await rig.say(`my key is ${KEY}`);
    await rig.say("thanks");
    await rig.commands.run("/undo");
    const port = createConversationPort(rig.conversation);
    expect(await port.history()).toEqual([
      { kind: "user", text: `my key is ${KEY}` },
      { kind: "assistant", text: `your key is ${KEY}` },
    ]);
    const stored = await rig.conversation.store.messages.load(rig.conversation.record().id);
    expect(stored.map(textOf).join("\n")).not.toContain(KEY);
  });

  test("/retry sends the same message again, to the same conversation as the first time", async () => {
    await using rig = await openRig(["zero", "first try", "second try"]);
    await rig.say("before");
    await rig.say("the question");
    const result = await rig.commands.run("/retry");
    expect(result).toEqual({ kind: "submit", text: "the question", place: "now" });
    await rig.say("the question");
    expect(spoken(rig.model.requests[2])).toEqual(spoken(rig.model.requests[1]));
    expect(await createConversationPort(rig.conversation).history()).toEqual([
      { kind: "user", text: "before" },
      { kind: "assistant", text: "zero" },
      { kind: "user", text: "the question" },
      { kind: "assistant", text: "second try" },
    ]);
  });

  test("/undo of the only message leaves an empty conversation, and then there is nothing to undo", async () => {
    await using rig = await openRig(["first", "second"]);
    await rig.say("one");
    expect((await rig.commands.run("/undo")).kind).toBe("text");
    expect(await rig.commands.run("/undo")).toMatchObject({ kind: "error", message: "There is nothing to undo" });
    await rig.say("afresh");
    expect(spoken(rig.model.requests[1])).toEqual(["user: afresh"]);
  });

  test("/undo keeps roles valid where a turn was interrupted between calls", async () => {
    const gate = Promise.withResolvers<void>();
    await using rig = await openRig([
      { text: "looking", toolCalls: [{ name: "terminal", arguments: { command: "echo hi" } }] },
      { text: "par", gate: gate.promise },
      "answer two",
      "answer three",
    ]);
    const stop = new AbortController();
    for await (const event of rig.conversation.turns.run("one", { signal: stop.signal })) {
      if (event.type === "text" && event.delta === "par") stop.abort();
    }
    await rig.say("two");
    await rig.commands.run("/undo");
    await rig.say("three");
    expect(roles(rig.model.requests[3])).toBe("user assistant tool assistant user");
    gate.resolve();
  });

  test("the program's own words in a user message are not the person's: /undo goes before what they said", async () => {
    const call = { text: "step", toolCalls: [{ name: "terminal", arguments: { command: "true" } }] };
    await using rig = await openRig([call, "summary"], { request: { maxTurns: 1 } });
    await rig.say("do it");
    const stored = await rig.conversation.store.messages.load(rig.conversation.record().id);
    expect(stored.filter(({ role }) => role === "user")).toHaveLength(2);
    expect(await createConversationPort(rig.conversation).undo()).toEqual({ text: "do it" });
    expect(rig.conversation.record().messageCount).toBe(0);
  });
});

describe("/branch", () => {
  test("/branch goes on in a copy; the original stays as it was, ended", async () => {
    await using rig = await openRig(["first", "in the copy"]);
    await rig.say("one");
    await rig.commands.run("/title Tides");
    const original = rig.conversation.record();
    expect(await rig.commands.run("/branch")).toMatchObject({ kind: "session_switched" });
    const copy = rig.conversation.record();
    expect(copy).toMatchObject({ parent: original.id, title: "Tides #2", messageCount: 2 });
    expect(copy.conversation).not.toBe(original.conversation);
    await rig.say("two");
    expect(spoken(rig.model.requests[1])).toEqual(["user: one", "assistant: first", "user: two"]);
    const { store } = rig.conversation;
    expect(await store.sessions.get(original.id)).toMatchObject({ endReason: "branched", messageCount: 2 });
  });

  test("/branch with a name that is taken gets a number", async () => {
    await using rig = await openRig(["first"]);
    await rig.say("one");
    await rig.commands.run("/title Tides");
    await rig.commands.run("/branch Tides");
    expect(rig.conversation.record().title).toBe("Tides #2");
  });

  test("a copy goes on in the same shell: directory, variables and functions are still there", async () => {
    const run = (command: string): ModelAnswerScript => ({ toolCalls: [{ name: "terminal", arguments: { command } }] });
    await using rig = await openRig([
      run("mkdir sub; cd sub; export TIDE=high; f() { echo from-f; }"),
      "done",
      run('echo "$TIDE $(basename "$PWD") $HERMES_SESSION_ID"; f'),
      "done",
    ]);
    await rig.say("prepare");
    await rig.commands.run("/branch");
    const events = await rig.say("look");
    const finished = events.find((event) => event.type === "tool_finished");
    expect(finished?.text).toContain(`high sub ${rig.conversation.record().id}`);
    expect(finished?.text).toContain("from-f");
  });

  test("a script that was written before a branch still counts as its content", async () => {
    await using rig = await openRig([
      { toolCalls: [{ name: "write_file", arguments: { path: "clean.sh", content: "rm -rf ~/important\n" } }] },
      "written",
      { toolCalls: [{ name: "terminal", arguments: { command: "bash clean.sh" } }] },
      "done",
    ]);
    await rig.say("write it");
    await rig.commands.run("/branch");
    const { agent } = rig.conversation.session();
    const seen: AgentEvent[] = [];
    for await (const event of rig.conversation.turns.run("run it", { signal: new AbortController().signal })) {
      seen.push(event);
      if (event.type === "approval_requested") agent.answerApproval(event.approvalId, "deny");
    }
    expect(seen.filter(({ type }) => type === "approval_requested")).toHaveLength(1);
  });
});

describe("R-SESS-1: /resume", () => {
  test("R-SESS-1 R-SESS-2 /resume takes an id, its beginning, a title, and each in brackets or quotes", async () => {
    await using rig = await openRig(["a", "b"]);
    await rig.say("one");
    const first = rig.conversation.record().id;
    await rig.commands.run("/title Tides");
    await rig.commands.run("/new");
    await rig.say("two");
    const second = rig.conversation.record().id;
    for (const name of [first, `[${first}]`, "Tides", '"Tides"', "<Tides>", first.slice(0, -1)]) {
      expect(await rig.commands.run(`/resume ${name}`)).toMatchObject({ kind: "session_switched", showHistory: true });
      expect(rig.conversation.record().id).toBe(first);
      expect(rig.conversation.record().endedAt).toBeNull();
      await rig.commands.run(`/resume ${second}`);
      expect(await rig.conversation.store.sessions.get(first)).toMatchObject({ endReason: "resumed_other" });
    }
    expect(await rig.commands.run("/resume [Tides")).toMatchObject({ kind: "error" });
  });

  test("a resumed session goes on where it was", async () => {
    await using rig = await openRig(["a", "b", "c"]);
    await rig.say("one");
    const first = rig.conversation.record().id;
    await rig.commands.run("/new");
    await rig.say("two");
    await rig.commands.run(`/resume ${first}`);
    await rig.say("three");
    expect(spoken(rig.model.requests[2])).toEqual(["user: one", "assistant: a", "user: three"]);
  });

  test("a session that another live process works on is busy, and nothing is switched", async () => {
    await using rig = await openRig(["a", "b"]);
    await rig.say("one");
    const first = rig.conversation.record().id;
    await rig.commands.run("/new");
    await rig.say("two");
    const other = await rig.temp.again().store();
    const held = await other.leases.acquire(first, "tui");
    expect(held.kind).toBe("held");
    const here = rig.conversation.record().id;
    const result = await rig.commands.run(`/resume ${first}`);
    expect(result).toMatchObject({ kind: "error", message: expect.stringContaining(`${process.pid} (tui)`) });
    expect(rig.conversation.record()).toMatchObject({ id: here, endedAt: null });
  });

  test("resuming the session that is open already changes nothing", async () => {
    await using rig = await openRig(["a"]);
    await rig.say("one");
    const { id } = rig.conversation.record();
    await rig.commands.run(`/resume ${id}`);
    expect(rig.conversation.record()).toMatchObject({ id, endedAt: null });
  });
});

describe("background processes", () => {
  test("/stop ends what was started before an /undo, and leaves other sessions' processes alone", async () => {
    const start = (seconds: number): ModelAnswerScript => ({
      toolCalls: [{ name: "terminal", arguments: { command: `sleep ${seconds}`, background: true } }],
    });
    await using rig = await openRig([start(301), "started", start(302), "started", "more"]);
    await rig.say("other session");
    await rig.commands.run("/new");
    await rig.say("this session");
    await rig.say("more");
    await rig.commands.run("/undo");
    expect(await rig.commands.run("/stop")).toMatchObject({ text: "1 background process ended." });
    const left = (await rig.conversation.host.processes.list()).filter(({ state }) => state.kind === "running");
    expect(left.map(({ command }) => command)).toEqual(["sleep 301"]);
    await rig.conversation.host.processes.killAll();
  });
});

describe("the end", () => {
  test("ending the conversation in the middle of a turn keeps what was said and ends the session", async () => {
    const rig = await openRig([{ text: "half an ans", gate: new Promise(() => undefined) }]);
    const reading = Array.fromAsync(rig.conversation.turns.run("one", { signal: new AbortController().signal }));
    await rig.model.called(1);
    const { id } = rig.conversation.record();
    await rig.conversation[Symbol.asyncDispose]();
    expect((await reading).at(-1)).toMatchObject({ type: "turn_finished", status: "interrupted" });
    const { store } = rig.conversation;
    expect(await store.sessions.get(id)).toMatchObject({ endReason: "cli_close", messageCount: 2 });
    await rig.temp[Symbol.asyncDispose]();
  });

  test("/quit --delete hides the session", async () => {
    await using rig = await openRig(["a"]);
    await rig.say("one");
    const { id } = rig.conversation.record();
    expect(await rig.commands.run("/quit --delete")).toEqual({ kind: "exit" });
    expect(rig.conversation.isDeleted()).toBe(true);
    expect((await rig.conversation.store.sessions.lookup(id)).kind).toBe("none");
  });
});
