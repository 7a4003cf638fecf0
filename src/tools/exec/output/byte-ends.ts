/** The first bytes of a stream. */
export interface HeadBytes {
  /** Returns what does not fit any more. */
  push(bytes: Uint8Array): Uint8Array;
  bytes(): Buffer;
}

/** Keeps the first `limit` bytes. */
export const createHead = (limit: number): HeadBytes => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    push: (bytes) => {
      const fits = Math.min(bytes.length, limit - size);
      if (fits > 0) chunks.push(Buffer.from(bytes.subarray(0, fits)));
      size += fits;
      return bytes.subarray(fits);
    },
    bytes: () => Buffer.concat(chunks),
  };
};

/** The last bytes of a stream. */
export interface TailBytes {
  push(bytes: Uint8Array): void;
  bytes(): Buffer;
}

const FIRST_RING_BYTES = 16 * 1024;

/** Keeps the last `limit` bytes, in a ring that grows with what comes. */
export const createTail = (limit: number): TailBytes => {
  let ring = Buffer.alloc(0);
  let next = 0;
  let filled = 0;
  const grow = (need: number): void => {
    if (need <= ring.length || ring.length === limit) return;
    const larger = Buffer.alloc(Math.min(limit, Math.max(need, ring.length * 2, FIRST_RING_BYTES)));
    // A ring that still grows was never full, so it begins at 0.
    ring.copy(larger, 0, 0, filled);
    ring = larger;
    next = filled;
  };
  return {
    push: (bytes) => {
      const last = bytes.subarray(Math.max(0, bytes.length - limit));
      if (last.length === 0) return;
      grow(filled + last.length);
      const untilEnd = Math.min(last.length, ring.length - next);
      ring.set(last.subarray(0, untilEnd), next);
      ring.set(last.subarray(untilEnd), 0);
      next = (next + last.length) % ring.length;
      filled = Math.min(ring.length, filled + last.length);
    },
    bytes: () =>
      filled < ring.length
        ? Buffer.from(ring.subarray(0, filled))
        : Buffer.concat([ring.subarray(next), ring.subarray(0, next)]),
  };
};
