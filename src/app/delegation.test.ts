import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent, AgentEventOf } from "../agent/event.ts";
import type { SessionRecord } from "../store/store.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import {
  startScriptedProvider,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedProvider,
} from "../testing/scripted-provider/scripted-provider.ts";
import { createTempApp, type TempApp, type TempAppOptions } from "../testing/temp-app.ts";
import { openSession, type OpenSession } from "./open-session.ts";
import type { SessionRequest } from "./session-request.ts";

interface SentMessage {
  readonly role: string;
  readonly content: string | null;
}

const messagesOf = ({ body }: RecordedRequest): readonly SentMessage[] => body["messages"] as readonly SentMessage[];
const toolsOf = ({ body }: RecordedRequest): readonly string[] =>
  ((body["tools"] ?? []) as readonly { function: { name: string } }[]).map((tool) => tool.function.name);
const isChild = (request: RecordedRequest): boolean =>
  messagesOf(request)[0]?.content?.startsWith("You are a sub-agent") === true;
/** What was said to whoever asks, without its context line. */
const goalOf = (request: RecordedRequest): string =>
  messagesOf(request)
    .find(({ role }) => role === "user")
    ?.content?.replace(/\s*\[\w{3} [^\]]*\]$/u, "") ?? "";
const lastOf = (request: RecordedRequest): string => messagesOf(request).at(-1)?.content ?? "";
const isFirst = (request: RecordedRequest): boolean => messagesOf(request).at(-1)?.role === "user";

const call = (name: string, given: Readonly<Record<string, unknown>>): ScriptedAnswer => ({
  toolCalls: [{ name, arguments: given }],
});

type Answering = (request: RecordedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

interface Rig extends AsyncDisposable {
  readonly temp: TempApp;
  readonly provider: ScriptedProvider;
  readonly session: OpenSession;
  readonly open: (more?: Partial<SessionRequest>) => Promise<OpenSession>;
  readonly turn: (text: string, signal?: AbortSignal) => Promise<readonly AgentEvent[]>;
  readonly children: () => Promise<readonly SessionRecord[]>;
}

interface RigOptions extends Pick<TempAppOptions, "clock"> {
  readonly parent: Answering;
  readonly child: Answering;
  readonly config?: string;
  readonly request?: Partial<SessionRequest>;
}

const createRig = async ({ parent, child, config = "", request = {}, clock }: RigOptions): Promise<Rig> => {
  const provider = await startScriptedProvider();
  provider.answerAlways((asked) => (isChild(asked) ? child(asked) : parent(asked)));
  const temp = createTempApp({
    config: `model:\n  provider: custom\n  base_url: ${provider.baseUrl}\n  default: m\n  context_length: 64000\n${config}`,
    ...(clock === undefined ? {} : { clock }),
  });
  const open = (more: Partial<SessionRequest> = {}): Promise<OpenSession> =>
    openSession(temp.app, temp.request({ interactive: false, practiceAllowed: false, ...more }));
  const session = await open(request);
  return {
    temp,
    provider,
    session,
    open,
    turn: (text, signal = new AbortController().signal) =>
      Array.fromAsync(session.agent.run({ parts: [{ type: "text", text }], origin: { surface: "cli" } }, { signal })),
    children: async () => (await temp.app.store()).sessions.list({ source: "subagent" }),
    [Symbol.asyncDispose]: async () => {
      await session[Symbol.asyncDispose]();
      await provider.close();
      await temp[Symbol.asyncDispose]();
    },
  };
};

/** A parent that delegates once and says then what it read. */
const delegating =
  (given: Readonly<Record<string, unknown>>): Answering =>
  (request) =>
    isFirst(request) ? call("delegate_task", given) : { text: `read: ${lastOf(request)}` };

const endOf = (events: readonly AgentEvent[]): AgentEventOf<"turn_finished"> => {
  const end = events.at(-1);
  if (end?.type !== "turn_finished") throw new Error("the turn has no end");
  return end;
};
const of = <T extends AgentEvent["type"]>(events: readonly AgentEvent[], type: T) =>
  events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // the one way in which the system says that there is no such process
  }
};

