import { parseJson } from "../../../base/parse-json.ts";
import type { WireEvent } from "../../event.ts";
import { callIdFor } from "../call-id.ts";
import { asList, asRecord, asText } from "../json-fields.ts";
import type { WireTarget } from "../wire.ts";
import { digestOf, opaquePart } from "./opaque.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Turns the content blocks of one answer into events. */
export interface ContentBlocks {
  /** A block begins. Absent `index` = a new place. */
  start(index: number | undefined, start: unknown): void;
  /** A piece of a block, which begins it where nothing else did; absent `index` = the newest. */
  delta(index: number | undefined, delta: unknown): void;
  stop(index: number | undefined): void;
  /** A block that came at once. */
  whole(block: unknown): void;
  /** No more can come: whatever is open is complete. */
  stopAll(): void;
  /** Blocks with something in them. */
  readonly count: number;
  /** Calls begun. */
  readonly calls: number;
}

type Open =
  | { readonly kind: "text" }
  | { readonly kind: "reasoning"; text: string; signature: string; redacted: string }
  | { readonly kind: "call"; readonly index: number; readonly sentId: string | undefined; written: boolean }
  /** What a tool of the provider's own was asked or answered: `json` is the growing input, `content` the answer. */
  | { readonly kind: "foreign"; readonly start: Fields; json: string; content: readonly unknown[] };

interface BlockState {
  readonly target: WireTarget;
  readonly emit: (event: WireEvent) => void;
  readonly open: Map<number, Open>;
  readonly usedIds: Set<string>;
  count: number;
  calls: number;
}

/**
 * Starts an answer without blocks. Only calls announce themselves; text and reasoning begin with their first piece. A second
 * start under an index that is still open is another block (B01), unless it repeats the first one before anything came for it.
 */
