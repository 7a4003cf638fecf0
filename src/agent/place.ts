import type { Redacted } from "../base/redact/redacted.ts";
import type { SessionRecord } from "../store/store.ts";
import type { Transcript } from "./transcript.ts";

/**
 * Where an agent works: one session with its prompt and its messages. A conversation that is compressed goes on in another
 * place; nobody keeps a place for longer than a step.
 */
export interface Place {
  /** As it was read when the agent came here. */
  readonly record: SessionRecord;
  readonly systemPrompt: Redacted<string>;
  readonly transcript: Transcript;
}

/** The place that is current. */
export interface Whereabouts {
  readonly now: () => Place;
  readonly moveTo: (place: Place) => void;
}

export const createWhereabouts = (first: Place): Whereabouts => {
  let place = first;
  return {
    now: () => place,
    moveTo: (next) => {
      place = next;
    },
  };
};
