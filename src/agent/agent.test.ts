import { expect, test } from "vitest";
import * as z from "zod";
import { createAgentRig, runToEnd, said } from "../testing/agent-rig.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import type { AgentEvent } from "./event.ts";
import { agentEventSchema } from "./event-schema.ts";
import { defineTool, type Concurrency, type Tool, type ToolContext } from "./tool.ts";

const tool = (
  name: string,
  run: (args: { value?: string | undefined }, context: ToolContext) => Promise<string>,
  concurrency: Concurrency = { kind: "anything" },
): Tool =>
  defineTool({
    name,
    toolset: "test",
    description: name,
    parameters: z.object({ value: z.string().optional() }),
    effects: "read",
    concurrency: () => concurrency,
    summarise: ({ value }) => `${name} ${value ?? ""}`,
    run: async (args, context) => ({ outcome: "ok", text: await run(args, context) }),
  });

const types = (events: readonly AgentEvent[]): readonly string[] => events.map(({ type }) => type);
const last = (events: readonly AgentEvent[]) => {
  const event = events.at(-1);
  if (event?.type !== "turn_finished") throw new Error(`the last event is ${event?.type}`);
  return event;
};
const never = new AbortController().signal;

test("a turn with calls: events in order, each saved message on disk, numbers without gaps", async () => {
  const model = createScriptedModel([
    { text: "looking", toolCalls: [{ name: "look", arguments: { value: "a" } }] },
    "found it",
  ]);
  await using rig = await createAgentRig({ model, tools: [tool("look", async ({ value }) => `saw ${value}`)] });
  const events = await runToEnd(rig.agent, "look please");
  expect(types(events).filter((type) => type !== "text")).toEqual([
    "start",
    "saved",
    "tool_preparing",
    "saved",
    "usage",
    "tool_started",
    "tool_finished",
    "saved",
    "saved",
    "usage",
    "turn_finished",
  ]);
  expect(last(events)).toMatchObject({ status: "completed", text: "found it", modelCalls: 2, toolCalls: 1 });
  expect(events.map(({ sequence }) => sequence)).toEqual([...events.keys()]);
  for (const event of events) expect(agentEventSchema.parse(event)).toEqual(event);
  const stored = await rig.store.messages.load(rig.session.id);
  expect(stored.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  const saved = events.flatMap((event) => (event.type === "saved" ? [[event.messageId, event.seq]] : []));
  expect(saved).toEqual(stored.map(({ id, seq }) => [id, seq]));
});

test("R-PROMPT-3 tools are the same bytes in every request, and each request begins with the one before", async () => {
  const answers = [
    { toolCalls: [{ name: "look" }] },
    { toolCalls: [{ name: "look", arguments: { value: "x" } }] },
    "one",
    "two",
  ];
  const model = createScriptedModel(answers);
  await using rig = await createAgentRig({
    model,
    tools: [tool("look", async () => "ok")],
    onDemand: [tool("rare", async () => "r")],
  });
  await runToEnd(rig.agent, "first");
  await runToEnd(rig.agent, "second");
  const requests = model.requests.map(({ system, tools, messages }) => ({
    head: JSON.stringify({ system, tools }),
    messages: messages.map((message) => JSON.stringify(message)),
  }));
  expect(new Set(requests.map(({ head }) => head)).size).toBe(1);
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1]?.messages ?? [];
    expect(request.messages.slice(0, before.length)).toEqual(before);
  }
});

test("safe calls run at the same time and are saved in the model's order; a lone one waits", async () => {
  const running: string[] = [];
  const gates = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  const slow = tool("slow", async ({ value }) => {
    running.push(`start ${value}`);
    if (value === "a") await gates.a.promise;
    else gates.a.resolve();
    running.push(`end ${value}`);
    return value ?? "";
  });
  const alone = tool(
    "alone",
    async () => {
      running.push("alone");
      return "alone";
    },
    { kind: "nothing" },
  );
  const model = createScriptedModel([
    {
      toolCalls: [
        { id: "1", name: "slow", arguments: { value: "a" } },
        { id: "2", name: "slow", arguments: { value: "b" } },
        { id: "3", name: "alone" },
      ],
    },
    "done",
  ]);
  await using rig = await createAgentRig({ model, tools: [slow, alone] });
  await runToEnd(rig.agent, "go");
  expect(running).toEqual(["start a", "start b", "end b", "end a", "alone"]);
  const results = (await rig.store.messages.load(rig.session.id)).flatMap((message) =>
    message.role === "tool" ? [message.parts[0].callId] : [],
  );
  expect(results).toEqual(["1", "2", "3"]);
});

