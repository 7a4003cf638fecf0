import { parseJson } from "../../../base/parse-json.ts";
import type { WireEvent } from "../../event.ts";
import {
  decodeBatches,
  type AnswerOrigin,
  type AnswerReader,
  type ReadOutcome,
  type StartReader,
} from "../answer-body.ts";
import { readEventStream, type StreamMessage } from "./event-stream.ts";

/**
 * Decodes an answer: an event stream of AWS, or one JSON object. The first byte tells which: a message of a stream begins with
 * its length, whose highest byte is 0 for any that is taken; nothing readable begins so. Some servers answer a request for a
 * stream with an object.
 */
export async function* decodeConverse(
  body: AsyncIterable<Uint8Array>,
  origin: AnswerOrigin,
  startReader: StartReader,
): AsyncGenerator<WireEvent, void, undefined> {
  for await (const events of batchesOf(body, origin, startReader)) for (const event of events) yield event;
}

async function* batchesOf(
  body: AsyncIterable<Uint8Array>,
  origin: AnswerOrigin,
  startReader: StartReader,
): AsyncGenerator<readonly WireEvent[], void, undefined> {
  const source = body[Symbol.asyncIterator]();
  try {
    let first = await source.next();
    while (first.done !== true && first.value.length === 0) first = await source.next();
    if (first.done === true) return;
    const whole = chained(first.value, source);
    if ((first.value[0] ?? 0) > 1) yield* decodeBatches(whole, origin, startReader);
    else yield* decodeStream(whole, origin, startReader);
  } finally {
    await source.return?.();
  }
}

async function* chained(first: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
}

async function* decodeStream(
  body: AsyncIterable<Uint8Array>,
  { target }: AnswerOrigin,
  startReader: StartReader,
): AsyncGenerator<readonly WireEvent[]> {
  let events: WireEvent[] = [];
  const reader = startReader((event) => void events.push(event));
  let state: ReadOutcome = "more";
  for await (const { messages, damage } of readEventStream(body)) {
    // Reading on to the body's own end leaves the connection fit for the next call.
    if (state === "done") continue;
    for (const message of messages) {
      state = readMessage(reader, message);
      if (state !== "more") break;
    }
    if (state === "done") reader.complete();
    if (state === "more" && damage !== undefined) {
      events.push({
        type: "error",
        error: { kind: "network", message: `the answer of ${target.provider} arrived damaged: ${damage}` },
      });
    }
    yield events;
    events = [];
    if (state === "failed") return;
  }
}

/** Hands a message on as the API describes its events: an object of one member that is named after the event. */
const readMessage = (reader: AnswerReader, { headers, payload }: StreamMessage): ReadOutcome => {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const type = headers.get(":message-type");
  if (type === "error") {
    const [code, message] = [headers.get(":error-code") ?? "", headers.get(":error-message") ?? ""];
    return reader.read({ error: { code, message: message === "" ? code || "an error without a text" : message } });
  }
  const value = parseJson(bytes.toString("utf8"));
  const name = headers.get(type === "exception" ? ":exception-type" : ":event-type") ?? "";
  // The words of an exception need not be JSON.
  if (type === "exception") return reader.read({ [exceptionName(name)]: value ?? { message: bytes.toString("utf8") } });
  return reader.read({ [name]: value });
};

const exceptionName = (name: string): string => (/Exception$/i.test(name) ? name : `${name}Exception`);
