import { parseJson } from "../../../base/parse-json.ts";
import type { WireEvent } from "../../event.ts";
import { asRecord, asText } from "../json-fields.ts";
import { callIdFor } from "../call-id.ts";

/** Sorts the pieces of tool calls to the calls that they continue. */
export interface ToolCallSlots {
  /** One element of `tool_calls`, whole or a piece of one. `position` is its place in that list. */
  read(piece: unknown, position: number, emit: (event: WireEvent) => void): void;
  /** The old single `function_call`, whole or a piece of it. */
  readLegacy(piece: unknown, emit: (event: WireEvent) => void): void;
  /** Announces calls whose name never came. */
  end(emit: (event: WireEvent) => void): void;
  readonly count: number;
}

interface OpenCall {
  readonly index: number;
  readonly sentId: string | undefined;
  readonly id: string;
  name: string | undefined;
  arguments: string;
  announced: boolean;
}

/** Arguments as the model wrote them; some servers send the parsed object instead of its text. */
const argumentText = (value: unknown): string => {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
};

/** The slot that pieces of the legacy form share; providers' own indexes are never negative. */
const LEGACY_SLOT = -1;

interface SlotState {
  readonly newestBySlot: Map<number, OpenCall>;
  readonly usedIds: Set<string>;
  count: number;
}

/** One piece of a call, read. */
interface CallPiece {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
}

/**
 * A piece opens a new call when it names a tool and either its slot is free, or it carries another id than the call there
 * (B01: two calls under one index), or it carries no id and the call there already has its whole arguments. Anything else
 * continues the newest call of its slot: ids and names that are repeated with every piece change nothing. A call keeps the
 * provider's id unless it has none, shares it with an earlier call of this answer, or could not send it back.
 */
export const createToolCallSlots = (): ToolCallSlots => {
  const state: SlotState = { newestBySlot: new Map(), usedIds: new Set(), count: 0 };
  return {
    read: (sent, position, emit) => {
      const fields = asRecord(sent);
      if (fields === undefined) return;
      const work = asRecord(fields.function);
      const piece: CallPiece = {
        id: asText(fields.id),
        name: asText(work?.name) ?? asText(fields.name),
        text: argumentText(work?.arguments ?? fields.arguments),
      };
      const slot = typeof fields.index === "number" ? fields.index : slotWithoutIndex(state, piece, position);
      addText(callFor(state, slot, piece), piece.text, emit);
    },
    readLegacy: (sent, emit) => {
      const fields = asRecord(sent);
      if (fields === undefined) return;
      const piece: CallPiece = { id: undefined, name: asText(fields.name), text: argumentText(fields.arguments) };
      addText(callFor(state, LEGACY_SLOT, piece), piece.text, emit);
    },
    end: (emit) => {
      for (const call of state.newestBySlot.values()) announce(call, emit);
    },
    get count() {
      return state.count;
    },
  };
};

/** Where no index is sent: the slot of the same id, else a new one for a named piece, else the newest. */
const slotWithoutIndex = ({ newestBySlot, count }: SlotState, { id, name }: CallPiece, position: number): number => {
  const known = [...newestBySlot].find(([, call]) => id !== undefined && call.sentId === id);
  if (known !== undefined) return known[0];
  if (name !== undefined) return count + position;
  return [...newestBySlot.keys()].at(-1) ?? position;
};

const callFor = (state: SlotState, slot: number, piece: CallPiece): OpenCall => {
  const newest = state.newestBySlot.get(slot);
  if (newest === undefined) return open(state, slot, piece);
  if (piece.name === undefined) return newest;
  if (newest.name === undefined) {
    newest.name = piece.name;
    return newest;
  }
  return opensAnother(newest, piece) ? open(state, slot, piece) : newest;
};

const opensAnother = (newest: OpenCall, { id, text }: CallPiece): boolean => {
  if (id !== undefined && newest.sentId !== undefined) return id !== newest.sentId;
  return id === undefined && text !== "" && asRecord(parseJson(newest.arguments)) !== undefined;
};

const open = (state: SlotState, slot: number, { id: sentId, name }: CallPiece): OpenCall => {
  const id = callIdFor(sentId, state.usedIds);
  state.usedIds.add(id);
  const call: OpenCall = { index: state.count, sentId, id, name, arguments: "", announced: false };
  state.count += 1;
  state.newestBySlot.set(slot, call);
  return call;
};

const announce = (call: OpenCall, emit: (event: WireEvent) => void): void => {
  if (call.announced) return;
  call.announced = true;
  emit({ type: "tool_call", index: call.index, id: call.id, name: call.name ?? "" });
  if (call.arguments !== "") emit({ type: "tool_arguments", index: call.index, delta: call.arguments });
};

const addText = (call: OpenCall, text: string, emit: (event: WireEvent) => void): void => {
  if (call.name !== undefined) announce(call, emit);
  if (text === "") return;
  call.arguments += text;
  if (call.announced) emit({ type: "tool_arguments", index: call.index, delta: text });
};
