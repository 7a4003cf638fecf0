import type { WireEvent } from "../../event.ts";
import { callIdFor } from "../call-id.ts";
import { asList, asRecord, asText } from "../json-fields.ts";
import type { WireTarget } from "../wire.ts";
import { opaquePart, signedData, type Signed } from "./opaque.ts";
import { createPartialArguments, type PartialArguments } from "./partial-args.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Turns the parts of one answer into events. */
export interface AnswerParts {
  add(part: unknown): void;
  /** Nothing more comes for a call that is open. `whole` = its arguments are complete. */
  close(whole: boolean): void;
  /** Calls begun. */
  readonly calls: number;
  /** Whether any part held something. */
  readonly any: boolean;
}

/** A call whose arguments are still coming. */
interface OpenCall {
  readonly index: number;
  readonly partial: PartialArguments;
  signature: string | undefined;
}

interface PartState {
  readonly target: WireTarget;
  readonly emit: (event: WireEvent) => void;
  readonly usedIds: Set<string>;
  readonly seen: Set<string>;
  open: OpenCall | undefined;
  calls: number;
  any: boolean;
}

/** Starts an answer without parts. Every call gets an index of its own (B01), and an id where it has none. */
export const createAnswerParts = (target: WireTarget, emit: (event: WireEvent) => void): AnswerParts => {
  const state: PartState = {
    target,
    emit: (event) => {
      state.any = true;
      emit(event);
    },
    usedIds: new Set(),
    seen: new Set(),
    open: undefined,
    calls: 0,
    any: false,
  };
  return {
    add: (part) => addPart(state, asRecord(part) ?? {}),
    close: (whole) => closeCall(state, whole),
    get calls() {
      return state.calls;
    },
    get any() {
      return state.any;
    },
  };
};

const addPart = (state: PartState, part: Fields): void => {
  const signature = asText(part.thoughtSignature);
  const call = asRecord(part.functionCall);
  if (call !== undefined) {
    addCall(state, call, signature);
    return;
  }
  // Streams end with an empty text, which says nothing about a call that is open.
  if (part.text === "" && signature === undefined) return;
  closeCall(state, true);
  if (MEDIA.some((name) => asRecord(part[name]) !== undefined)) addMedia(state, part);
  else if (SERVER_SIDE.some((name) => asRecord(part[name]) !== undefined)) {
    state.emit({ type: "opaque", part: opaquePart(state.target, { part: "verbatim", value: { ...part } }) });
  } else addText(state, part, signature);
};

/** What the provider's own tools did; it wants these parts back as they came. */
const SERVER_SIDE = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];
const MEDIA = ["inlineData", "fileData"];

/** The conversation keeps no media of answers; that there was something is said. */
const addMedia = ({ emit }: PartState, part: Fields): void => {
  const media = asRecord(part.inlineData) ?? asRecord(part.fileData);
  const type = asText(media?.mimeType) ?? "a file";
  emit({ type: "text", text: `[the model answered with ${type}, which is not kept]` });
};

const addText = (state: PartState, part: Fields, signature: string | undefined): void => {
  const text = asText(part.text) ?? "";
  const isThought = part.thought === true;
  if (text !== "") state.emit({ type: isThought ? "reasoning" : "text", text });
  sign(state, { of: isThought ? "thought" : "text", text, signature });
};

interface Signing {
  readonly of: Signed["of"];
  readonly text: string;
  readonly signature: string | undefined;
}

const sign = ({ target, emit }: PartState, { of, text, signature }: Signing): void => {
  const data = signature === undefined ? undefined : signedData(of, text, signature);
  if (data !== undefined) emit({ type: "opaque", part: opaquePart(target, data) });
};

const addCall = (state: PartState, call: Fields, signature: string | undefined): void => {
  const name = asText(call.name);
  const pieces = asList(call.partialArgs);
  const goesOn = call.willContinue === true;
  if (name === undefined && state.open !== undefined) {
    state.open.signature ??= signature;
    for (const piece of pieces) state.open.partial.add(piece);
    if (!goesOn) closeCall(state, true);
    return;
  }
  // The end mark of a call that has ended already.
  if (name === undefined && call.id === undefined && call.args === undefined && pieces.length === 0) return;
  closeCall(state, true);
  const text = argumentsOf(call.args);
  if (isRepeated(state, { id: asText(call.id), name, text })) return;
  const index = announce(state, asText(call.id), name ?? "");
  if (goesOn || pieces.length > 0) {
    const partial = createPartialArguments();
    for (const piece of pieces) partial.add(piece);
    state.open = { index, partial, signature };
    if (!goesOn) closeCall(state, true);
    return;
  }
  endCall(state, { index, text, signature });
};

/**
 * The arguments as JSON text. They come as a value, so there is no text of the model's own; no number can be lost, since the
 * provider itself keeps them as doubles.
 */
const argumentsOf = (args: unknown): string => {
  if (typeof args === "string") return args;
  return asRecord(args) === undefined ? "" : JSON.stringify(args);
};

interface SentCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
}

/** The same event twice is one call; calls without ids may well be equal. */
const isRepeated = ({ seen }: PartState, { id, name, text }: SentCall): boolean => {
  if (id === undefined) return false;
  const key = JSON.stringify([id, name, text]);
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
};

const announce = (state: PartState, sentId: string | undefined, name: string): number => {
  const id = callIdFor(sentId, state.usedIds);
  state.usedIds.add(id);
  const index = state.calls;
  state.calls += 1;
  state.emit({ type: "tool_call", index, id, name });
  return index;
};

interface EndedCall {
  readonly index: number;
  readonly text: string;
  readonly signature: string | undefined;
}

const endCall = (state: PartState, { index, text, signature }: EndedCall): void => {
  if (text !== "") state.emit({ type: "tool_arguments", index, delta: text });
  sign(state, { of: "call", text, signature });
};

const closeCall = (state: PartState, whole: boolean): void => {
  const { open } = state;
  if (open === undefined) return;
  state.open = undefined;
  const text = open.partial.any || !whole ? open.partial.text() : "";
  // Without its last brace it can be taken for whole by nobody (B07).
  if (whole) endCall(state, { index: open.index, text, signature: open.signature });
  else state.emit({ type: "tool_arguments", index: open.index, delta: text.slice(0, -1) });
};
