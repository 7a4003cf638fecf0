import type { WireEvent } from "../../event.ts";
import type { RedactText } from "../classify.ts";
import { asRecord, parseJson } from "../json-fields.ts";
import { readServerSentEvents, type ServerSentEvent } from "../sse.ts";
import type { WireTarget } from "../wire.ts";
import { createAnswerReader, type AnswerReader } from "./answer-reader.ts";

/** What decoding needs to know of the answer. */
export interface DecodeContext {
  readonly target: WireTarget;
  readonly contentType: string;
  readonly redact: RedactText;
}

const DONE = "[DONE]";
const BRACE = 0x7b;
const ANGLE = 0x3c;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Decodes an answer, streamed or whole: the first byte that is no blank tells which, since some servers answer a request for
 * a stream with one JSON object and some send blanks before it to keep the connection open.
 */
export async function* decodeAnswer(
  body: AsyncIterable<Uint8Array>,
  context: DecodeContext,
): AsyncGenerator<WireEvent, void, undefined> {
  const source = body[Symbol.asyncIterator]();
  try {
    const first = await firstWithContent(source);
    if (first === undefined) return;
    const start = first[0];
    if (start === BRACE) yield* decodeObject(chained(first, source), context);
    else if (start === ANGLE) yield pageError(context);
    else yield* decodeStream(chained(first, source), context);
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

const pageError = ({ target, contentType }: DecodeContext): WireEvent => ({
  type: "error",
  error: {
    kind: "protocol",
    message: `${target.baseUrl} answered with a page (${contentType === "" ? "no content type" : contentType}), not with a model's answer; is base_url right?`,
  },
});

async function* decodeObject(body: AsyncIterable<Uint8Array>, context: DecodeContext): AsyncGenerator<WireEvent> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of body) pieces.push(bytes);
  const value = parseJson(Buffer.concat(pieces).toString("utf8"));
  // A cut object is no answer and no error: the caller sees that neither came.
  if (value === undefined) return;
  const events: WireEvent[] = [];
  const reader = createAnswerReader({ ...context, emit: (event) => void events.push(event) });
  if (reader.read(value) === "more") reader.complete();
  yield* events;
}

const ERROR_EVENT = "error";

/** Reads the `data:` of one event; answers what it did to the stream. */
const readEvent = (reader: AnswerReader, { event, data }: ServerSentEvent): "more" | "failed" | "done" => {
  if (data === DONE || data.trim() === DONE) return "done";
  const value = parseJson(data);
  // The words of an error event need not be JSON.
  return reader.read(event === ERROR_EVENT && asRecord(value) === undefined ? { error: data } : value);
};

async function* decodeStream(body: AsyncIterable<Uint8Array>, context: DecodeContext): AsyncGenerator<WireEvent> {
  let events: WireEvent[] = [];
  const reader = createAnswerReader({ ...context, emit: (event) => void events.push(event) });
  let state: "more" | "failed" | "done" = "more";
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
      yield* ready;
    }
    if (state === "failed") return;
  }
  reader.end();
  yield* events;
}
