import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { agentEventSchema } from "../../src/agent/event-schema.ts";

test("the public event stream has the shapes of its golden file: fields are only ever added (vitest -u after adding one)", async () => {
  const schema = JSON.stringify(z.toJSONSchema(agentEventSchema), undefined, 2);
  await expect(`${schema}\n`).toMatchFileSnapshot(join(import.meta.dirname, "agent-events.schema.json"));
});
