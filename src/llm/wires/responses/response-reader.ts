import type { WireEvent } from "../../event.ts";
import type { FinishReason } from "../../message.ts";
import type { AnswerReader, ReadOutcome } from "../answer-body.ts";
import { classifyFailure, readFailure, type RedactText } from "../classify.ts";
import { asList, asRecord, asText } from "../json-fields.ts";
import type { WireTarget } from "../wire.ts";
import { createItemEvents, type ItemEvents } from "./item-events.ts";
import { createOutputItems, placeOf, type OutputItem, type OutputItems, type TextKind } from "./output-items.ts";
import { readUsage } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What one answer is read with; `emit` takes the events. */
export interface ReaderContext {
  readonly target: WireTarget;
  readonly redact: RedactText;
  readonly emit: (event: WireEvent) => void;
}

interface ReaderState {
  readonly context: ReaderContext;
  readonly items: OutputItems;
  readonly events: ItemEvents;
  finished: boolean;
}

/** Starts reading one answer: the events of a stream, or the one object of an answer that came at once. */
export const createResponseReader = (context: ReaderContext): AnswerReader => {
  const state: ReaderState = {
    context,
    items: createOutputItems(),
    events: createItemEvents(context),
    finished: false,
  };
  return {
    read: (value) => readEvent(state, value),
    complete: () => {
      if (!state.finished && state.events.anything) finish(state, reasonOf(state));
    },
    end: () => state.events.end(),
  };
};

const readEvent = (state: ReaderState, value: unknown): ReadOutcome => {
  const event = asRecord(value);
  if (event === undefined) return "more";
  const type = asText(event.type);
  if (type === undefined) return readWhole(state, event);
  if (type === "error") return fail(state, event);
  const ending = ENDINGS.get(type);
  if (ending !== undefined) return settle(state, asRecord(event.response) ?? {}, ending);
  READERS.get(type)?.(state, event);
  return "more";
};

/** An event without a name is the whole answer, or an error body (B02). */
const readWhole = (state: ReaderState, body: Fields): ReadOutcome => {
  const status = asText(body.status);
  if (body.output === undefined && status === undefined) {
    return readFailure(body) === undefined ? "more" : fail(state, body);
  }
  if (status === "in_progress" || status === "queued") return "more";
  return settle(state, body, "completed");
};

/** The events after which nothing comes, and the status that each means where the response itself names none. */
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["response.completed", "completed"],
  ["response.done", "completed"],
  ["response.incomplete", "incomplete"],
  ["response.failed", "failed"],
  ["response.cancelled", "cancelled"],
]);

type EventReader = (state: ReaderState, event: Fields) => void;

const textReader =
  (type: string, kind: TextKind, field: "delta" | "whole"): EventReader =>
  ({ items, events }, event) => {
    const place = placeOf(event);
    const item = items.find(place, type) ?? items.open(place, type);
    const position = event.summary_index ?? event.content_index;
    const at = typeof position === "number" ? position : 0;
    if (field === "delta") events.addText(item, { kind, at, text: asText(event.delta) ?? "" });
    else events.completeText(item, { kind, at, text: asText(event.text) ?? asText(event.refusal) ?? "" });
  };

const argumentsReader =
  (field: "delta" | "whole"): EventReader =>
  ({ items, events }, event) => {
    const place = placeOf(event);
    const sent = field === "delta" ? asText(event.delta) : event.arguments;
    // Arguments without a text are no call.
    const item = items.find(place, "function_call") ?? (sent ? items.open(place, "function_call") : undefined);
    if (item === undefined) return;
    if (field === "delta") events.addArguments(item, asText(sent) ?? "");
    else events.completeArguments(item, sent);
  };

const readFinishedItem: EventReader = (state, event) => {
  const item = itemOf(state, event);
  const fields = asRecord(event.item);
  if (item !== undefined && fields !== undefined) completeItem(state, item, fields);
};

