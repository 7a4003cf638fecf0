import { expect, test } from "vitest";
import * as z from "zod";
import { grantTools, type Grant } from "./grant.ts";
import { onDemandTools } from "./on-demand.ts";
import { planCall } from "./plan-call.ts";
import { defineTool } from "./tool.ts";
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
