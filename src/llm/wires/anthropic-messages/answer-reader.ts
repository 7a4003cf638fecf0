import type { WireEvent } from "../../event.ts";
import type { FinishReason } from "../../message.ts";
import type { AnswerReader, ReadOutcome } from "../answer-body.ts";
import { classifyFailure, readFailure, type RedactText } from "../classify.ts";
import { finishBesideCalls } from "../finish-beside-calls.ts";
import { asList, asRecord, asText } from "../json-fields.ts";
import type { WireTarget } from "../wire.ts";
import { createContentBlocks, type ContentBlocks } from "./content-blocks.ts";
import { createUsageFold, type UsageFold } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `stop_reason` in our words; what is not known counts as an ordinary end. */
const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  // The provider's own tools took too long and the answer is not whole.
  pause_turn: "length",
  refusal: "refusal",
};

const WINDOW_FULL = "model_context_window_exceeded";

/** What one answer is read with; `emit` takes the events. */
export interface ReaderContext {
  readonly target: WireTarget;
  readonly redact: RedactText;
  readonly emit: (event: WireEvent) => void;
}

interface ReaderState {
  readonly emit: (event: WireEvent) => void;
  readonly redact: RedactText;
  readonly blocks: ContentBlocks;
  readonly usage: UsageFold;
  finished: boolean;
}

/** Starts reading one answer. */
export const createAnswerReader = ({ target, redact, emit }: ReaderContext): AnswerReader => {
  const blocks = createContentBlocks(target, emit);
  const state: ReaderState = { emit, redact, blocks, usage: createUsageFold(), finished: false };
  return {
    read: (value) => readEvent(state, value),
    complete: () => complete(state),
    // Nothing is held back: what a broken-off block still lacks, nobody knows.
    end: () => undefined,
  };
};

const placeOf = ({ index }: Fields): number | undefined => (typeof index === "number" ? index : undefined);

const readEvent = (state: ReaderState, value: unknown): ReadOutcome => {
  const event = asRecord(value);
  if (event === undefined) return "more";
  switch (event.type) {
    case "message_start":
      return begin(state, asRecord(event.message) ?? {});
    case "content_block_start":
      state.blocks.start(placeOf(event), event.content_block);
      return "more";
    case "content_block_delta":
      state.blocks.delta(placeOf(event), event.delta);
      return "more";
    case "content_block_stop":
      state.blocks.stop(placeOf(event));
      return "more";
    case "message_delta":
      count(state, event.usage);
      return settle(state, asRecord(event.delta) ?? {});
    case "message_stop":
      return "done";
    case "ping":
      return "more";
    default:
      return readOther(state, event);
  }
};

/** A second beginning after content is another answer: both together would be an answer that nobody gave. */
const begin = (state: ReaderState, message: Fields): ReadOutcome => {
  if (state.blocks.count > 0 && !state.finished) {
    return fail(state, { codes: ["server_error"], text: "the provider began its answer anew in the middle of it" });
  }
  count(state, message.usage);
  return "more";
};

/** An answer that came as one object; errors, which some gateways send in other providers' forms; anything else is not for us. */
const readOther = (state: ReaderState, event: Fields): ReadOutcome => {
  if (Array.isArray(event.content)) return readWhole(state, event);
  const told = event.type === "error" || (event.error !== undefined && event.error !== null);
  if (!told && event.type !== undefined) return "more";
  const facts = readFailure(event);
  if (facts !== undefined) return fail(state, facts);
  return told ? fail(state, { codes: [], text: "the provider sent an error without a text" }) : "more";
};

const fail = (state: ReaderState, facts: Parameters<typeof classifyFailure>[0]): "failed" => {
  state.emit({ type: "error", error: classifyFailure(facts, state.redact) });
  return "failed";
};

const count = (state: ReaderState, value: unknown): void => {
  const usage = state.usage.add(value);
  if (usage !== undefined) state.emit({ type: "usage", usage });
};

const settle = (state: ReaderState, delta: Fields): ReadOutcome => {
  const said = asText(delta.stop_reason);
  if (said === undefined || state.finished) return "more";
  state.blocks.stopAll();
  // The window was full before a word came: to be treated like the refusal of a request that is too long.
  if (said === WINDOW_FULL && state.blocks.count === 0) {
    return fail(state, { codes: [WINDOW_FULL], text: "the conversation fills the model's context window" });
  }
  const reason = finishOf(state, said);
  const explanation = asText(asRecord(delta.stop_details)?.explanation);
  if (reason === "refusal" && explanation !== undefined) state.emit({ type: "refusal", text: explanation });
  finish(state, reason);
  return "more";
};

const finishOf = ({ blocks }: ReaderState, said: string): FinishReason =>
  finishBesideCalls(FINISH[said] ?? "stop", blocks.calls);

const finish = (state: ReaderState, reason: FinishReason): void => {
  state.finished = true;
  state.emit({ type: "finish", reason });
};

const complete = (state: ReaderState): void => {
  state.blocks.stopAll();
  if (!state.finished && state.blocks.count > 0) finish(state, finishOf(state, "end_turn"));
};

const readWhole = (state: ReaderState, message: Fields): ReadOutcome => {
  for (const block of asList(message.content)) {
    const place = state.blocks.count;
    state.blocks.start(place, block);
    state.blocks.stop(place);
  }
  count(state, message.usage);
  return settle(state, message);
};
