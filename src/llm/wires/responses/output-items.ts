import { asText } from "../json-fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Which of an item's texts: its answer, a refusal, the summary of its reasoning, the reasoning itself. */
export type TextKind = "text" | "refusal" | "summary" | "thoughts";

/** One item of an answer's output, as far as it has come. */
export interface OutputItem {
  readonly type: string;
  readonly index: number | undefined;
  /** The call's id as the provider sent it. */
  callId: string | undefined;
  /** The call, once there is something of it. */
  call: OpenCall | undefined;
  phase: string | undefined;
  /** What has come of each of its texts, by kind and place. */
  readonly texts: Map<string, string>;
  /** The kind of its first reasoning text; a provider that sends both kinds says the same twice. */
  reasoningKind: TextKind | undefined;
  encryptedKept: boolean;
  /** Whether the answer's last event has named it. */
  settled: boolean;
}

/** A tool call of an answer. */
export interface OpenCall {
  readonly index: number;
  name: string | undefined;
  arguments: string;
  announced: boolean;
}

/** Where an event says that it belongs. */
export interface ItemPlace {
  readonly id: string | undefined;
  readonly index: number | undefined;
}

/** The place that an event names, by itself or in the item that it carries. */
export const placeOf = (event: Fields, item?: Fields): ItemPlace => ({
  id: asText(event.item_id) ?? asText(item?.id),
  index: typeof event.output_index === "number" ? event.output_index : undefined,
});

/** Sorts the events of an answer to the items that they speak about. */
export interface OutputItems {
  /** The item at a place, if one of this type (and with no other call id) is there. */
  find(place: ItemPlace, type: string, callId?: string): OutputItem | undefined;
  /** The item that an element of the final list repeats. */
  findRepeated(place: ItemPlace, type: string, callId?: string): OutputItem | undefined;
  open(place: ItemPlace, type: string): OutputItem;
}

/**
 * Providers name an item by its id, its index, or both; some change ids on the way, some give every item one index (B01, B08).
 * So an event belongs to the item of its id or index that could be the one meant, and to the newest of its type where it names
 * neither.
 */
export const createOutputItems = (): OutputItems => {
  const all: OutputItem[] = [];
  const byId = new Map<string, OutputItem>();
  const byIndex = new Map<number, OutputItem>();

  const newestOf = (type: string): OutputItem | undefined => all.findLast((item) => item.type === type);

  const namedBy = ({ id, index }: ItemPlace): readonly (OutputItem | undefined)[] => [
    id === undefined ? undefined : byId.get(id),
    index === undefined ? undefined : byIndex.get(index),
  ];

  return {
    find: (place, type, callId) => {
      const nameless = place.id === undefined && place.index === undefined;
      const candidates = nameless ? [newestOf(type)] : namedBy(place);
      return candidates.find((item) => item?.type === type && mayBeCall(item, callId) && mayStandAt(item, place.index));
    },
    // The list may leave items out, and with them shift the others' places.
    findRepeated: (place, type, callId) => {
      const open = all.filter((item) => item.type === type && !item.settled);
      if (callId !== undefined) return open.find((item) => item.callId === callId || item.callId === undefined);
      return namedBy(place).find((item) => item !== undefined && open.includes(item)) ?? open[0];
    },
    open: (place, type) => {
      const item = newItem(type, place.index);
      all.push(item);
      if (place.id !== undefined) byId.set(place.id, item);
      if (place.index !== undefined) byIndex.set(place.index, item);
      return item;
    },
  };
};

const newItem = (type: string, index: number | undefined): OutputItem => ({
  type,
  index,
  callId: undefined,
  call: undefined,
  phase: undefined,
  texts: new Map(),
  reasoningKind: undefined,
  encryptedKept: false,
  settled: false,
});

const mayBeCall = (item: OutputItem, callId: string | undefined): boolean =>
  callId === undefined || item.callId === undefined || item.callId === callId;

const mayStandAt = (item: OutputItem, index: number | undefined): boolean =>
  index === undefined || item.index === undefined || item.index === index;
