import { EventStreamCodec } from "@smithy/eventstream-codec";

/** Amazon's own writer of event streams: what tests send is not made by the code under test. */
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

/** A message of an event stream with headers of texts. */
export const streamMessage = (headers: Readonly<Record<string, string>>, payload: string | Uint8Array): Uint8Array =>
  codec.encode({
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { type: "string", value }])),
    body: typeof payload === "string" ? Buffer.from(payload, "utf8") : payload,
  });

/** An event of the Converse API, as `{contentBlockDelta: {…}}`. */
export const converseEvent = (event: Readonly<Record<string, unknown>>): Uint8Array => {
  const [name = "", fields] = Object.entries(event)[0] ?? [];
  const headers = { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
  return streamMessage(headers, JSON.stringify(fields));
};

/** An exception in the middle of a stream. */
export const converseException = (name: string, message: string): Uint8Array =>
  streamMessage(
    { ":exception-type": name, ":content-type": "application/json", ":message-type": "exception" },
    JSON.stringify({ message }),
  );

/** The body of a streamed answer. */
export const converseBody = (...events: readonly Readonly<Record<string, unknown>>[]): Uint8Array =>
  Buffer.concat(events.map(converseEvent));
