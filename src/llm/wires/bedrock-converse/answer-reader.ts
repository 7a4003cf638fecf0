import type { WireEvent } from "../../event.ts";
import type { FinishReason } from "../../message.ts";
import type { AnswerReader, ReadOutcome } from "../answer-body.ts";
import { classifyFailure, readFailure, type FailureFacts, type RedactText } from "../classify.ts";
import { finishBesideCalls } from "../finish-beside-calls.ts";
import { asList, asRecord, asText } from "../json-fields.ts";
import type { WireTarget } from "../wire.ts";
import { readException } from "./classify.ts";
import { createContentBlocks, type ContentBlocks } from "./content-blocks.ts";
import { readUsage } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `stopReason` in our words; what is not known counts as an ordinary end. */
const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
  refusal: "refusal",
};

/** Ends after which what came is no answer; asked again, the model may do better. */
const FAULTS: ReadonlySet<string> = new Set(["malformed_model_output", "malformed_tool_use"]);

const WINDOW_FULL = "model_context_window_exceeded";

/** What stands in for the words of a refusal that came without any. */
const REFUSALS: Readonly<Record<string, string>> = {
  guardrail_intervened: "a guardrail of this account stopped the answer",
  content_filtered: "the provider's filter stopped the answer",
};

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
  finished: boolean;
}

/**
 * Starts reading one answer. What it reads are events as the API's own description has them, each an object of one member named
 * after the event (`{contentBlockDelta: {…}}`), and answers that came at once.
 */
export const createAnswerReader = ({ target, redact, emit }: ReaderContext): AnswerReader => {
  const state: ReaderState = {
    emit,
    redact,
    blocks: createContentBlocks(target, emit),
    finished: false,
  };
  return {
    read: (value) => readEvent(state, asRecord(value) ?? {}),
    complete: () => complete(state),
    // Nothing is held back: what a broken-off block still lacks, nobody knows.
    end: () => undefined,
  };
};

const readEvent = (state: ReaderState, event: Fields): ReadOutcome => {
  const { blocks } = state;
  const [name = "", value] = Object.entries(event)[0] ?? [];
  const fields = asRecord(value) ?? {};
  switch (name) {
    case "messageStart":
      return begin(state);
    case "contentBlockStart":
      blocks.start(placeOf(fields), fields.start);
      return "more";
    case "contentBlockDelta":
      blocks.delta(placeOf(fields), fields.delta);
      return "more";
    case "contentBlockStop":
      blocks.stop(placeOf(fields));
      return "more";
    case "messageStop":
      return settle(state, fields);
    case "metadata":
      count(state, fields.usage);
      return state.finished ? "done" : "more";
    default:
      return readOther(state, event, { name, fields });
  }
};

const placeOf = ({ contentBlockIndex }: Fields): number | undefined =>
  typeof contentBlockIndex === "number" ? contentBlockIndex : undefined;

/** A second beginning after content is another answer: both together would be an answer that nobody gave. */
const begin = (state: ReaderState): ReadOutcome =>
  state.blocks.count > 0 && !state.finished
    ? fail(state, { codes: ["server_error"], text: "the provider began its answer anew in the middle of it" })
    : "more";

/** An answer that came as one object; exceptions, and errors that gateways send in other providers' forms. */
const readOther = (
  state: ReaderState,
  event: Fields,
  { name, fields }: { readonly name: string; readonly fields: Fields },
): ReadOutcome => {
  const output = asRecord(event.output);
  if (output !== undefined) return readWhole(state, event, asRecord(output.message) ?? {});
  const facts = readException(name, fields) ?? readFailure(event);
  return facts === undefined ? "more" : fail(state, facts);
};

const fail = (state: ReaderState, facts: FailureFacts): "failed" => {
  state.emit({ type: "error", error: classifyFailure(facts, state.redact) });
  return "failed";
};

const count = (state: ReaderState, value: unknown): void => {
  const usage = readUsage(value);
  if (usage !== undefined) state.emit({ type: "usage", usage });
};

const readWhole = (state: ReaderState, answer: Fields, message: Fields): ReadOutcome => {
  for (const block of asList(message.content)) state.blocks.whole(block);
  count(state, answer.usage);
  return settle(state, answer);
};

const settle = (state: ReaderState, { stopReason }: Fields): ReadOutcome => {
  const said = asText(stopReason);
  if (said === undefined || state.finished) return "more";
  const { blocks } = state;
  blocks.stopAll();
  if (FAULTS.has(said)) {
    return fail(state, { codes: ["server_error"], text: `the model's answer could not be read (${said})` });
  }
  // The window was full before a word came: to be treated like the refusal of a request that is too long.
  if (said === WINDOW_FULL && blocks.count === 0) {
    return fail(state, { codes: [WINDOW_FULL], text: "the conversation fills the model's context window" });
  }
  const refusal = REFUSALS[said];
  if (refusal !== undefined && blocks.count === 0) state.emit({ type: "refusal", text: refusal });
  finish(state, finishOf(state, said));
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
