import { array, assert, asyncProperty, boolean, constantFrom, integer, record, string } from "fast-check";
import { expect, test } from "vitest";
import { assembleAnswer } from "../../assemble.ts";
import type { AssistantPart } from "../../message.ts";
import { call, completed, created, message, reasoning, sse } from "../../../testing/responses-events.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { createResponsesWire } from "./responses.ts";
import { NO_CREDENTIAL } from "../../credential.ts";

/**
 * A stream says everything up to four times: pieces, the whole text, the whole item, the whole answer. Providers leave some of
 * them out, and name items by id, by index, or by both.
 */
const wire = createResponsesWire({ redact: (text) => text });
const target = {
  provider: "p",
  model: "m",
  baseUrl: "http://x/v1",
  credential: NO_CREDENTIAL,
  quirks: {},
  stream: true,
};

interface Made {
  readonly type: "message" | "reasoning" | "function_call";
  readonly pieces: readonly string[];
}

const made = record({
  type: constantFrom("message", "reasoning", "function_call"),
  pieces: array(string({ unit: "grapheme", minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
});

const left = record({
  added: boolean(),
  pieces: boolean(),
  wholeText: boolean(),
  done: boolean(),
  output: constantFrom("whole", "null", "empty", "missing"),
  ids: boolean(),
  indexes: boolean(),
  changingIds: boolean(),
  twice: boolean(),
});
type Left = ReturnType<typeof left.generate>["value"];

const itemOf = ({ type, pieces }: Made, index: number): object => {
  const text = pieces.join("");
  if (type === "function_call") return call(`c${index}`, text, { id: `id_${index}` });
  if (type === "message") return message(text, { id: `id_${index}` });
  return reasoning({ id: `id_${index}`, summary: [{ type: "summary_text", text }], encrypted_content: `E${index}` });
};

const WIRE_NAMES = {
  message: "output_text",
  reasoning: "reasoning_summary_text",
  function_call: "function_call_arguments",
} as const;

const eventsOf = (one: Made, index: number, kept: Left): object[] => {
  const place = kept.indexes ? { output_index: index } : {};
  const named = { ...place, ...(kept.ids ? { item_id: `id_${index}` } : {}) };
  const item = itemOf(one, index);
  const begun = { ...item, arguments: "", content: [], summary: [], encrypted_content: undefined };
  const name = `response.${WIRE_NAMES[one.type]}`;
  const whole = one.pieces.join("");
  const last = kept.changingIds && kept.indexes ? { ...item, id: `other_${index}` } : item;
  const repeated = [
    ...(kept.wholeText ? [{ type: `${name}.done`, ...named, text: whole, arguments: whole }] : []),
    ...(kept.done ? [{ type: "response.output_item.done", ...place, item: last }] : []),
  ];
  return [
    ...(kept.added ? [{ type: "response.output_item.added", ...place, item: begun }] : []),
    ...(kept.pieces ? one.pieces.map((delta) => ({ type: `${name}.delta`, ...named, delta })) : []),
    ...(kept.twice ? [...repeated, ...repeated] : repeated),
  ];
};

const expectedParts = (items: readonly Made[]): { readonly texts: string; readonly calls: string[][] } => ({
  texts: items.map(({ type, pieces }) => (type === "message" ? pieces.join("") : "")).join(""),
  calls: items.flatMap(({ type, pieces }, index) =>
    type === "function_call" ? [[`c${index}`, "save", pieces.join("")]] : [],
  ),
});

/** Paragraph breaks between messages are the reader's own; the pieces here hold none. */
const textsIn = (parts: readonly AssistantPart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text.replaceAll("\n\n", "") : "")).join("");

test("B08 property: whatever of the repetitions is left out, the answer is the same, each call once", async () => {
  await assert(
    asyncProperty(array(made, { maxLength: 5 }), left, integer({ min: 1, max: 40 }), async (items, kept, size) => {
      // Something has to say it all: the items, or the end. A piece that names no item cannot be told from its neighbours'.
      const output = kept.done ? kept.output : "whole";
      const told = kept.ids || kept.indexes ? kept : { ...kept, pieces: false, wholeText: false, added: false };
      const whole = items.map(itemOf);
      const response = { whole: { output: whole }, null: { output: null }, empty: { output: [] }, missing: {} }[output];
      const events = items.flatMap((one, index) => eventsOf(one, index, told));
      const body = sse(created, ...events, completed(response));
      const decoded = await collect(wire.decode(cutBody(body, [size]), { target, contentType: "" }));
      const { message: answer } = assembleAnswer(decoded, target);
      const expected = expectedParts(items);
      expect(textsIn(answer.parts)).toBe(expected.texts);
      expect(
        answer.parts.flatMap((part) => (part.type === "tool_call" ? [[part.id, part.name, part.arguments]] : [])),
      ).toEqual(expected.calls);
      const encrypted = answer.parts.filter((part) => part.type === "opaque");
      expect(encrypted).toHaveLength(items.filter(({ type }) => type === "reasoning").length);
      expect(answer.finish).toBe(expected.calls.length > 0 ? "tool_calls" : "stop");
    }),
    { numRuns: 400 },
  );
});