test("a batch runs at the same time over HTTP: each child in a session of its own, with its goal and nothing else", async () => {
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  await using rig = await createRig({
    parent: delegating({
      tasks: [{ goal: "count the cats", context: "they are in the barn" }, { goal: "count the dogs" }],
    }),
    child: async (request) => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      await both.promise;
      return { text: `answer to ${goalOf(request)}` };
    },
  });
  const events = await rig.turn("a secret of the conversation: count the animals");
  const end = endOf(events);
  expect(end).toMatchObject({ status: "completed", modelCalls: 2, toolCalls: 1 });
  expect(end.text).toMatch(
    /Task 1 of 2 \(count the cats\): completed[\s\S]+barn[\s\S]+Task 2 of 2[\s\S]+count the dogs/u,
  );
  const asked = rig.provider.requests.filter(isChild);
  expect(asked.map(goalOf).toSorted()).toEqual(["count the cats\n\nContext:\nthey are in the barn", "count the dogs"]);
  for (const request of asked) {
    expect(request.rawBody).not.toContain("secret of the conversation");
    expect(toolsOf(request).toSorted()).toEqual([
      "patch",
      "process",
      "read_file",
      "search_files",
      "terminal",
      "write_file",
    ]);
    expect(messagesOf(request)[0]?.content).toContain(`Working directory at start: ${rig.temp.cwd}`);
  }
  const children = await rig.children();
  expect(children.map(({ parent, cwd, endReason, messageCount }) => [parent, cwd, endReason, messageCount])).toEqual([
    [rig.session.record.id, rig.temp.cwd, "delegated", 2],
    [rig.session.record.id, rig.temp.cwd, "delegated", 2],
  ]);
  const store = await rig.temp.app.store();
  const listed = await store.sessions.list({ listed: true });
  expect(listed.map(({ id }) => id)).toEqual([rig.session.record.id]);
  const started = of(events, "subagent_started");
  expect(started.map(({ index, goal, parent }) => [index, goal, parent])).toEqual([
    [0, "count the cats", rig.session.record.id],
    [1, "count the dogs", rig.session.record.id],
  ]);
  expect(started.map(({ child }) => child).toSorted()).toEqual(children.map(({ id }) => String(id)).toSorted());
  expect(of(events, "subagent_finished").map(({ status, modelCalls }) => [status, modelCalls])).toEqual([
    ["completed", 1],
    ["completed", 1],
  ]);
  // What stands around the event is the stream's own session.
  expect(started.every(({ session }) => session === rig.session.record.id)).toBe(true);
});

test("a child can be opened by its id and goes on where it was", async () => {
  await using rig = await createRig({
    parent: delegating({ goal: "look" }),
    child: (request) => ({
      text: goalOf(request) === "look" && isFirst(request) ? `seen ${messagesOf(request).length}` : "?",
    }),
  });
  await rig.turn("go");
  const [child] = await rig.children();
  await using again = await rig.open({ start: { kind: "named", name: child?.id ?? "" } });
  expect(again.record).toMatchObject({ id: child?.id, source: "subagent" });
  const events = await Array.fromAsync(
    again.agent.run(
      { parts: [{ type: "text", text: "more" }], origin: { surface: "cli" } },
      { signal: new AbortController().signal },
    ),
  );
  expect(endOf(events)).toMatchObject({ status: "completed", text: "seen 4" });
});

test("a child has a shell of its own, which begins where its parent's is and leaves that one alone", async () => {
  await using rig = await createRig({
    parent: (request) => {
      if (isFirst(request)) return call("terminal", { command: "mkdir sub && cd sub && export MINE=1" });
      const step = messagesOf(request).filter(({ role }) => role === "tool").length;
      if (step === 1) return call("delegate_task", { goal: "wander" });
      if (step === 2) return call("terminal", { command: "pwd; echo mine=$MINE theirs=$THEIRS" });
      return { text: lastOf(request) };
    },
    child: (request) =>
      isFirst(request)
        ? call("terminal", { command: "pwd; echo mine=$MINE; cd /; export THEIRS=1; kill -9 $$" })
        : { text: lastOf(request) },
  });
  const events = await rig.turn("go");
  expect(endOf(events).text).toContain(`${rig.temp.cwd}/sub\nmine=1 theirs=`);
  const told = of(events, "tool_finished").find(({ tool }) => tool === "delegate_task");
  expect(told?.text).toContain(`${rig.temp.cwd}/sub\nmine=\n`);
});

