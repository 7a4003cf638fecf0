import { parseJson } from "../../../base/parse-json.ts";
import type { WireEvent } from "../../event.ts";
import { asRecord, asText } from "../json-fields.ts";
import { callIdFor } from "../call-id.ts";
import type { WireTarget } from "../wire.ts";
import { digestOf, opaquePart } from "./opaque.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Turns the content blocks of one answer into events. */
export interface ContentBlocks {
  /** A block begins, empty or with all that it holds. Absent `index` = a new place. */
  start(index: number | undefined, block: unknown): void;
  /** A piece of a block; absent `index` = the newest. */
  delta(index: number | undefined, delta: unknown): void;
  stop(index: number | undefined): void;
  /** No more can come: whatever is open is complete. */
  stopAll(): void;
  /** Blocks begun, whatever is in them. */
  readonly count: number;
  /** Calls begun. */
  readonly calls: number;
}

type Open =
  | { readonly kind: "text" }
  | { readonly kind: "thinking"; text: string; signature: string | undefined; sealed: boolean }
  | {
      readonly kind: "call";
      readonly index: number;
      readonly sentId: string | undefined;
      input: unknown;
      written: boolean;
    }
  | { readonly kind: "verbatim"; value: Record<string, unknown>; json: string; sealed: boolean };

interface BlockState {
  readonly target: WireTarget;
  readonly emit: (event: WireEvent) => void;
  readonly open: Map<number, Open>;
  readonly usedIds: Set<string>;
  count: number;
  calls: number;
}

/**
 * Starts an answer without blocks. Blocks come one after the other, each by its `index`; a second start under an index that is
 * still open is another block (B01), unless it repeats the first one to the letter before anything came for it.
 */
export const createContentBlocks = (target: WireTarget, emit: (event: WireEvent) => void): ContentBlocks => {
  const state: BlockState = { target, emit, open: new Map(), usedIds: new Set(), count: 0, calls: 0 };
  const newest = (): number => [...state.open.keys()].at(-1) ?? -1;
  return {
    start: (index, block) => startBlock(state, index ?? state.count, asRecord(block) ?? {}),
    delta: (index, delta) => readDelta(state, index ?? newest(), asRecord(delta) ?? {}),
    stop: (index) => stopBlock(state, index ?? newest()),
    stopAll: () => {
      for (const index of state.open.keys()) stopBlock(state, index);
    },
    get count() {
      return state.count;
    },
    get calls() {
      return state.calls;
    },
  };
};

const startBlock = (state: BlockState, index: number, fields: Fields): void => {
  const before = state.open.get(index);
  if (before !== undefined && repeats(before, fields)) return;
  if (before !== undefined) stopBlock(state, index);
  // Servers that forget to stop a block have it complete when the next begins; its signature stands behind its own text.
  for (const earlier of state.open.values()) seal(state, earlier);
  // Opened anew, so that the newest block is the last of the map.
  state.open.set(index, opened(state, fields));
  state.count += 1;
};

const repeats = (before: Open, fields: Fields): boolean =>
  before.kind === "call" && !before.written && before.sentId !== undefined && before.sentId === fields.id;

const opened = (state: BlockState, fields: Fields): Open => {
  switch (fields.type) {
    case "text":
      emitText(state, "text", fields.text);
      return { kind: "text" };
    case "thinking":
      emitText(state, "reasoning", fields.thinking);
      return {
        kind: "thinking",
        text: asText(fields.thinking) ?? "",
        signature: asText(fields.signature),
        sealed: false,
      };
    case "tool_use":
      return openCall(state, fields);
    default:
      return { kind: "verbatim", value: { ...fields }, json: "", sealed: typeof fields.type !== "string" };
  }
};

const emitText = ({ emit }: BlockState, type: "text" | "reasoning", value: unknown): void => {
  const text = asText(value);
  if (text !== undefined) emit({ type, text });
};

/** A call keeps the provider's id unless it has none or shares it with an earlier call of this answer. */
const openCall = (state: BlockState, fields: Fields): Open => {
  const sentId = asText(fields.id);
  const id = callIdFor(sentId, state.usedIds);
  state.usedIds.add(id);
  const index = state.calls;
  state.calls += 1;
  state.emit({ type: "tool_call", index, id, name: asText(fields.name) ?? "" });
  return { kind: "call", index, sentId, input: fields.input, written: false };
};

const readDelta = (state: BlockState, index: number, delta: Fields): void => {
  const block = state.open.get(index);
  switch (block?.kind) {
    case undefined:
      // The start of a block was lost: readable pieces tell by themselves what they are.
      emitText(state, "text", delta.text);
      emitText(state, "reasoning", delta.thinking);
      return;
    case "text":
      emitText(state, "text", delta.text);
      return;
    case "thinking":
      emitText(state, "reasoning", delta.thinking);
      block.text += asText(delta.thinking) ?? "";
      block.signature = joined(block.signature, asText(delta.signature));
      return;
    case "call": {
      const text = asText(delta.partial_json);
      if (text === undefined) return;
      block.written = true;
      state.emit({ type: "tool_arguments", index: block.index, delta: text });
      return;
    }
    case "verbatim":
      addToVerbatim(block, delta);
  }
};

const joined = (before: string | undefined, more: string | undefined): string | undefined =>
  more === undefined ? before : (before ?? "") + more;

const addToVerbatim = (block: Extract<Open, { kind: "verbatim" }>, delta: Fields): void => {
  block.json += asText(delta.partial_json) ?? "";
  for (const [name, value] of Object.entries(delta)) {
    if (name === "type" || name === "partial_json" || typeof value !== "string") continue;
    block.value[name] = (asText(block.value[name]) ?? "") + value;
  }
};

const stopBlock = (state: BlockState, index: number): void => {
  const block = state.open.get(index);
  if (block === undefined) return;
  state.open.delete(index);
  if (block.kind === "call") writeInput(state, block);
  else seal(state, block);
};

/** Some servers send the whole input with the start, as a value. */
const writeInput = (state: BlockState, block: Extract<Open, { kind: "call" }>): void => {
  const input = asRecord(block.input);
  if (block.written || input === undefined || Object.keys(input).length === 0) return;
  block.written = true;
  state.emit({ type: "tool_arguments", index: block.index, delta: JSON.stringify(input) });
};

/** Emits what stands behind a block for the provider alone, once. */
const seal = ({ target, emit }: BlockState, block: Open): void => {
  if (block.kind === "text" || block.kind === "call" || block.sealed) return;
  block.sealed = true;
  if (block.kind === "verbatim") {
    const value = wholeValue(block);
    if (value !== undefined) emit({ type: "opaque", part: opaquePart(target, { block: "verbatim", value }) });
    return;
  }
  if (block.text === "" && block.signature === undefined) return;
  // A text that cannot be written down exactly would come back under a signature that is not its own.
  if (!block.text.isWellFormed()) return;
  const textSha256 = digestOf(block.text);
  const signed = block.signature === undefined ? {} : { signature: block.signature };
  emit({ type: "opaque", part: opaquePart(target, { block: "thinking", ...signed, textSha256 }) });
};

const wholeValue = ({ value, json }: Extract<Open, { kind: "verbatim" }>): Record<string, unknown> | undefined => {
  if (json === "") return value;
  const input = parseJson(json);
  return input === undefined ? undefined : { ...value, input };
};
