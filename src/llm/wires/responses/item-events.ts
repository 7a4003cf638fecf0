import type { WireEvent } from "../../event.ts";
import { callIdFor } from "../call-id.ts";
import { asText } from "../json-fields.ts";
import type { WireTarget } from "../wire.ts";
import { opaquePart } from "./opaque.ts";
import type { OpenCall, OutputItem, TextKind } from "./output-items.ts";

/** A text of an item, or a piece of it. `at` is its place among the item's texts of this kind. */
export interface ItemText {
  readonly kind: TextKind;
  readonly at: number;
  readonly text: string;
}

/** Makes events of what comes of an answer's items. Whole values hand over only what their pieces have not. */
export interface ItemEvents {
  /** What an item says about itself: a call's id and name, a message's phase. */
  describe(item: OutputItem, fields: Readonly<Record<string, unknown>>): void;
  addText(item: OutputItem, piece: ItemText): void;
  completeText(item: OutputItem, whole: ItemText): void;
  addArguments(item: OutputItem, piece: string): void;
  completeArguments(item: OutputItem, whole: unknown): void;
  /** Keeps the encrypted form of a reasoning item, where it stands. */
  keepEncrypted(item: OutputItem, encrypted: string): void;
  /** Announces calls whose name never came. */
  end(): void;
  readonly callCount: number;
  readonly refused: boolean;
  /** Whether anything of an answer has come: text, reasoning, a call, a refusal. */
  readonly anything: boolean;
}

interface EventState {
  readonly target: WireTarget;
  readonly emit: (event: WireEvent) => void;
  readonly callItems: OutputItem[];
  readonly usedIds: Set<string>;
  /** What was shown last, while nothing else has come after it. */
  last: { readonly shown: "text" | "reasoning"; readonly item: OutputItem; readonly slot: string } | undefined;
  refused: boolean;
  anything: boolean;
}

/** Stands between the texts of two messages, and between two parts of the reasoning. */
const BREAK = "\n\n";

/** Starts with nothing. */
export const createItemEvents = ({ target, emit }: Pick<EventState, "target" | "emit">): ItemEvents => {
  const state: EventState = {
    target,
    emit,
    callItems: [],
    usedIds: new Set(),
    last: undefined,
    refused: false,
    anything: false,
  };
  return {
    describe: (item, fields) => describe(state, item, fields),
    addText: (item, piece) => addText(state, item, piece),
    completeText: (item, whole) => {
      const before = item.texts.get(slotOf(whole)) ?? "";
      if (whole.text.startsWith(before)) addText(state, item, { ...whole, text: whole.text.slice(before.length) });
    },
    addArguments: (item, piece) => addArguments(state, item, piece),
    completeArguments: (item, whole) => {
      const before = callOf(state, item).arguments;
      const text = argumentText(whole);
      if (text.startsWith(before)) addArguments(state, item, text.slice(before.length));
    },
    keepEncrypted: (item, encrypted) => {
      if (item.encryptedKept) return;
      item.encryptedKept = true;
      emit({ type: "opaque", part: opaquePart(target, { item: "reasoning", encrypted }) });
    },
    end: () => {
      for (const item of state.callItems) announce(state, item);
    },
    get callCount() {
      return state.callItems.length;
    },
    get refused() {
      return state.refused;
    },
    get anything() {
      return state.anything;
    },
  };
};

const slotOf = ({ kind, at }: ItemText): string => `${kind}:${at}`;

const describe = (state: EventState, item: OutputItem, fields: Readonly<Record<string, unknown>>): void => {
  if (item.type === "function_call") {
    item.callId ??= asText(fields.call_id);
    const call = callOf(state, item);
    call.name ??= asText(fields.name);
    if (call.name !== undefined) announce(state, item);
  } else if (item.type === "message") item.phase ??= asText(fields.phase);
};

const addText = (state: EventState, item: OutputItem, piece: ItemText): void => {
  if (piece.text === "") return;
  const slot = slotOf(piece);
  item.texts.set(slot, (item.texts.get(slot) ?? "") + piece.text);
  state.anything = true;
  if (piece.kind === "refusal") {
    state.refused = true;
    state.emit({ type: "refusal", text: piece.text });
  } else if (piece.kind === "text") showText(state, item, piece.text);
  else {
    item.reasoningKind ??= piece.kind;
    if (item.reasoningKind === piece.kind) showReasoning(state, item, { slot, text: piece.text });
  }
};

/** The parts of one message are one text; the next message begins a paragraph of its own. */
const showText = (state: EventState, item: OutputItem, text: string): void => {
  const { last } = state;
  if (last?.item !== item) {
    if (last?.shown === "text") state.emit({ type: "text", text: BREAK });
    if (item.phase !== undefined) {
      state.emit({ type: "opaque", part: opaquePart(state.target, { item: "message", phase: item.phase }) });
    }
  }
  state.last = { shown: "text", item, slot: "text" };
  state.emit({ type: "text", text });
};

const showReasoning = (
  state: EventState,
  item: OutputItem,
  { slot, text }: { readonly slot: string; readonly text: string },
): void => {
  const { last } = state;
  if (last?.shown === "reasoning" && (last.item !== item || last.slot !== slot)) {
    state.emit({ type: "reasoning", text: BREAK });
  }
  state.last = { shown: "reasoning", item, slot };
  state.emit({ type: "reasoning", text });
};

const callOf = (state: EventState, item: OutputItem): OpenCall => {
  if (item.call !== undefined) return item.call;
  const call: OpenCall = { index: state.callItems.length, name: undefined, arguments: "", announced: false };
  item.call = call;
  state.callItems.push(item);
  state.anything = true;
  return call;
};

/** A call keeps the provider's id unless it has none, shares it with an earlier call of this answer, or could not send it back. */
const announce = (state: EventState, item: OutputItem): void => {
  const call = callOf(state, item);
  if (call.announced) return;
  call.announced = true;
  const id = callIdFor(item.callId, state.usedIds);
  state.usedIds.add(id);
  state.last = undefined;
  state.emit({ type: "tool_call", index: call.index, id, name: call.name ?? "" });
  if (call.arguments !== "") state.emit({ type: "tool_arguments", index: call.index, delta: call.arguments });
};

const addArguments = (state: EventState, item: OutputItem, text: string): void => {
  if (text === "") return;
  const call = callOf(state, item);
  call.arguments += text;
  if (call.announced) state.emit({ type: "tool_arguments", index: call.index, delta: text });
};

/** Arguments as the model wrote them; some servers send the parsed object instead of its text. */
const argumentText = (value: unknown): string => {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
};
