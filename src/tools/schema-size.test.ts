import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { onDemandTools } from "../agent/on-demand.ts";
import { splitPrompt } from "../agent/prompt/split-prompt.ts";
import { toToolSchema } from "../agent/tool-schema.ts";
import { openSession } from "../app/open-session.ts";
import { createTempApp } from "../testing/temp-app.ts";

const tokens = (text: string): number => encode(text).length;

/** As the most common wire sends a tool. */
const asSent = (tool: Parameters<typeof toToolSchema>[0]): string =>
  JSON.stringify({ type: "function", function: toToolSchema(tool) });

/**
 * Every part of what each request carries, as a session with these toolsets has it: a toolset that is added to sessions is counted
 * without being named here.
 */
const fixedParts = async (toolset: string): Promise<ReadonlyMap<string, number>> => {
  await using temp = createTempApp();
  await using session = await openSession(temp.app, temp.request({ toolsets: [toolset] }));
  const { resident, onDemand } = session.grant;
  return new Map([
    // The index of the skills that ship is not counted: the requirement says "no skills".
    ...splitPrompt(session.systemPrompt).flatMap(({ name, text }): [string, number][] =>
      name === "skills" ? [] : [[name, tokens(text)]],
    ),
    ...[...resident, ...onDemandTools(onDemand)].map((tool): [string, number] => [tool.name, tokens(asSent(tool))]),
  ]);
};

test.each([
  ["all", 2_500],
  ["lean", 1_200],
])("R-PROMPT-1 the fixed part of a request with %s tools is %i o200k tokens at most", async (toolset, budget) => {
  const parts = await fixedParts(toolset);
  const total = [...parts.values()].reduce((sum, count) => sum + count, 0);
  const listed = [...parts].map(([name, count]) => `${name} ${count}`).join(", ");
  process.stdout.write(`${toolset}: ${listed}; in all ${total} of ${budget}\n`);
  expect(parts.get("terminal")).toBeGreaterThan(20);
  expect(parts.get("identity")).toBeGreaterThan(10);
  expect(total).toBeLessThanOrEqual(budget);
});

test("R-PROMPT-1 no tool takes more of every request than a tenth of what there is", async () => {
  const large = [...(await fixedParts("all"))].filter(([, count]) => count > 250);
  expect(large).toEqual([]);
});