const READERS: ReadonlyMap<string, EventReader> = new Map<string, EventReader>([
  ["response.output_item.added", (state, event) => void itemOf(state, event)],
  ["response.output_item.done", readFinishedItem],
  ["response.output_text.delta", textReader("message", "text", "delta")],
  ["response.output_text.done", textReader("message", "text", "whole")],
  ["response.refusal.delta", textReader("message", "refusal", "delta")],
  ["response.refusal.done", textReader("message", "refusal", "whole")],
  ["response.reasoning_summary_text.delta", textReader("reasoning", "summary", "delta")],
  ["response.reasoning_summary_text.done", textReader("reasoning", "summary", "whole")],
  ["response.reasoning_text.delta", textReader("reasoning", "thoughts", "delta")],
  ["response.reasoning_text.done", textReader("reasoning", "thoughts", "whole")],
  ["response.function_call_arguments.delta", argumentsReader("delta")],
  ["response.function_call_arguments.done", argumentsReader("whole")],
]);

/** Items that the provider itself worked on (searches, its own tools) say nothing to this program. */
const READ_TYPES: ReadonlySet<string> = new Set(["message", "reasoning", "function_call"]);

/** The item that an event announces or completes. */
const itemOf = ({ items, events }: ReaderState, event: Fields): OutputItem | undefined => {
  const fields = asRecord(event.item);
  const type = asText(fields?.type);
  if (fields === undefined || type === undefined || !READ_TYPES.has(type)) return undefined;
  const place = placeOf(event, fields);
  const item = items.find(place, type, asText(fields.call_id)) ?? items.open(place, type);
  events.describe(item, fields);
  return item;
};

/** Hands over what a whole item holds beyond what has come of it. */
const completeItem = ({ events }: ReaderState, item: OutputItem, fields: Fields): void => {
  events.describe(item, fields);
  if (item.type === "function_call") {
    events.completeArguments(item, fields.arguments);
    return;
  }
  for (const [at, part] of asList(fields.content).entries()) {
    const content = asRecord(part);
    const text = asText(content?.text) ?? asText(content?.refusal);
    if (text !== undefined) events.completeText(item, { kind: kindOf(item, content?.type), at, text });
  }
  for (const [at, part] of asList(fields.summary).entries()) {
    const text = asText(asRecord(part)?.text);
    if (text !== undefined) events.completeText(item, { kind: "summary", at, text });
  }
  const encrypted = asText(fields.encrypted_content);
  if (item.type === "reasoning" && encrypted !== undefined) events.keepEncrypted(item, encrypted);
};

const kindOf = ({ type }: OutputItem, said: unknown): TextKind => {
  if (type === "reasoning") return "thoughts";
  return said === "refusal" ? "refusal" : "text";
};

/** The end of an answer. Its output repeats what was streamed, wholly, in part or not at all (B08). */
const settle = (state: ReaderState, response: Fields, ending: string): ReadOutcome => {
  const status = asText(response.status) ?? ending;
  if (status === "failed" || status === "cancelled" || asRecord(response.error) !== undefined) {
    return fail(state, { error: response.error ?? `the provider ended the answer as ${status}` });
  }
  for (const [index, element] of asList(response.output).entries()) settleItem(state, element, index);
  state.events.end();
  const usage = readUsage(response.usage);
  if (usage !== undefined) state.context.emit({ type: "usage", usage });
  if (status === "incomplete") finish(state, cutReason(asRecord(response.incomplete_details)));
  else finish(state, reasonOf(state));
  return "done";
};

const settleItem = (state: ReaderState, element: unknown, index: number): void => {
  const fields = asRecord(element);
  const type = asText(fields?.type);
  if (fields === undefined || type === undefined || !READ_TYPES.has(type)) return;
  const place = { id: asText(fields.id), index };
  const item = state.items.findRepeated(place, type, asText(fields.call_id)) ?? state.items.open(place, type);
  item.settled = true;
  completeItem(state, item, fields);
};

const fail = ({ context }: ReaderState, body: Fields): "failed" => {
  const facts = readFailure(body) ?? { codes: [], text: "the provider reported an error without saying which" };
  context.emit({ type: "error", error: classifyFailure(facts, context.redact) });
  return "failed";
};

const reasonOf = ({ events }: ReaderState): FinishReason => {
  if (events.refused) return "refusal";
  return events.callCount > 0 ? "tool_calls" : "stop";
};

/** Whatever else cut an answer, it is not whole. */
const cutReason = (details: Fields | undefined): FinishReason =>
  asText(details?.reason) === "content_filter" ? "refusal" : "length";

const finish = (state: ReaderState, reason: FinishReason): void => {
  state.events.end();
  state.finished = true;
  state.context.emit({ type: "finish", reason });
};
