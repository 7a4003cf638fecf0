import { expect, test } from "vitest";
import * as z from "zod";
import { createAgentRig, said } from "../../testing/agent-rig.ts";
import { createScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../tool.ts";
import type { AgentEvent } from "../event.ts";

const PROGRESS = 2_000;

test("a reader that is slow misses progress of sub-agents, but never that one began or ended, and the sequence has no gaps", async () => {
  const told = Promise.withResolvers<void>();
  const child = "20261201_120000_abcdef";
  const at = { index: 0, child } as const;
  const noisy = defineTool({
    name: "noisy",
    toolset: "test",
    description: "",
    parameters: z.object({}),
    effects: "exec",
    concurrency: () => ({ kind: "nothing" }),
    summarise: () => "noisy",
    run: async (_, context) => {
      const began = context.publishChild({ type: "subagent_started", ...at, parent: context.session, goal: "g" });
      for (let n = 0; n < PROGRESS; n += 1)
        await context.publishChild({ type: "subagent_progress", ...at, text: String(n) });
      const ended = context.publishChild({
        type: "subagent_finished",
        ...at,
        status: "completed",
        durationMs: 1,
        modelCalls: 1,
        toolCalls: 0,
        usage: {},
        costUsd: 0,
      });
      told.resolve();
      await began;
      await ended;
      return { outcome: "ok", text: "" };
    },
  });
  const model = createScriptedModel([{ toolCalls: [{ name: "noisy" }] }, "done"]);
  await using rig = await createAgentRig({ model, tools: [noisy] });
  const events: AgentEvent[] = [];
  let isWaited = false;
  for await (const event of rig.agent.run(said("go"), { signal: new AbortController().signal })) {
    events.push(event);
    if (event.type !== "tool_started" || isWaited) continue;
    isWaited = true;
    await told.promise;
  }
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === "subagent_started")).toHaveLength(1);
  expect(types.filter((type) => type === "subagent_finished")).toHaveLength(1);
  const shown = types.filter((type) => type === "subagent_progress").length;
  expect(shown).toBeGreaterThan(0);
  expect(shown).toBeLessThan(300);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index));
  const callId = events.find((event) => event.type === "tool_started");
  expect(events.find((event) => event.type === "subagent_started")).toMatchObject({
    callId: callId?.type === "tool_started" ? callId.callId : "",
    session: rig.session.id,
    child,
  });
  expect(events.at(-1)).toMatchObject({ type: "turn_finished", status: "completed" });
});
