import { createParser } from "eventsource-parser";

/** One server-sent event: the joined `data:` lines, and the `event:` name where one was sent. */
export interface ServerSentEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/**
 * Reads a body as server-sent events (WHATWG HTML, 9.2.6), in arbitrary cuts of the bytes; yields the events of each read
 * together. Comments and events without data yield nothing. One rule of our own: an event that the end of the body leaves
 * without its blank line counts as sent (the standard drops it), since providers close right after the last line; whether
 * its data is whole is the reader's to see.
 */
export async function* readServerSentEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly ServerSentEvent[], void, undefined> {
  let found: ServerSentEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => found.push({ event, data }) });
  // The parser takes the byte order mark away; a second remover would take two.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const taken = (): readonly ServerSentEvent[] => {
    const events = found;
    found = [];
    return events;
  };
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (found.length > 0) yield taken();
  }
  // Ends the open line, then the open event; after a lone CR the first LF only completes the pair.
  parser.feed(`${decoder.decode()}\n\n`);
  if (found.length > 0) yield taken();
}
