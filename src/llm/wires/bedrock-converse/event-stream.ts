import { crc32 } from "node:zlib";

/** One message of a stream: its headers that are texts, and its payload. */
export interface StreamMessage {
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Uint8Array;
}

/** What a read brought. Nothing follows `damage`: the bytes are not those that were sent. */
export interface StreamRead {
  readonly messages: readonly StreamMessage[];
  readonly damage: string | undefined;
}

/** Length of the whole, length of the headers, checksum of both. */
const PRELUDE = 12;
const CHECKSUM = 4;
/** Longest message that is waited for: AWS bounds payloads at 16 MiB and headers at 128 KiB. */
const LONGEST = 16 * 1024 * 1024 + 128 * 1024 + PRELUDE + CHECKSUM;

/**
 * Reads a body as AWS's event stream (`application/vnd.amazon.eventstream`), in arbitrary cuts of the bytes; yields the messages
 * of each read together. A message that the end of the body cuts off is left out. What reading the body throws is passed on.
 */
export async function* readEventStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamRead, void, undefined> {
  // Pieces are joined only when they hold a whole message: one of megabytes in cuts of some bytes is copied once.
  let pieces: Uint8Array[] = [];
  let held = 0;
  let wanted = PRELUDE;
  const headersOf = createHeaderReader();
  for await (const bytes of body) {
    pieces.push(bytes);
    held += bytes.length;
    if (held < wanted) continue;
    const joined = pieces.length === 1 ? bytes : Buffer.concat(pieces, held);
    const { messages, rest, next, damage } = takeMessages(joined, headersOf);
    if (messages.length > 0 || damage !== undefined) yield { messages, damage };
    if (damage !== undefined) return;
    pieces = [rest];
    held = rest.length;
    wanted = next;
  }
}

interface Taken extends StreamRead {
  readonly rest: Uint8Array;
  /** Bytes that the next message needs, as far as it is known. */
  readonly next: number;
}

const takeMessages = (bytes: Uint8Array, headersOf: HeaderReader): Taken => {
  const messages: StreamMessage[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const taken = (next: number, damage?: string): Taken => ({ messages, rest: bytes.subarray(at), next, damage });
  while (bytes.length - at >= PRELUDE) {
    const length = view.getUint32(at);
    const headersLength = view.getUint32(at + 4);
    if (view.getUint32(at + 8) !== crc32(bytes.subarray(at, at + 8))) return taken(0, "a checksum is wrong");
    if (length > LONGEST || length < PRELUDE + headersLength + CHECKSUM) return taken(0, "a length is impossible");
    if (bytes.length - at < length) return taken(length);
    const end = at + length - CHECKSUM;
    if (view.getUint32(end) !== crc32(bytes.subarray(at, end))) return taken(0, "a checksum is wrong");
    const payloadStart = at + PRELUDE + headersLength;
    const headers = headersOf(bytes.subarray(at + PRELUDE, payloadStart));
    if (headers === undefined) return taken(0, "its headers cannot be read");
    messages.push({ headers, payload: bytes.subarray(payloadStart, end) });
    at += length;
  }
  return taken(PRELUDE);
};

type HeaderReader = (bytes: Uint8Array) => ReadonlyMap<string, string> | undefined;

/** Messages of one kind follow one another with the same headers to the byte: those of the last one are kept. */
const createHeaderReader = (): HeaderReader => {
  let lastBytes = Buffer.alloc(0);
  let last: ReadonlyMap<string, string> | undefined;
  return (bytes) => {
    if (last === undefined || !lastBytes.equals(bytes)) {
      last = readHeaders(bytes);
      lastBytes = Buffer.from(bytes);
    }
    return last;
  };
};

/** Bytes of a header's value by its type; those of bytes (6) and texts (7) have their length before them. */
const VALUE_LENGTHS: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const TEXT = 7;

const readHeaders = (bytes: Uint8Array): ReadonlyMap<string, string> | undefined => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers = new Map<string, string>();
  let at = 0;
  while (at < buffer.length) {
    const nameEnd = at + 1 + (buffer[at] ?? 0);
    const type = buffer[nameEnd];
    if (type === undefined || type >= VALUE_LENGTHS.length) return undefined;
    let start = nameEnd + 1;
    let length = VALUE_LENGTHS[type];
    if (length === undefined) {
      if (start + 2 > buffer.length) return undefined;
      length = buffer.readUInt16BE(start);
      start += 2;
    }
    if (start + length > buffer.length) return undefined;
    if (type === TEXT) {
      headers.set(buffer.toString("utf8", at + 1, nameEnd), buffer.toString("utf8", start, start + length));
    }
    at = start + length;
  }
  return headers;
};
