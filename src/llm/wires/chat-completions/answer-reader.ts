import type { WireEvent } from "../../event.ts";
import type { FinishReason } from "../../message.ts";
import type { AnswerReader } from "../answer-body.ts";
import { classifyFailure, readFailure, type RedactText } from "../classify.ts";
import { finishBesideCalls } from "../finish-beside-calls.ts";
import { asList, asRecord, asText } from "../json-fields.ts";
import type { WireTarget } from "../wire.ts";
import { opaquePart } from "./opaque.ts";
import { createReasoningDetails, textOfDetails, type ReasoningDetails } from "./reasoning-details.ts";
import { createThinkTagReader, type ContentPiece, type ThinkTagReader } from "./think-tags.ts";
import { createToolCallSlots, type ToolCallSlots } from "./tool-call-slots.ts";
import { readUsage } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `finish_reason` as providers of this format write it. */
const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  complete: "stop",
  tool_calls: "tool_calls",
  tool_use: "tool_calls",
  function_call: "tool_calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "refusal",
  refusal: "refusal",
  safety: "refusal",
};

const EMPTY: Fields = {};

/** A list of content parts (Mistral): text, and thinking that holds a list of its own. */
const readContentParts = (parts: readonly unknown[], emit: (piece: ContentPiece) => void): void => {
  for (const part of parts) {
    const fields = asRecord(part) ?? EMPTY;
    if (fields.type === "thinking") {
      const thinking = asText(fields.thinking);
      const text =
        thinking ??
        asList(fields.thinking)
          .map((inner) => asText(asRecord(inner)?.text) ?? "")
          .join("");
      if (text !== "") emit({ kind: "reasoning", text });
      continue;
    }
    const text = asText(fields.text) ?? asText(part);
    if (text !== undefined) emit({ kind: "text", text });
  }
};

/** What one answer is read with; `emit` takes the events. */
export interface ReaderContext {
  readonly target: WireTarget;
  readonly redact: RedactText;
  readonly emit: (event: WireEvent) => void;
}

interface ReaderState extends ReaderContext {
  readonly calls: ToolCallSlots;
  readonly tags: ThinkTagReader;
  readonly details: ReasoningDetails;
  readonly emitPiece: (piece: ContentPiece) => void;
  finished: boolean;
  refused: boolean;
  /** Whether anything of an answer has come: text, reasoning, a call, a refusal. */
  anything: boolean;
  /** Whether text has come. */
  spoke: boolean;
}

/** Starts reading one answer. */
export const createAnswerReader = (context: ReaderContext): AnswerReader => {
  const state: ReaderState = {
    ...context,
    calls: createToolCallSlots(),
    tags: createThinkTagReader(),
    details: createReasoningDetails(),
    emitPiece: ({ kind, text }) => {
      state.anything = true;
      state.spoke ||= kind === "text";
      context.emit({ type: kind, text });
    },
    finished: false,
    refused: false,
    anything: false,
    spoke: false,
  };
  return {
    read: (value) => readChunk(state, value),
    complete: () => {
      if (!state.finished && state.anything) settle(state, finishOf(state, "stop"));
    },
    end: () => {
      state.tags.end(state.emitPiece);
      state.calls.end(state.emit);
    },
  };
};

const readChunk = (state: ReaderState, value: unknown): "more" | "failed" => {
  const chunk = asRecord(value);
  if (chunk === undefined) return "more";
  const choices = asList(chunk.choices);
  const choice = firstChoice(choices);
  const told = chunk.error !== undefined && chunk.error !== null;
  // Without choices the same words that an error body has make it one (B02); usage alone is the tail (B04).
  if ((told || (choices.length === 0 && chunk.usage === undefined)) && fail(state, chunk)) return "failed";
  if (choice?.error !== undefined && choice.error !== null && fail(state, choice)) return "failed";
  if (choice !== undefined) readChoice(state, choice);
  const usage = readUsage(chunk.usage ?? asRecord(chunk.x_groq)?.usage);
  if (usage !== undefined) state.emit({ type: "usage", usage });
  return "more";
};

