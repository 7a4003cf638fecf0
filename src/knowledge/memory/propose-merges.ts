import * as z from "zod";
import { parseJson } from "../../base/parse-json.ts";
import type { CallOptions, ModelClient } from "../../llm/model-client.ts";
import { textOf } from "../../llm/message.ts";
import type { ProposedMerge } from "./judge-merge.ts";

const INSTRUCTIONS = [
  "These are numbered notes. Merge those that repeat or belong together into shorter ones.",
  "Use only words that stand in them; keep every name, number, path and negation. Leave alone what stands well by itself.",
  'Answer with JSON alone: {"merges":[{"from":[1,4],"text":"…"}]}; an empty list if nothing can be merged.',
].join("\n");

const answer = z.object({
  merges: z.array(z.object({ from: z.array(z.number().int().min(1)), text: z.string() })).max(100),
});

/** Asks a model which entries could be one; none = it named none, or did not answer as asked. Never throws. */
export const proposeMerges = async (
  client: ModelClient,
  entries: readonly string[],
  options: CallOptions,
): Promise<readonly ProposedMerge[]> => {
  const text = entries.map((entry, index) => `${index + 1}. ${entry.replaceAll("\n", "\n   ")}`).join("\n");
  const request = {
    system: INSTRUCTIONS,
    messages: [{ role: "user", parts: [{ type: "text", text }], origin: { surface: "hermes" } }],
    tools: [],
    maxOutputTokens: 4_000,
  } as const;
  for await (const event of client.call(request, options)) {
    if (event.type === "done") return readAnswer(textOf(event.message));
  }
  return [];
};

/** The JSON of an answer, also where a model put words or a fence around it; one of another form proposes nothing. */
const readAnswer = (text: string): readonly ProposedMerge[] => {
  const parsed = answer.safeParse(parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)));
  return parsed.success
    ? parsed.data.merges.map(({ from, text: merged }) => ({ places: from.map((number) => number - 1), text: merged }))
    : [];
};
