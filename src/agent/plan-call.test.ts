import { expect, test } from "vitest";
import * as z from "zod";
import { grantTools, type Grant } from "./grant.ts";
import { onDemandTools } from "./on-demand.ts";
import { planCall } from "./plan-call.ts";
import { defineTool } from "./tool.ts";
import { toToolSchema } from "./tool-schema.ts";
import type { Toolset } from "./toolset.ts";

const echo = (name: string, toolset: string) =>
  defineTool({
    name,
    toolset,
    description: name,
    parameters: z.object({ path: z.string(), times: z.int().optional() }),
    effects: "read",
    concurrency: ({ path }, cwd) => ({ kind: "paths", paths: [`${cwd}/${path}`] }),
    summarise: ({ path }) => path,
    run: async ({ path }) => ({ outcome: "ok", text: path }),
  });

const FILE: Toolset = { name: "file", residency: "resident", line: "files", tools: [echo("read_file", "file")] };
const RARE: Toolset = { name: "rare", residency: "on_demand", line: "rare things", tools: [echo("rare_one", "rare")] };

const grantOf = (disabled: readonly string[] = []): Grant => {
  const granted = grantTools([FILE, RARE], undefined, { allowed: undefined, disabled });
  if (!granted.ok) throw new Error("unknown toolset");
  return { ...granted.value, resident: [...granted.value.resident, ...onDemandTools(granted.value.onDemand)] };
};

const plan = (name: string, args: string, grant = grantOf()) =>
  planCall(grant, { type: "tool_call", id: "c1", name, arguments: args }, "/w");

test("a granted tool with valid arguments is ready, with the concurrency that its arguments mean", () => {
  expect(plan("read_file", '{"path":"a"}')).toMatchObject({
    kind: "ready",
    args: { path: "a" },
    concurrency: { kind: "paths", paths: ["/w/a"] },
  });
});

test.each(['{"path":"a","content":"line one\nli', '{"path":', "undefined", "[", '{"path":"a"} {"path":"b"}'])(
  "B07 arguments that were cut or garbled are never run as {}: %j",
  (args) => {
    const planned = plan("read_file", args);
    expect(planned).toMatchObject({ kind: "invalid", toolName: "read_file" });
    expect(planned.kind === "invalid" && planned.problem).toMatch(/not valid JSON.*Nothing was run/);
  },
);

test("wrong arguments name the field; an unknown tool names those that exist", () => {
  expect(plan("read_file", '{"path":["a"]}')).toMatchObject({
    kind: "invalid",
    problem: expect.stringContaining("path"),
  });
  expect(plan("read_fil", "{}")).toMatchObject({ kind: "invalid", problem: expect.stringContaining("read_file") });
});

test("an on-demand tool is reached through `use`, by its own name as well, and checked like any other", () => {
  for (const planned of [
    plan("use", '{"tool":"rare_one","arguments":{"path":"a"}}'),
    plan("rare_one", '{"path":"a"}'),
    plan("use", '{"tool":"rare_one","arguments":"{\\"path\\":\\"a\\"}"}'),
  ]) {
    expect(planned).toMatchObject({ kind: "ready", tool: { name: "rare_one" }, args: { path: "a" } });
  }
  expect(plan("use", '{"tool":"rare_one","arguments":{}}')).toMatchObject({ kind: "invalid", toolName: "rare_one" });
  expect(plan("use", '{"name":"rare_one"}')).toMatchObject({ kind: "invalid" });
});

test("R-PROMPT-2 `use` is understood where only one reading is possible", () => {
  for (const args of [
    '{"tool":"rare_one","path":"a"}',
    '{"tool":"rare_one","arguments":null,"path":"a"}',
    '{"tool":"rare-one","arguments":{"path":"a"}}',
    '{"tool":"rare.rareOne","arguments":{"path":"a"}}',
    '{"tool":"rare_one","arguments":{"path":"a","times":"2"}}',
  ])
    expect(plan("use", args)).toMatchObject({ kind: "ready", tool: { name: "rare_one" }, args: { path: "a" } });
  expect(plan("functions.ReadFile", '{"path":"a"}')).toMatchObject({ kind: "ready", tool: { name: "read_file" } });
  for (const args of ['{"tool":"use","arguments":{"tool":"rare_one"}}', '{"tool":7}', '"rare_one"', "[]", ""])
    expect(plan("use", args)).toMatchObject({ kind: "invalid", toolName: "use" });
  expect(plan("use", '{"tool":"rare_one","arguments":"{\\"path\\":"}')).toMatchObject({ kind: "invalid" });
  expect(plan("use", '{"tool":"open_toolset","arguments":{"toolset":"rare"}}')).toMatchObject({ kind: "ready" });
});

