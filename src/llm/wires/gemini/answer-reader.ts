import type { WireEvent } from "../../event.ts";
import type { FinishReason } from "../../message.ts";
import type { AnswerReader, ReadOutcome } from "../answer-body.ts";
import { classifyFailure, readFailure, type FailureFacts, type RedactText } from "../classify.ts";
import { asList, asRecord, asText } from "../json-fields.ts";
import type { WireTarget } from "../wire.ts";
import { createAnswerParts, type AnswerParts } from "./answer-parts.ts";
import { endingOf, finishName } from "./finish.ts";
import { refineGoogleFailure } from "./google-failure.ts";
import { readUsage } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What one answer is read with; `emit` takes the events. */
export interface ReaderContext {
  readonly target: WireTarget;
  readonly redact: RedactText;
  readonly emit: (event: WireEvent) => void;
}

interface ReaderState {
  readonly emit: (event: WireEvent) => void;
  readonly redact: RedactText;
  readonly parts: AnswerParts;
  finished: FinishReason | undefined;
}

/** Starts reading one answer: the chunks of a stream, one after the other or in a list, or the one object of an answer that came at once. */
export const createAnswerReader = ({ target, redact, emit }: ReaderContext): AnswerReader => {
  const state: ReaderState = { emit, redact, parts: createAnswerParts(target, emit), finished: undefined };
  return {
    read: (value) => readValue(state, value),
    complete: () => {
      state.parts.close(true);
      if (state.finished === undefined && state.parts.any)
        finishAs(state, state.parts.calls > 0 ? "tool_calls" : "stop");
    },
    end: () => state.parts.close(false),
  };
};

const readValue = (state: ReaderState, value: unknown): ReadOutcome => {
  if (!Array.isArray(value)) return readChunk(state, value);
  for (const chunk of value) {
    if (readChunk(state, chunk) === "failed") return "failed";
  }
  return "more";
};

/** Code Assist wraps each chunk. */
const unwrapped = (value: unknown): Fields | undefined => {
  const outer = asRecord(value);
  return outer?.candidates === undefined ? (asRecord(outer?.response) ?? outer) : outer;
};

const readChunk = (state: ReaderState, value: unknown): ReadOutcome => {
  const chunk = unwrapped(value);
  if (chunk === undefined) return "more";
  if (chunk.error !== undefined && chunk.error !== null) return failAs(state, chunk);
  if (!ANSWER_MEMBERS.some((name) => asRecord(chunk[name]) !== undefined || Array.isArray(chunk[name]))) {
    return readFailure(chunk) === undefined ? "more" : failAs(state, chunk);
  }
  const candidate = candidateOf(chunk);
  for (const part of asList(asRecord(candidate.content)?.parts)) state.parts.add(part);
  const usage = readUsage(chunk.usageMetadata);
  if (usage !== undefined) state.emit({ type: "usage", usage });
  return settle(state, candidate, asRecord(chunk.promptFeedback) ?? {});
};

const ANSWER_MEMBERS = ["candidates", "promptFeedback", "usageMetadata"];

/** The first answer; no other is ever asked for. */
const candidateOf = (chunk: Fields): Fields =>
  asList(chunk.candidates)
    .map(asRecord)
    .find((candidate) => candidate !== undefined && (candidate.index === undefined || candidate.index === 0)) ?? {};

/** The provider's own description of a fault (B02), classified as if the status had told of it. */
const failAs = (state: ReaderState, chunk: Fields): "failed" => {
  const facts = readFailure(chunk) ?? { codes: [], text: "the provider sent an error without a text" };
  return fail(state, refineGoogleFailure(facts, chunk, undefined));
};

const fail = ({ emit, redact }: ReaderState, facts: FailureFacts): "failed" => {
  emit({ type: "error", error: classifyFailure(facts, redact) });
  return "failed";
};

const settle = (state: ReaderState, candidate: Fields, feedback: Fields): ReadOutcome => {
  const blocked = asText(feedback.blockReason);
  if (blocked !== undefined) {
    refuse(state, asText(feedback.blockReasonMessage) ?? `the provider blocked the request (${blocked})`);
    return "more";
  }
  const name = finishName(candidate.finishReason);
  if (name === undefined) return "more";
  const ending = endingOf(name, state.parts.calls > 0);
  const told = asText(candidate.finishMessage);
  if (ending.kind === "broken") {
    const text = `the model's answer cannot be read (${name})${told === undefined ? "" : `: ${told}`}`;
    return fail(state, { kind: "server", codes: [], text });
  }
  state.parts.close(ending.reason !== "length");
  if (ending.reason === "refusal") refuse(state, told ?? `the provider stopped the answer (${name})`);
  else finishAs(state, ending.reason);
  return "more";
};

const refuse = (state: ReaderState, text: string): void => {
  if (state.finished === "refusal") return;
  state.emit({ type: "refusal", text });
  finishAs(state, "refusal");
};

/** The older models say with every chunk that they are finished: what is said last counts. */
const finishAs = (state: ReaderState, reason: FinishReason): void => {
  if (state.finished === reason) return;
  state.finished = reason;
  state.emit({ type: "finish", reason });
};
