/** Replaces a secret in a stream of bytes, also where it is cut across pieces. */
export interface LiteralMask {
  /** What may be passed on by now. */
  push(bytes: Uint8Array): Uint8Array;
  /** What was held back. */
  end(): Uint8Array;
}

const MASK = Buffer.from("***");

/** A mask for one secret. An empty one masks nothing. */
export const createLiteralMask = (secret: string): LiteralMask => {
  const needle = Buffer.from(secret);
  let held: Buffer = Buffer.alloc(0);
  return {
    push: (bytes) => {
      if (needle.length === 0) return bytes;
      const { replaced, rest } = replaceAll(Buffer.concat([held, bytes]), needle);
      const keep = openingAtEnd(rest, needle);
      held = Buffer.from(rest.subarray(rest.length - keep));
      return Buffer.concat([...replaced, rest.subarray(0, rest.length - keep)]);
    },
    end: () => {
      const rest = held;
      held = Buffer.alloc(0);
      return rest;
    },
  };
};

const replaceAll = (bytes: Buffer, needle: Buffer): { readonly replaced: readonly Buffer[]; readonly rest: Buffer } => {
  const replaced: Buffer[] = [];
  let start = 0;
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, start)) {
    replaced.push(bytes.subarray(start, at), MASK);
    start = at + needle.length;
  }
  return { replaced, rest: bytes.subarray(start) };
};

/** How many of the last bytes could be the beginning of the secret. */
const openingAtEnd = (bytes: Buffer, needle: Buffer): number => {
  for (let length = Math.min(needle.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(needle.subarray(0, length))) return length;
  }
  return 0;
};