test("a name that two tools could bear is none, and no name bears the empty one", () => {
  const both: Toolset = { ...RARE, tools: [echo("do_it", "rare"), echo("doIt", "rare")] };
  const granted = grantTools([both], undefined, { allowed: undefined, disabled: [] });
  if (!granted.ok) throw new Error("unknown toolset");
  expect(plan("do-it", '{"path":"a"}', granted.value).kind).toBe("invalid");
  expect(plan("doIt", '{"path":"a"}', granted.value)).toMatchObject({ kind: "ready", tool: { name: "doIt" } });
  expect(plan("functions.", '{"path":"a"}', granted.value).kind).toBe("invalid");
});

test("R-PROMPT-2 wrong arguments of a tool that was not opened are answered with what it takes; of the others, without", () => {
  for (const planned of [plan("use", '{"tool":"rare_one"}'), plan("rare_one", "{}")])
    expect(planned).toMatchObject({
      problem: expect.stringContaining('rare_one takes: {"type":"object","properties":'),
    });
  expect(plan("read_file", "{}")).toMatchObject({ problem: expect.not.stringContaining("takes:") });
});

test("R-PROMPT-2 `use` may run beside what the tool that it names may run beside", () => {
  expect(plan("use", '{"tool":"rare_one","arguments":{"path":"a"}}')).toMatchObject({
    concurrency: { kind: "paths", paths: ["/w/a"] },
  });
});

test("an unknown tool is answered with the nearest, the resident ones and the names of toolsets", () => {
  expect(plan("rare_won", "{}")).toMatchObject({
    problem:
      'There is no tool "rare_won". Did you mean rare_one? Available: read_file, open_toolset, use; in toolsets: rare.',
  });
});

const openerAnswers = async (toolsets: readonly Toolset[], name: string) => {
  const [opener] = onDemandTools(toolsets);
  const { outcome, text } = await opener!.run({ toolset: name }, {} as never);
  return { outcome, text };
};

test("R-PROMPT-2 opening by a near name or by a tool's name works, twice gives the same, and nothing else is said", async () => {
  const schemas = { outcome: "ok", text: JSON.stringify([toToolSchema(echo("rare_one", "rare"))]) };
  for (const name of ["rare", "Rare", "toolsets/rare", "rare_one", "rare"])
    expect(await openerAnswers([RARE], name)).toEqual(schemas);
  expect(await openerAnswers([RARE], "rear")).toEqual({
    outcome: "error",
    text: 'There is no toolset "rear". Toolsets: rare.',
  });
});

test("R-PROMPT-2 two toolsets of one name open together", async () => {
  const more: Toolset = { ...RARE, line: "more", tools: [echo("rare_two", "rare")] };
  const { text } = await openerAnswers([RARE, more], "rare");
  expect(JSON.parse(text)).toMatchObject([{ name: "rare_one" }, { name: "rare_two" }]);
});

test("R-PROMPT-2 a large toolset opens as a list, and each of its tools by its name", async () => {
  const tools = Array.from({ length: 300 }, (_, index) => echo(`do_${index}`, "large"));
  const large: Toolset = { ...RARE, name: "large", tools };
  const { text } = await openerAnswers([large], "large");
  expect(text).toContain("300 tools. Open one by its name to see its parameters.\ndo_0: do_0\n");
  expect(JSON.parse((await openerAnswers([large], "do_299")).text)).toMatchObject([{ name: "do_299" }]);
});

test("R-PROMPT-2 the opener answers with schemas; a disabled toolset is neither named nor reachable", async () => {
  const opened = plan("open_toolset", '{"toolset":"rare"}');
  if (opened.kind !== "ready") throw new Error("not ready");
  const result = await opened.tool.run(opened.args, {} as never);
  expect(JSON.parse(result.text)).toMatchObject([
    { name: "rare_one", parameters: { properties: { path: { type: "string" } }, required: ["path"] } },
  ]);
  const without = grantOf(["rare"]);
  expect(plan("rare_one", '{"path":"a"}', without)).toMatchObject({ kind: "invalid" });
  expect(plan("use", '{"tool":"rare_one","arguments":{"path":"a"}}', without)).toMatchObject({ kind: "invalid" });
  expect(without.resident.map(({ name }) => name)).toEqual(["read_file"]);
});