test("B07 an answer cut at the output limit runs none of its calls, and the model is told", async () => {
  let ran = 0;
  const model = createScriptedModel([
    {
      toolCalls: [
        { name: "look", arguments: { value: "whole" } },
        { name: "look", arguments: '{"value":"li' },
      ],
      finish: "length",
    },
    "sorry",
  ]);
  await using rig = await createAgentRig({ model, tools: [tool("look", async () => String((ran += 1)))] });
  const events = await runToEnd(rig.agent, "write a lot");
  expect(ran).toBe(0);
  expect(events.filter((event) => event.type === "tool_finished").map((event) => event.text)).toEqual([
    expect.stringContaining("cut off"),
    expect.stringContaining("cut off"),
  ]);
  expect(last(events)).toMatchObject({ status: "completed", text: "sorry" });
});

test("B11 a refusal ends the turn with one request, and a call written before it is not run", async () => {
  let ran = 0;
  const look = tool("look", async () => String((ran += 1)));
  const model = createScriptedModel([
    { text: "I will not do that.", toolCalls: [{ name: "look" }], finish: "refusal" },
    "fine",
  ]);
  await using rig = await createAgentRig({ model, tools: [look] });
  expect(last(await runToEnd(rig.agent, "do it"))).toMatchObject({
    status: "completed",
    text: "I will not do that.",
    modelCalls: 1,
  });
  expect(ran).toBe(0);
  expect(last(await runToEnd(rig.agent, "something else")).text).toBe("fine");
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
});

