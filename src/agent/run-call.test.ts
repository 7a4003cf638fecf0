import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { newId, parseSessionId } from "../base/ids.ts";
import { createRedactor } from "../base/redact/redact-text.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import type { AgentEventBody } from "./event.ts";
import { createLoopGuardrail } from "./loop-guardrail.ts";
import { runCall, type CallContext, type RunCallDeps } from "./run-call.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";
import { createToolOutputStore } from "./tool-output.ts";

const SESSION = parseSessionId("20261201_080000_abcdef")!;
const secret = `ghp_${"x7Qz".repeat(9)}`;
const repeats = { exactFailure: 2, sameToolFailure: 9, noProgress: 9 };

const setUp = (directory: string) => {
  const events: AgentEventBody[] = [];
  const logged: string[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message: string) => void logged.push(message),
    child: () => log,
  };
  const deps: RunCallDeps = {
    clock: createFakeClock(),
    redactor: createRedactor({ enabled: true }),
    outputs: createToolOutputStore(directory),
    log,
    guardrail: createLoopGuardrail({ warnings: true, hardStop: false, warnAfter: repeats, stopAfter: repeats }),
    maxResultChars: 1_000,
    emit: async (event) => void events.push(event),
    offer: (event) => void events.push(event),
    beforeWrite: async () => undefined,
  };
  return { deps, events, logged };
};

const contextOf = (signal: AbortSignal): CallContext => ({
  signal,
  session: SESSION,
  turn: newId("trn", 0),
  callId: "c/1",
  cwd: () => "/",
  approve: async () => ({ kind: "allowed" }),
  clarify: async () => undefined,
  publishTodos: () => {},
  publishChild: async () => {},
});

const planned = (run: (args: { path: string }, context: ToolContext) => Promise<ToolResult>) => ({
  kind: "ready" as const,
  call: { type: "tool_call" as const, id: "c/1", name: "tool", arguments: '{"path":"a"}' },
  tool: defineTool({
    name: "tool",
    toolset: "t",
    description: "",
    parameters: z.object({ path: z.string() }),
    effects: "read",
    concurrency: () => ({ kind: "anything" }),
    summarise: ({ path }) => `read ${path}`,
    run,
  }),
  args: { path: secret },
  concurrency: { kind: "anything" as const },
});

const textOf = ({ part }: Awaited<ReturnType<typeof runCall>>): string =>
  part.content.map((item) => (item.type === "text" ? item.text : "")).join("");

test("R-REDACT-1 a tool runs with the raw arguments; what is shown and kept of them and of the result is masked", async () => {
  await using directory = createTempDirectory();
  const { deps, events } = setUp(directory.path);
  const seen: string[] = [];
  const result = await runCall(
    deps,
    planned(async ({ path }) => {
      seen.push(path);
      return { outcome: "ok", text: `token ${path}`, diff: `+${path}` };
    }),
    contextOf(new AbortController().signal),
  );
  expect(seen).toEqual([secret]);
  expect(JSON.stringify([result, events])).not.toContain(secret);
  expect(textOf(result)).toMatch(/«secret:/);
  expect(events.map(({ type }) => type)).toEqual(["tool_started", "tool_finished"]);
});

test("a long result is cut with a pointer to the whole masked text, and no secret is cut in half", async () => {
  await using directory = createTempDirectory();
  const { deps } = setUp(directory.path);
  const long = `${"a".repeat(740)} ${secret} ${"🦜".repeat(2_000)}`;
  const text = textOf(
    await runCall(
      deps,
      planned(async () => ({ outcome: "ok", text: long })),
      contextOf(new AbortController().signal),
    ),
  );
  expect(text.length).toBeLessThan(1_200);
  const path = /full text: (.+)\]/.exec(text)?.[1] ?? "";
  const whole = await readFile(path, "utf8");
  expect(whole).toContain("🦜".repeat(2_000));
  expect(whole + text).not.toContain(secret.slice(0, 12));
  expect(text.isWellFormed()).toBe(true);
});