/** One answer is asked for; a server that sends several numbers them. */
const firstChoice = (choices: readonly unknown[]): Fields | undefined => {
  for (const one of choices) {
    const choice = asRecord(one);
    if (choice !== undefined && (choice.index === undefined || choice.index === 0)) return choice;
  }
  return undefined;
};

const fail = (state: ReaderState, value: unknown): boolean => {
  const facts = readFailure(value);
  if (facts === undefined) return false;
  state.emit({ type: "error", error: classifyFailure(facts, state.redact) });
  return true;
};

const readChoice = (state: ReaderState, choice: Fields): void => {
  const whole = asRecord(choice.message);
  const delta = asRecord(choice.delta) ?? whole;
  if (delta !== undefined) {
    readReasoning(state, delta);
    readContent(state, delta.content);
    readRefusal(state, delta);
    readCalls(state, delta, delta === whole);
  }
  const said = asText(choice.finish_reason);
  if (said !== undefined) settle(state, finishOf(state, said));
};

const readReasoning = (state: ReaderState, delta: Fields): void => {
  if (delta.reasoning_details !== undefined) state.details.add(delta.reasoning_details);
  // The readable fields repeat one another: the first that is filled counts.
  const text = asText(delta.reasoning_content) ?? asText(delta.reasoning) ?? textOfDetails(delta.reasoning_details);
  if (text !== "") state.emitPiece({ kind: "reasoning", text });
};

const readContent = (state: ReaderState, content: unknown): void => {
  if (typeof content === "string") {
    if (content === "") return;
    state.anything = true;
    state.tags.read(content, state.emitPiece);
  } else if (content !== null && content !== undefined) readContentParts(asList(content), state.emitPiece);
};

const readRefusal = (state: ReaderState, delta: Fields): void => {
  const refusal = asText(delta.refusal);
  if (refusal === undefined) return;
  state.refused = true;
  state.anything = true;
  state.emit({ type: "refusal", text: refusal });
};

const readCalls = (state: ReaderState, delta: Fields, whole: boolean): void => {
  if (delta.tool_calls !== undefined) {
    for (const [position, call] of asList(delta.tool_calls).entries()) readCall(state, call, { position, whole });
  }
  if (asRecord(delta.function_call) !== undefined) {
    state.anything = true;
    state.calls.readLegacy(delta.function_call, state.emit);
  }
};

/** In a whole answer every element is a call of its own, numbered by its place. */
const readCall = (state: ReaderState, call: unknown, at: { position: number; whole: boolean }): void => {
  const fields = asRecord(call);
  if (fields === undefined) return;
  state.anything = true;
  // Text before a call is complete: what the tag reader holds stands before it.
  state.tags.end(state.emitPiece);
  state.calls.read(at.whole ? { ...fields, index: at.position } : fields, at.position, state.emit);
  const callId = asText(fields.id);
  if (fields.extra_content === undefined || callId === undefined) return;
  const part = opaquePart(state.target, { field: "extra_content", callId, value: fields.extra_content });
  state.emit({ type: "opaque", part });
};

/** A refusal is one whatever the reason says. */
const finishOf = (state: ReaderState, said: string): FinishReason => {
  const reason = FINISH[said.toLowerCase()] ?? "stop";
  return state.refused && reason !== "length" ? "refusal" : finishBesideCalls(reason, state.calls.count);
};

const settle = (state: ReaderState, reason: FinishReason): void => {
  const unclosed = state.tags.end(state.emitPiece)?.trimStart() ?? "";
  // Some models begin their reasoning and never say where it ends: when they stopped by themselves, their answer is in it.
  if (unclosed !== "" && reason === "stop" && !state.spoke) state.emitPiece({ kind: "text", text: unclosed });
  state.calls.end(state.emit);
  const signed = state.details.signed();
  if (signed !== undefined && !state.finished) {
    state.emit({ type: "opaque", part: opaquePart(state.target, { field: "reasoning_details", value: [...signed] }) });
  }
  state.finished = true;
  state.emit({ type: "finish", reason });
};