export const createContentBlocks = (target: WireTarget, emit: (event: WireEvent) => void): ContentBlocks => {
  const state: BlockState = { target, emit, open: new Map(), usedIds: new Set(), count: 0, calls: 0 };
  const newest = (): number => [...state.open.keys()].at(-1) ?? 0;
  return {
    start: (index, start) => startBlock(state, index ?? newest() + 1, asRecord(start) ?? {}),
    delta: (index, delta) => readDelta(state, index ?? newest(), asRecord(delta) ?? {}),
    stop: (index) => stopBlock(state, index ?? newest()),
    whole: (block) => readWhole(state, asRecord(block) ?? {}),
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

const startBlock = (state: BlockState, index: number, start: Fields): void => {
  const call = asRecord(start.toolUse);
  if (call !== undefined && !isForeign(call)) {
    const before = state.open.get(index);
    if (before !== undefined && repeats(before, call)) return;
    openBlock(state, index, openCall(state, call));
    return;
  }
  if (call !== undefined || asRecord(start.toolResult) !== undefined) {
    openBlock(state, index, { kind: "foreign", start, json: "", content: [] });
  }
};

/** Tools that the provider runs itself are marked; their calls are not for us to make. */
const isForeign = ({ type }: Fields): boolean => type === "server_tool_use";

const repeats = (before: Open, { toolUseId }: Fields): boolean =>
  before.kind === "call" && !before.written && before.sentId !== undefined && before.sentId === toolUseId;

const openBlock = (state: BlockState, index: number, block: Open): void => {
  stopBlock(state, index);
  // Servers that forget to stop a block have it complete when the next begins; a signature stands behind its own text.
  for (const [earlier, { kind }] of state.open) if (kind === "reasoning") stopBlock(state, earlier);
  state.open.set(index, block);
  state.count += 1;
};

/** A call keeps the provider's id unless it has none or shares it with an earlier call of this answer. */
const openCall = (state: BlockState, call: Fields): Open => {
  const sentId = asText(call.toolUseId);
  const id = callIdFor(sentId, state.usedIds);
  state.usedIds.add(id);
  const index = state.calls;
  state.calls += 1;
  state.emit({ type: "tool_call", index, id, name: asText(call.name) ?? "" });
  return { kind: "call", index, sentId, written: false };
};

const readDelta = (state: BlockState, index: number, delta: Fields): void => {
  const text = asText(delta.text);
  const reasoning = asRecord(delta.reasoningContent);
  const input = asText(asRecord(delta.toolUse)?.input);
  if (text !== undefined) {
    if (state.open.get(index)?.kind !== "text") openBlock(state, index, { kind: "text" });
    state.emit({ type: "text", text });
  }
  if (reasoning !== undefined) addReasoning(state, index, reasoning);
  const block = state.open.get(index);
  if (block?.kind === "call" && input !== undefined) {
    block.written = true;
    state.emit({ type: "tool_arguments", index: block.index, delta: input });
  }
  if (block?.kind === "foreign") {
    block.json += input ?? "";
    block.content = [...block.content, ...asList(delta.toolResult)];
  }
};

const addReasoning = (state: BlockState, index: number, delta: Fields): void => {
  const [text, signature, redacted] = [delta.text, delta.signature, delta.redactedContent].map(asText);
  if (text === undefined && signature === undefined && redacted === undefined) return;
  let block = state.open.get(index);
  if (block?.kind !== "reasoning") {
    block = { kind: "reasoning", text: "", signature: "", redacted: "" };
    openBlock(state, index, block);
  }
  block.text += text ?? "";
  block.signature += signature ?? "";
  block.redacted += redacted ?? "";
  if (text !== undefined) state.emit({ type: "reasoning", text });
};

const stopBlock = (state: BlockState, index: number): void => {
  const block = state.open.get(index);
  if (block === undefined) return;
  state.open.delete(index);
  if (block.kind === "reasoning") sealReasoning(state, block);
  if (block.kind === "foreign") keepVerbatim(state, foreignBlock(block));
};

const keepVerbatim = ({ target, emit }: BlockState, value: Record<string, unknown>): void =>
  emit({ type: "opaque", part: opaquePart(target, { block: "verbatim", value }) });

/** Emits what stands behind reasoning for the provider alone. */
const sealReasoning = (
  state: BlockState,
  { text, signature, redacted }: Extract<Open, { kind: "reasoning" }>,
): void => {
  if (redacted !== "") keepVerbatim(state, { reasoningContent: { redactedContent: redacted } });
  // A text that cannot be written down exactly would come back under a signature that is not its own.
  if (signature === "" || !text.isWellFormed()) return;
  const data = { block: "reasoning", signature, textSha256: digestOf(text) } as const;
  state.emit({ type: "opaque", part: opaquePart(state.target, data) });
};

const foreignBlock = ({ start, json, content }: Extract<Open, { kind: "foreign" }>): Record<string, unknown> => {
  const call = asRecord(start.toolUse);
  return call === undefined
    ? { toolResult: { ...asRecord(start.toolResult), content } }
    : { toolUse: { ...call, input: asRecord(parseJson(json)) ?? {} } };
};

const readWhole = (state: BlockState, block: Fields): void => {
  const index = state.count;
  const call = asRecord(block.toolUse);
  const reasoning = asRecord(block.reasoningContent);
  const cited = asList(asRecord(block.citationsContent)?.content);
  if (call !== undefined && !isForeign(call)) {
    startBlock(state, index, block);
    readDelta(state, index, { toolUse: { input: argumentsOf(call.input) } });
  } else if (reasoning !== undefined) {
    addReasoning(state, index, { ...asRecord(reasoning.reasoningText), redactedContent: reasoning.redactedContent });
  } else if (call !== undefined || asRecord(block.toolResult) !== undefined) {
    state.count += 1;
    keepVerbatim(state, { ...block });
  } else {
    for (const part of [block, ...cited]) readDelta(state, index, { text: asRecord(part)?.text });
  }
  stopBlock(state, index);
};

/** An empty input is what a call without arguments streams: nothing. */
const argumentsOf = (input: unknown): string => {
  const fields = asRecord(input);
  return fields === undefined || Object.keys(fields).length === 0 ? "" : JSON.stringify(fields);
};
