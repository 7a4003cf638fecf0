import * as z from "zod";
import { parseJson } from "../../base/parse-json.ts";
import type { ContextNotice } from "./context-file.ts";
import { readText } from "./read-text.ts";

/** What is said before a conversation begins, as its file has it. */
export interface Prefill {
  /** Texts of the role `system`, joined. */
  readonly system: string;
  /** Alternating, from `user` to `assistant`; neighbours of one role are one. */
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
}

const messages = z.array(
  z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() }).transform(({ role, content }) => ({
    role,
    text: content.trim(),
  })),
);

/** Reads a JSON list of `{role, content}`. A file that cannot be sent as it is is not sent at all. Never rejects. */
export const loadPrefill = async (
  path: string,
): Promise<{ readonly prefill?: Prefill; readonly notices: readonly ContextNotice[] }> => {
  const read = await readText(path);
  if (read.kind === "missing") return refused(path, "is not there");
  if (read.kind === "unusable") return refused(path, read.why);
  const parsed = messages.safeParse(parseJson(read.text));
  if (!parsed.success) return refused(path, 'is no JSON list of {"role": "user" or "assistant", "content": text}');
  const said = parsed.data.filter(({ text }) => text !== "");
  const merged = mergeNeighbours(said.flatMap(({ role, text }) => (role === "system" ? [] : [{ role, text }])));
  if (merged.length > 0 && (merged[0]?.role !== "user" || merged.at(-1)?.role !== "assistant"))
    return refused(
      path,
      "does not begin with the user and end with the assistant, which providers want of a conversation",
    );
  const system = said.flatMap(({ role, text }) => (role === "system" ? [text] : [])).join("\n\n");
  return { prefill: { system, messages: merged }, notices: [] };
};

const refused = (path: string, why: string) => ({
  notices: [{ code: "prompt.file_unusable" as const, message: `prefill_messages_file ${path} is not sent: it ${why}` }],
});

const mergeNeighbours = (said: Prefill["messages"]): Prefill["messages"] => {
  const merged: { role: "user" | "assistant"; text: string }[] = [];
  for (const { role, text } of said) {
    const last = merged.at(-1);
    if (last?.role === role) last.text += `\n\n${text}`;
    else merged.push({ role, text });
  }
  return merged;
};
