import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { createScriptedHome } from "../support/scripted-home.ts";

interface FixedPart {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

/** R-PROMPT-1: for all toolsets of the built program and for the lean one. The part of each is told by `src/tools/schema-size.test.ts`. */
const BUDGETS = { all: 2_500, lean: 1_200 } as const;

test.each(Object.entries(BUDGETS))(
  "R-PROMPT-1 the fixed part of a request with %s tools stays within %i o200k tokens",
  async (toolset, budget) => {
    await using home = await createScriptedHome([{ text: "ok" }]);
    await home.run(["-t", toolset, "-z", "hi"]);
    const { messages, tools } = (home.provider.requests[0]?.body ?? {
      messages: [],
      tools: [],
    }) as unknown as FixedPart;
    const parts = new Map([
      ["system prompt", countTokens(messages[0]?.content ?? "")],
      ...tools.map((tool): [string, number] => [tool.function.name, countTokens(JSON.stringify(tool))]),
    ]);
    const total = [...parts.values()].reduce((sum, tokens) => sum + tokens, 0);
    process.stdout.write(
      `${toolset}: ${[...parts].map(([name, tokens]) => `${name} ${tokens}`).join(", ")}; in all ${total} of ${budget}\n`,
    );
    expect(total).toBeGreaterThan(100);
    expect(total).toBeLessThanOrEqual(budget);
  },
);
