import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import type { ChildTask } from "../agent/delegation/child.ts";
import { parseArguments } from "../agent/parse-arguments.ts";
import { toToolSchema } from "../agent/tool-schema.ts";
import { createToolContext } from "../testing/tool-context.ts";
import { createDelegateTaskTool } from "./delegate-task.ts";

const createRig = (orchestrators = true) => {
  const asked: (readonly ChildTask[])[] = [];
  const tool = createDelegateTaskTool({
    orchestrators,
    delegate: async (tasks) => {
      asked.push(tasks);
      return { outcome: "ok", text: "done" };
    },
  });
  const { context } = createToolContext({ cwd: "/" });
  const call = async (given: unknown) => {
    const parsed = parseArguments(tool, given);
    return parsed.kind === "ok" ? await tool.run(parsed.args, context) : parsed.problem;
  };
  return { tool, asked, call };
};

test("R-PROMPT-1 the schema of delegate_task takes at most 220 tokens, 160 where nobody may orchestrate", () => {
  const tokens = (orchestrators: boolean) => encode(JSON.stringify(toToolSchema(createRig(orchestrators).tool))).length;
  expect(tokens(true)).toBeLessThanOrEqual(220);
  expect(tokens(false)).toBeLessThanOrEqual(160);
});

test("one goal is one task; tasks take what stands beside them where they say nothing else", async () => {
  const { asked, call, tool } = createRig();
  await call({ goal: "count", context: "in src", toolsets: "file" });
  await call({
    tasks: [{ goal: "a" }, { goal: "b", context: "own", toolsets: ["terminal"], role: "orchestrator" }],
    context: "shared",
    toolsets: ["file"],
  });
  await call({ goal: "the whole", tasks: [{ goal: "a" }] });
  expect(asked).toEqual([
    [{ goal: "count", context: "in src", toolsets: ["file"], role: "leaf" }],
    [
      { goal: "a", context: "shared", toolsets: ["file"], role: "leaf" },
      { goal: "b", context: "own", toolsets: ["terminal"], role: "orchestrator" },
    ],
    [{ goal: "a", context: undefined, toolsets: undefined, role: "leaf" }],
  ]);
  expect(tool.summarise({ goal: "count" })).toBe("delegate: count");
  expect(tool.summarise({ tasks: [{ goal: "a" }, { goal: "b" }] })).toBe("delegate 2 tasks: a, …");
});

test("without a goal nothing begins, and the model is told", async () => {
  const { asked, call } = createRig();
  for (const given of [{}, { tasks: [] }, { goal: "  " }, { tasks: [{ goal: "a" }, { goal: "" }] }]) {
    expect(await call(given)).toMatchObject({
      outcome: "error",
      text: expect.stringContaining("Nothing was started."),
    });
  }
  expect(await call({ tasks: [{ context: "x" }] })).toContain("goal");
  expect(asked).toEqual([]);
});

test("where nobody may orchestrate, a role is no parameter and means nothing", async () => {
  const { asked, call } = createRig(false);
  await call({ goal: "a", role: "orchestrator" });
  expect(asked[0]?.[0]?.role).toBe("leaf");
});
