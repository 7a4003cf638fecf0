import { parseJson } from "../../base/parse-json.ts";
import type { WireEvent } from "../event.ts";
import { asRecord } from "./json-fields.ts";
import { readServerSentEvents, type ServerSentEvent } from "./sse.ts";
import type { WireTarget } from "./wire.ts";

/** Where an answer came from, for what is said about one that is none. */
export interface AnswerOrigin {
  readonly target: WireTarget;
  readonly contentType: string;
}

/** Folds the JSON values of one answer into events. */
export interface AnswerReader {
  /** One event of a stream, or the whole of an answer that came at once (an object, or a list of events). Answers what it did to the answer. */
  read(value: unknown): ReadOutcome;
  /** The answer is complete (`done`, `[DONE]`, or the end of a JSON body): says `finish` where the provider forgot to. */
  complete(): void;
  /** The stream ended, complete or not: hands over what was held back. */
  end(): void;
}

/** `more` may follow, nothing follows an answer that is `done`, an error was emitted for one that `failed`. */
export type ReadOutcome = "more" | "done" | "failed";

/** Starts reading one answer; `emit` takes its events. */
export type StartReader = (emit: (event: WireEvent) => void) => AnswerReader;

const DONE = "[DONE]";
const ERROR_EVENT = "error";
const BRACE = 0x7b;
const BRACKET = 0x5b;
const ANGLE = 0x3c;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Decodes an answer, a stream of server-sent events or one JSON value: the first byte that is no blank tells which, since some servers answer a request for
 * a stream with one JSON value and some send blanks before it to keep the connection open.
 */
export async function* decodeAnswerBody(
  body: AsyncIterable<Uint8Array>,
  origin: AnswerOrigin,
  startReader: StartReader,
): AsyncGenerator<WireEvent, void, undefined> {
  // The one place that handles events singly: every layer more costs as much again for each word of an answer.
  for await (const events of decodeBatches(body, origin, startReader)) for (const event of events) yield event;
}

/** The same, the events of each read together. */
export async function* decodeBatches(
  body: AsyncIterable<Uint8Array>,
  origin: AnswerOrigin,
  startReader: StartReader,
): AsyncGenerator<readonly WireEvent[], void, undefined> {
  const source = body[Symbol.asyncIterator]();
  try {
    const first = await firstWithContent(source);
    if (first === undefined) return;
    const start = first[0];
    if (start === BRACE || start === BRACKET) yield* decodeValue(chained(first, source), startReader);
    else if (start === ANGLE) yield [pageError(origin)];
    else yield* decodeStream(chained(first, source), startReader);
  } finally {
    await source.return?.();
  }
}

/** The first bytes from the first that is no blank; undefined at the end of the body. */
const firstWithContent = async (source: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> => {
  for (;;) {
    const next = await source.next();
    if (next.done === true) return undefined;
    const start = next.value.findIndex((byte) => !BLANKS.has(byte));
    if (start >= 0) return next.value.subarray(start);
  }
};

async function* chained(first: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
}

async function* decodeValue(
  body: AsyncIterable<Uint8Array>,
  startReader: StartReader,
): AsyncGenerator<readonly WireEvent[]> {
  const { bytes, broken } = await readWhole(body);
  const value = parseJson(bytes.toString("utf8"));
  if (value === undefined) {
    // A cut value is no answer and no error: the caller sees that neither came.
    if (broken === undefined) return;
    throw broken.thrown;
  }
  const events: WireEvent[] = [];
  const reader = startReader((event) => void events.push(event));
  if (reader.read(value) !== "failed") reader.complete();
  yield events;
}

/** What came of a body, and what broke it off: a value that is whole by then is an answer all the same. */
const readWhole = async (
  body: AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: Buffer; readonly broken?: { readonly thrown: unknown } }> => {
  const pieces: Uint8Array[] = [];
  try {
    for await (const bytes of body) pieces.push(bytes);
  } catch (thrown) {
    return { bytes: Buffer.concat(pieces), broken: { thrown } };
  }
  return { bytes: Buffer.concat(pieces) };
};

async function* decodeStream(
  body: AsyncIterable<Uint8Array>,
  startReader: StartReader,
): AsyncGenerator<readonly WireEvent[]> {
  let events: WireEvent[] = [];
  const reader = startReader((event) => void events.push(event));
  let state: ReadOutcome = "more";
  for await (const messages of readServerSentEvents(body)) {
    // The end mark is usually the end; reading on to the body's own end leaves the connection fit for the next call.
    if (state === "done") continue;
    for (const message of messages) {
      state = readEvent(reader, message);
      if (state !== "more") break;
    }
    if (state === "done") reader.complete();
    if (events.length > 0) {
      const ready = events;
      events = [];
      yield ready;
    }
    if (state === "failed") return;
  }
  reader.end();
  yield events;
}

/** Reads the `data:` of one event. */
const readEvent = (reader: AnswerReader, { event, data }: ServerSentEvent): ReadOutcome => {
  if (data.trim() === DONE) return "done";
  const value = parseJson(data);
  // The words of an error event need not be JSON.
  return reader.read(event === ERROR_EVENT && asRecord(value) === undefined ? { error: data } : value);
};

const pageError = ({ target, contentType }: AnswerOrigin): WireEvent => ({
  type: "error",
  error: {
    kind: "protocol",
    message: `${target.baseUrl} answered with a page (${contentType === "" ? "no content type" : contentType}), not with a model's answer; is base_url right?`,
  },
});