test("two children that change one file do not overwrite each other, and the parent learns that what it read is old", async () => {
  const bothRead = Promise.withResolvers<void>();
  let readers = 0;
  await using rig = await createRig({
    parent: (request) => {
      if (isFirst(request)) return call("read_file", { path: "plan.md" });
      const step = messagesOf(request).filter(({ role }) => role === "tool").length;
      if (step === 1) return call("delegate_task", { tasks: [{ goal: "A" }, { goal: "B" }] });
      if (step === 2) return call("write_file", { path: "plan.md", content: "mine\n" });
      return { text: lastOf(request) };
    },
    child: async (request) => {
      const step = messagesOf(request).filter(({ role }) => role === "tool").length;
      if (step === 0) return call("read_file", { path: "plan.md" });
      if (step === 1) {
        readers += 1;
        if (readers === 2) bothRead.resolve();
        await bothRead.promise;
        return call("write_file", { path: "plan.md", content: `by ${goalOf(request)}\n` });
      }
      return { text: lastOf(request) };
    },
  });
  writeFileSync(join(rig.temp.cwd, "plan.md"), "the plan\n");
  const events = await rig.turn("go");
  const told = of(events, "tool_finished").find(({ tool }) => tool === "delegate_task")?.text ?? "";
  expect(told.match(/Wrote plan\.md/gu)).toHaveLength(1);
  expect(told).toMatch(/plan\.md was changed by somebody else/u);
  expect(told).toMatch(/\[Changed since you read them: plan\.md\. Read them again/u);
  expect(endOf(events).text).toContain("was changed by somebody else since you last read it");
  expect(readFileSync(join(rig.temp.cwd, "plan.md"), "utf8")).toMatch(/^by [AB]\n$/u);
});

test("R-MONEY-2 a child's calls count to the session that began it: at its cap the child makes no call", async () => {
  await using rig = await createRig({
    config: "budget: {session_tokens: 30000}\n",
    parent: (request) =>
      isFirst(request)
        ? { ...call("delegate_task", { goal: "spend" }), usage: { prompt: 16_000, completion: 100 } }
        : { text: "not said either" },
    child: (request) =>
      isFirst(request)
        ? { ...call("terminal", { command: "true" }), usage: { prompt: 10_000, completion: 100 } }
        : { text: "never said" },
  });
  const events = await rig.turn("go");
  const told = of(events, "tool_finished")[0]?.text ?? "";
  expect(told).toMatch(/^failed after .*budget does not allow another call/u);
  expect(rig.provider.requests.filter(isChild)).toHaveLength(1);
  // What the child was told of money reaches whoever reads the parent's stream.
  const near = events.findIndex((event) => event.type === "notice" && event.code === "spend.cap_near");
  const ended = events.findIndex(({ type }) => type === "subagent_finished");
  expect(near).toBeGreaterThan(0);
  expect(near).toBeLessThan(ended);
  const { spending } = rig.session.models;
  const [own] = await spending.status(rig.session.record.id);
  const [child] = await rig.children();
  expect((await spending.status(child?.id))[0]?.caps).toEqual(own?.caps);
  expect(own?.caps).toMatchObject([{ period: "session", used: 16_100 + 10_100, cap: 30_000 }]);
});

test("an interruption ends all children: their commands are dead, their transcripts closed, their leases free", async () => {
  const stop = new AbortController();
  await using rig = await createRig({
    parent: delegating({ tasks: [{ goal: "one" }, { goal: "two" }] }),
    child: (request) =>
      isFirst(request)
        ? call("terminal", {
            command: `echo $$ > ${goalOf(request)}.pid; sleep 300 & echo $! > ${goalOf(request)}.bg; wait`,
          })
        : { text: "?" },
  });
  const pidFiles = ["one.pid", "two.pid", "one.bg", "two.bg"].map((name) => join(rig.temp.cwd, name));
  const running = rig.turn("go", stop.signal);
  await expect
    .poll(() => pidFiles.every((file) => existsSync(file) && readFileSync(file, "utf8") !== ""), { timeout: 15_000 })
    .toBe(true);
  const pids = pidFiles.map((file) => Number(readFileSync(file, "utf8")));
  stop.abort();
  const events = await running;
  expect(endOf(events)).toMatchObject({ status: "interrupted" });
  expect(of(events, "subagent_finished").map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
  expect(of(events, "tool_finished")).toMatchObject([{ tool: "delegate_task", outcome: "interrupted" }]);
  for (const pid of pids) expect(isRunning(pid)).toBe(false);
  const store = await rig.temp.app.store();
  for (const { id } of await rig.children()) {
    expect(await store.leases.holder(id)).toBeUndefined();
    const messages = await store.messages.load(id);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  }
  expect(rig.session.children.list()).toEqual([]);
});

test("compat 4.8: an orchestrator delegates where the depth leaves room; the whole tree is told in the caller's stream", async () => {
  await using rig = await createRig({
    config: "delegation: {max_spawn_depth: 2}\n",
    parent: delegating({ goal: "organise", role: "orchestrator" }),
    child: (request) => {
      if (goalOf(request) === "deep") return { text: "from below" };
      return isFirst(request)
        ? call("delegate_task", { goal: "deep", role: "orchestrator" })
        : { text: lastOf(request) };
    },
  });
  const events = await rig.turn("go");
  expect(endOf(events).text).toContain("from below");
  const started = of(events, "subagent_started");
  expect(started.map(({ goal }) => goal)).toEqual(["organise", "deep"]);
  expect(started[1]?.parent).toBe(started[0]?.child);
  const [delegation] = of(events, "tool_started");
  expect(started.map(({ callId }) => callId)).toEqual([delegation?.callId, delegation?.callId]);
  const deep = rig.provider.requests.find((request) => isChild(request) && goalOf(request) === "deep");
  expect(deep === undefined ? [] : toolsOf(deep)).not.toContain("delegate_task");
  const children = await rig.children();
  expect(new Set(children.map(({ parent }) => parent))).toEqual(new Set([rig.session.record.id, started[0]?.child]));
});

test("a child's model: delegation names it, without fallbacks; what cannot be called is said, and nothing else is called", async () => {
  await using other = await startScriptedProvider();
  other.answerAlways({ text: "from the other place" });
  await using rig = await createRig({
    config: `delegation:\n  base_url: ${other.baseUrl}\n  model: small\n  api_key: k-1\n  reasoning_effort: low\n`,
    parent: delegating({ goal: "x" }),
    child: () => ({ text: "from the conversation's place" }),
  });
  expect(endOf(await rig.turn("go")).text).toContain("from the other place");
  expect(other.requests[0]).toMatchObject({ body: { model: "small" }, headers: { authorization: "Bearer k-1" } });
  expect((await rig.children())[0]).toMatchObject({ provider: "custom", model: "small" });

  await using broken = await createRig({
    config: "delegation: {provider: nobody, model: x}\n",
    parent: delegating({ goal: "x" }),
    child: () => ({ text: "?" }),
  });
  const events = await broken.turn("go");
  expect(of(events, "tool_finished")).toMatchObject([
    { outcome: "error", text: expect.stringMatching(/^error\. The model of sub-agents cannot be called: .*nobody/u) },
  ]);
  expect([await broken.children(), of(events, "subagent_started")]).toEqual([[], []]);
});

const DANGEROUS = "git push --force origin main";
const BLOCKED = "mkfs.ext4 /dev/sda1";
const trying =
  (command: string): Answering =>
  (request) =>
    isFirst(request) ? call("terminal", { command }) : { text: lastOf(request) };
const toldBy = async (options: Partial<RigOptions>, command: string): Promise<string> => {
  await using rig = await createRig({ parent: delegating({ goal: "try" }), child: trying(command), ...options });
  return of(await rig.turn("go"), "tool_finished").at(-1)?.text ?? "";
};

test("R-SAFE-2 a child's dangerous action is refused, allowed by subagent_auto_approve or its parent's YOLO, and never what is blocked", async () => {
  expect(await toldBy({ request: { interactive: true } }, DANGEROUS)).toContain("nobody can be asked");
  const auto = { config: "delegation: {subagent_auto_approve: true}\n" };
  expect(await toldBy(auto, DANGEROUS)).toContain("not a git repository");
  expect(await toldBy(auto, BLOCKED)).toContain("This is never run");
  expect(await toldBy({ request: { yolo: true } }, DANGEROUS)).toContain("not a git repository");
  expect(await toldBy({ request: { yolo: true } }, BLOCKED)).toContain("This is never run");
});

test("a child that runs out of time before its model answers leaves a diagnosis in the logs", async () => {
  const clock = createFakeClock({ now: Date.UTC(2026, 11, 1, 12) });
  await using rig = await createRig({
    clock,
    config: "delegation: {child_timeout_seconds: 5}\n",
    parent: delegating({ goal: "wait for nothing" }),
    child: () => ({ misbehave: { kind: "hang" } }),
  });
  const running = rig.turn("go");
  await rig.provider.waitForRequests(2);
  await clock.advance(29_000);
  expect(rig.session.children.list()).toHaveLength(1);
  await clock.advance(1_000);
  const events = await running;
  const told = of(events, "tool_finished")[0]?.text ?? "";
  expect(told).toContain("timeout after 30 s");
  const [log] = readdirSync(rig.temp.app.paths.logs).filter((name) => name.startsWith("subagent-timeout-"));
  const [child] = await rig.children();
  expect(log).toMatch(new RegExp(`^subagent-timeout-${child?.id}-\\d{8}T\\d{6}Z\\.log$`, "u"));
  const text = readFileSync(join(rig.temp.app.paths.logs, log ?? ""), "utf8");
  expect(text).toContain("wait for nothing");
  expect(text).toContain(rig.provider.baseUrl);
  expect(told).toContain(log);
});

test("a toolset that a child cannot have is an error that names what there is; narrower runs get narrower children", async () => {
  await using rig = await createRig({
    request: { toolsets: ["file", "delegation"] },
    parent: delegating({ tasks: [{ goal: "a" }, { goal: "b", toolsets: ["terminal"] }] }),
    child: (request) => ({ text: toolsOf(request).join(" ") }),
  });
  const told = of(await rig.turn("go"), "tool_finished")[0]?.text ?? "";
  expect(told).toContain("read_file write_file patch search_files");
  expect(told).not.toMatch(/read_file.* terminal/u);
  expect(told).toMatch(
    /Task 2 of 2 \(b\): error\. There is no toolset or tool named "terminal"[\s\S]+Available: .*file/u,
  );
});

test("background processes go on after a child that completed, which the parent is told, and end with one that did not", async () => {
  await using rig = await createRig({
    parent: delegating({ tasks: [{ goal: "serve" }, { goal: "fail" }] }),
    child: (request) => {
      if (isFirst(request))
        return call("terminal", { command: `echo $$ > ${goalOf(request)}.pid; sleep 300`, background: true });
      return goalOf(request) === "serve" ? { text: "it runs" } : { status: 400, body: '{"error":{"message":"no"}}' };
    },
  });
  const events = await rig.turn("go");
  expect(
    of(events, "subagent_finished")
      .map(({ status }) => status)
      .toSorted((a, b) => (a < b ? -1 : 1)),
  ).toEqual(["completed", "failed"]);
  const told = of(events, "tool_finished")[0]?.text ?? "";
  expect(told.match(/Left running: proc_\w+ \(echo \$\$ > serve\.pid; sleep 300\)/gu)).toHaveLength(1);
  expect(told).not.toContain("fail.pid");
  const processes = await rig.session.tools.processes.list();
  expect(processes.map(({ command, state }) => [command.includes("serve"), state.kind === "running"])).toEqual(
    expect.arrayContaining([
      [true, true],
      [false, false],
    ]),
  );
  for (const { session } of processes) await rig.session.tools.processes.killAll(session);
});

test("YOLO holds for children as it stands at that moment; what was allowed for one session does not", async () => {
  await using rig = await createRig({
    request: { interactive: true },
    parent: (request) => {
      if (isFirst(request)) return call("terminal", { command: DANGEROUS });
      const said = messagesOf(request).findLastIndex(({ role }) => role === "user");
      const steps = messagesOf(request).length - said;
      return steps === 3 ? call("delegate_task", { goal: "try" }) : { text: lastOf(request) };
    },
    child: trying(DANGEROUS),
  });
  const { agent, approvals } = rig.session;
  const told: string[] = [];
  for (const yolo of [false, true]) {
    const input = { parts: [{ type: "text" as const, text: "go" }], origin: { surface: "cli" } };
    for await (const event of agent.run(input, { signal: new AbortController().signal })) {
      if (event.type === "approval_requested") agent.answerApproval(event.approvalId, "session");
      if (event.type === "tool_finished" && event.tool === "delegate_task") told.push(event.text);
      if (event.type === "subagent_started") approvals.setYolo(yolo);
    }
  }
  expect(told[0]).toContain("nobody can be asked");
  expect(told[1]).toContain("not a git repository");
});