test("an interrupt during an answer keeps what had arrived; roles stay valid and the next turn goes on", async () => {
  const gate = Promise.withResolvers<void>();
  const model = createScriptedModel([{ text: "half an ans", gate: gate.promise }, "whole"]);
  await using rig = await createAgentRig({ model });
  const interrupt = new AbortController();
  const events: AgentEvent[] = [];
  for await (const event of rig.agent.run(said("go"), { signal: interrupt.signal })) {
    events.push(event);
    if (event.type === "text") interrupt.abort();
  }
  expect(last(events)).toMatchObject({ status: "interrupted", text: "half an ans" });
  expect(last(await runToEnd(rig.agent, "again")).text).toBe("whole");
  expect((await rig.store.messages.load(rig.session.id)).map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
});

test("an interrupt while calls run ends them and leaves a result for each", async () => {
  const model = createScriptedModel([
    {
      toolCalls: [
        { id: "1", name: "hang" },
        { id: "2", name: "lone" },
      ],
    },
    "after",
  ]);
  const interrupt = new AbortController();
  const hang = tool("hang", (_, { signal }) => {
    interrupt.abort();
    return Promise.reject(signal.reason);
  });
  await using rig = await createAgentRig({
    model,
    tools: [hang, tool("lone", async () => "ran", { kind: "nothing" })],
  });
  const events = await runToEnd(rig.agent, "go", interrupt.signal);
  expect(last(events).status).toBe("interrupted");
  expect(events.filter((event) => event.type === "tool_finished").map(({ outcome }) => outcome)).toEqual([
    "interrupted",
    "interrupted",
  ]);
  expect(last(await runToEnd(rig.agent, "again")).text).toBe("after");
});

test("a reader that leaves early interrupts the turn and gives the session back", async () => {
  const model = createScriptedModel([{ text: ["a", "b"], gate: new Promise(() => {}) }, "next"]);
  await using rig = await createAgentRig({ model });
  for await (const event of rig.agent.run(said("go"), { signal: never })) if (event.type === "text") break;
  for (let tries = 0; (await rig.store.leases.holder(rig.session.id)) !== undefined && tries < 1_000; tries += 1)
    await Promise.resolve();
  expect(last(await runToEnd(rig.agent, "again")).text).toBe("next");
});

test("a failed call ends the turn with the error; the message is kept and the next turn goes on", async () => {
  const model = createScriptedModel([{ failure: { kind: "auth", message: "bad key", status: 401 } }, "better"]);
  await using rig = await createAgentRig({ model });
  const events = await runToEnd(rig.agent, "hello");
  expect(last(events)).toMatchObject({
    status: "failed",
    error: { code: "agent.provider_failed", message: expect.stringContaining("bad key") },
    modelCalls: 1,
  });
  expect(rig.errors).toEqual(["turn failed"]);
  expect(last(await runToEnd(rig.agent, "again")).text).toBe("better");
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("the budget of model calls ends with a summary without calls", async () => {
  const call = { toolCalls: [{ name: "look" }] };
  const model = createScriptedModel([call, call, { text: "where things stand", toolCalls: [{ name: "look" }] }]);
  await using rig = await createAgentRig({ model, tools: [tool("look", async () => "ok")], maxTurns: 2 });
  const end = last(await runToEnd(rig.agent, "go"));
  expect(end).toMatchObject({ status: "budget_exhausted", text: "where things stand", modelCalls: 3, toolCalls: 2 });
  const stored = await rig.store.messages.load(rig.session.id);
  expect(stored.at(-1)).toMatchObject({ role: "assistant", parts: [{ type: "text" }] });
});

test("steering: said during a tool call, heard before the next answer; said too late for a call, answered in the same turn", async () => {
  const model = createScriptedModel([{ toolCalls: [{ name: "look" }] }, "first", "second"]);
  const steer: { say?: (text: string) => boolean } = {};
  const look = tool("look", async () => {
    expect(steer.say?.("left, not right")).toBe(true);
    return "ok";
  });
  await using rig = await createAgentRig({ model, tools: [look] });
  steer.say = (text) => rig.agent.steer(text);
  expect(rig.agent.steer("nobody listens")).toBe(false);
  const events: AgentEvent[] = [];
  for await (const event of rig.agent.run(said("go"), { signal: never })) {
    events.push(event);
    if (event.type === "text" && event.delta === "first") rig.agent.steer("and then?");
  }
  expect(events.flatMap((event) => (event.type === "steered" ? [event.text] : []))).toEqual([
    "left, not right",
    "and then?",
  ]);
  expect(last(events).text).toBe("second");
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", parts: [{ text: "left, not right" }] });
});

test("a killed turn is completed at the next one: interrupted results first, then the new message", async () => {
  const model = createScriptedModel([
    {
      toolCalls: [
        { id: "1", name: "look" },
        { id: "2", name: "die", arguments: {} },
      ],
    },
  ]);
  await using rig = await createAgentRig({
    model,
    tools: [tool("look", async () => "ok"), tool("die", async () => "never saved")],
  });
  const events = rig.agent.run(said("go"), { signal: never });
  // What a kill leaves: everything up to some commit. Here the first result was committed and the second was not.
  let saves = 0;
  for await (const event of events) if (event.type === "saved" && (saves += 1) === 3) break;
  for (let tries = 0; (await rig.store.leases.holder(rig.session.id)) !== undefined && tries < 1_000; tries += 1)
    await Promise.resolve();
  const second = createScriptedModel(["on we go"]);
  expect(last(await runToEnd(rig.restart(second), "still there?")).text).toBe("on we go");
  const asked = second.requests[0]?.messages ?? [];
  const calls = asked.flatMap((message) =>
    message.role === "assistant" ? message.parts.filter((part) => part.type === "tool_call").map(({ id }) => id) : [],
  );
  const results = asked.flatMap((message) => (message.role === "tool" ? [message.parts[0].callId] : []));
  expect(results).toEqual(calls);
});

test("two agents on one session: the second is told who works on it, and then sees what the first said", async () => {
  const gate = Promise.withResolvers<void>();
  const model = createScriptedModel([{ text: "working", gate: gate.promise }]);
  const other = createScriptedModel(["mine"]);
  await using rig = await createAgentRig({ model });
  const second = rig.restart(other);
  const first = runToEnd(rig.agent, "one");
  await model.called(1);
  expect(last(await runToEnd(second, "two"))).toMatchObject({
    status: "failed",
    error: { code: "agent.session_busy", message: expect.stringContaining(`pid ${process.pid}`) },
  });
  gate.resolve();
  await first;
  expect(last(await runToEnd(second, "two")).text).toBe("mine");
  expect(other.requests[0]?.messages).toHaveLength(3);
});

test("an approval waits for its answer; without anyone to ask, the action is refused (R-SAFE-2)", async () => {
  const asks = tool("asks", async (_, context) => {
    const outcome = await context.approve({ kind: "command", command: "git push --force", cwd: context.cwd() });
    return outcome.kind === "allowed" ? "allowed" : `refused: ${outcome.because}`;
  });
  const script = [{ toolCalls: [{ id: "c", name: "asks" }] }, "done"];
  await using asked = await createAgentRig({ model: createScriptedModel(script), tools: [asks], interactive: true });
  const events: AgentEvent[] = [];
  for await (const event of asked.agent.run(said("push"), { signal: never })) {
    events.push(event);
    if (event.type !== "approval_requested") continue;
    expect(event).toMatchObject({ callId: "c", subject: "git push --force", action: "command" });
    expect(asked.agent.answerApproval("ask_unknown", "once")).toBe(false);
    expect(asked.agent.answerApproval(event.approvalId, "once")).toBe(true);
  }
  expect(events.find((event) => event.type === "tool_finished")).toMatchObject({ text: "allowed" });
  expect(events.find((event) => event.type === "approval_resolved")).toMatchObject({ answer: "once" });

  await using alone = await createAgentRig({ model: createScriptedModel(script), tools: [asks] });
  const refused = await runToEnd(alone.agent, "push");
  expect(refused.find((event) => event.type === "tool_finished")).toMatchObject({
    text: expect.stringContaining("refused"),
  });
});

test("a question to the person: its answer, or nobody there", async () => {
  const asks = tool("asks", async (_, context) => (await context.clarify("Which?", ["a", "b"])) ?? "nobody");
  const script = [{ toolCalls: [{ name: "asks" }] }, "done"];
  await using asked = await createAgentRig({ model: createScriptedModel(script), tools: [asks], interactive: true });
  const events: AgentEvent[] = [];
  for await (const event of asked.agent.run(said("?"), { signal: never })) {
    events.push(event);
    if (event.type === "clarify_requested") asked.agent.answerClarify(event.clarifyId, "b");
  }
  expect(events.find((event) => event.type === "tool_finished")).toMatchObject({ text: "b" });
  await using alone = await createAgentRig({ model: createScriptedModel(script), tools: [asks] });
  expect((await runToEnd(alone.agent, "?")).find((event) => event.type === "tool_finished")).toMatchObject({
    text: "nobody",
  });
});

test("R-REDACT-1 what was said raw stays raw for the model while the session runs, and is masked on disk and after a restart", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const model = createScriptedModel([`you said ${secret}`, "yes"]);
  await using rig = await createAgentRig({ model });
  expect(last(await runToEnd(rig.agent, `my key is ${secret}`)).text).toContain(secret);
  await runToEnd(rig.agent, "still?");
  expect(JSON.stringify(model.requests[1])).toContain(secret);
  expect(JSON.stringify(await rig.store.messages.load(rig.session.id))).not.toContain(secret);
  const restarted = createScriptedModel(["hm"]);
  await runToEnd(rig.restart(restarted), "and now?");
  expect(JSON.stringify(restarted.requests[0])).not.toContain(secret);
});

test("repeats end the turn where the owner wants a hard stop", async () => {
  const call = { toolCalls: [{ name: "broken" }] };
  const broken = defineTool({
    ...tool("broken", async () => ""),
    run: async () => ({ outcome: "error" as const, text: "no" }),
  });
  const limits = { exactFailure: 2, sameToolFailure: 9, noProgress: 9 };
  await using rig = await createAgentRig({
    model: createScriptedModel([call, call, call]),
    tools: [broken],
    loopLimits: { hardStop: true, stopAfter: limits },
  });
  expect(last(await runToEnd(rig.agent, "go"))).toMatchObject({ status: "failed", modelCalls: 2 });
});
