import type { Message } from "../llm/message.ts";
import type { ModelInfo } from "../llm/model-info.ts";
import type { Lease, TimedMessage } from "../store/store.ts";
import type { AgentDeps, AgentSpec } from "./agent.ts";
import type { CompressionOutcome } from "./compression/compression.ts";
import type { Place } from "./place.ts";
import { createTranscript, type Entry } from "./transcript.ts";

type Compressed = Extract<CompressionOutcome, { kind: "compressed" }>;

/** What rotating needs of an agent. */
export interface Rotator {
  readonly deps: AgentDeps;
  readonly spec: Pick<AgentSpec, "cwd">;
  /** Which model goes on. */
  readonly model: ModelInfo;
  readonly lease: Lease;
}

/** A place that took the place of another. */
export interface RotatedPlace {
  readonly place: Place;
  /** So many messages at the end are those of the place before, unchanged. */
  readonly kept: number;
}

/**
 * Makes the session in which a compressed conversation goes on; when this resolves, it is the conversation's (R-COMP-2). Throws what
 * the store throws, and then nothing has changed.
 */
export const rotatePlace = async (rotator: Rotator, from: Place, compressed: Compressed): Promise<RotatedPlace> => {
  const { deps, spec, model, lease } = rotator;
  const systemPrompt = await deps.compression.newPrompt();
  const { known, kept } = timed(compressed.messages, from.transcript.entries(), deps.clock.now());
  const messages: readonly TimedMessage[] = known.map(({ message, createdAt }) => {
    return { message: deps.redactMessage(message), createdAt };
  });
  const record = await deps.store.conversations.rotate({
    key: from.record.conversation,
    from: from.record.id,
    child: {
      source: from.record.source,
      provider: model.provider,
      model: model.model,
      cwd: spec.cwd(),
      systemPrompt,
    },
    reason: "compression",
    messages,
    lease,
    compression: { before: compressed.before, after: compressed.after },
  });
  deps.compression.onMoved(from.record.id, record);
  return { place: placeOf(deps, { record, systemPrompt, known }), kept };
};

/** A place as this process works in it. `known` absent = its messages are read when they are needed. */
export const placeOf = (
  deps: AgentDeps,
  { known, ...place }: Omit<Place, "transcript"> & { readonly known?: readonly Entry[] },
): Place => ({
  ...place,
  transcript: createTranscript({
    store: deps.store,
    session: place.record.id,
    startedAt: place.record.startedAt,
    redact: deps.redactMessage,
    view: deps.modelView,
    ...(known === undefined ? {} : { known }),
  }),
});

/**
 * Finds each message again as it was said. One that was made now (the summary, a result without its text) takes the time of the
 * message that follows it, so that times never run backwards.
 */
const timed = (
  messages: readonly Message[],
  entries: readonly Entry[],
  now: number,
): { readonly known: readonly Entry[]; readonly kept: number } => {
  const byShown = new Map(entries.map((entry) => [entry.shown, entry]));
  let createdAt = now;
  let kept = 0;
  let isTail = true;
  const known = messages.toReversed().map((message): Entry => {
    const entry = byShown.get(message);
    createdAt = Math.min(createdAt, entry?.createdAt ?? createdAt);
    isTail &&= entry !== undefined && entry === entries[entries.length - 1 - kept];
    if (isTail) kept += 1;
    return entry ?? { message, shown: message, createdAt };
  });
  return { known: known.toReversed(), kept };
};