test("each long result has a file of its own, also where a provider gives two calls one id", async () => {
  await using directory = createTempDirectory();
  const { deps } = setUp(directory.path);
  const texts = ["a".repeat(3_000), "b".repeat(3_000)];
  const { signal } = new AbortController();
  const results = [];
  for (const text of texts) {
    const ready = planned(async () => ({ outcome: "ok", text }));
    results.push(textOf(await runCall(deps, ready, contextOf(signal))));
  }
  const paths = results.map((text) => /full text: (.*)\]/.exec(text)?.[1] ?? "");
  expect(await Promise.all(paths.map((path) => readFile(path, "utf8")))).toEqual(texts);
});

test("where the whole text cannot be kept, the result says so and the turn goes on", async () => {
  await using directory = createTempDirectory();
  const { deps } = setUp(directory.path);
  await writeFile(join(directory.path, "file"), "");
  const outputs = createToolOutputStore(join(directory.path, "file"));
  const ready = planned(async () => ({ outcome: "ok", text: "a".repeat(3_000) }));
  const result = await runCall({ ...deps, outputs }, ready, contextOf(new AbortController().signal));
  expect(textOf(result)).toMatch(/^a{750}\n\[2000 characters cut; full text: could not be kept\]\na{250}$/);
  expect(result.part.outcome).toBe("ok");
});

test("what a tool throws becomes an error result and a log line; after an interrupt it is an interrupted one", async () => {
  await using directory = createTempDirectory();
  const { deps, logged } = setUp(directory.path);
  const throwing = planned(async () => {
    throw new Error("disk on fire");
  });
  expect(await runCall(deps, throwing, contextOf(new AbortController().signal))).toMatchObject({
    part: { outcome: "error" },
  });
  expect(logged).toHaveLength(1);
  expect(await runCall(deps, throwing, contextOf(AbortSignal.abort()))).toMatchObject({
    part: { outcome: "interrupted" },
  });
});

test("a repeated failure carries advice to the model", async () => {
  await using directory = createTempDirectory();
  const { deps } = setUp(directory.path);
  const failing = planned(async () => ({ outcome: "error", text: "no such file" }));
  const context = contextOf(new AbortController().signal);
  expect(textOf(await runCall(deps, failing, context))).toBe("no such file");
  expect(textOf(await runCall(deps, failing, context))).toContain("failed 2 times");
});

test("R-REDACT-1 a secret that a tool prints in two pieces is masked while it runs", async () => {
  await using directory = createTempDirectory();
  const { deps, events } = setUp(directory.path);
  const talking = planned(async (_, context) => {
    context.emit(`key ${secret.slice(0, 20)}`);
    context.emit(`${secret.slice(20)}\nlast line`);
    return { outcome: "ok", text: "done" };
  });
  await runCall(deps, talking, contextOf(new AbortController().signal));
  const shown = events.flatMap((event) => (event.type === "tool_output" ? [event.text] : [])).join("");
  expect(shown).toMatch(/^key «secret:.+»\nlast line$/);
  expect(events.at(-1)?.type).toBe("tool_finished");
});

test("what belongs behind a result is for the model alone, after the cut, and only where the call succeeded", async () => {
  await using directory = createTempDirectory();
  const { deps, events } = setUp(directory.path);
  const asked: string[] = [];
  const telling: RunCallDeps = {
    ...deps,
    textAfter: async ({ tool }) => {
      asked.push(tool.name);
      return "[Conventions]\nuse tabs";
    },
  };
  const run = async (result: ToolResult) => {
    const { part } = await runCall(
      telling,
      planned(async () => result),
      contextOf(new AbortController().signal),
    );
    return part.content.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("");
  };
  const long = await run({ outcome: "ok", text: "x".repeat(5_000) });
  expect(long).toMatch(/^x+[^]*\n\n\[Conventions\]\nuse tabs$/u);
  expect(long.length).toBeLessThan(1_500);
  expect(await run({ outcome: "error", text: "no such file" })).toBe("no such file");
  expect(asked).toEqual(["tool"]);
  expect(JSON.stringify(events)).not.toContain("Conventions");
});
