/** A body in one read, or in reads of the given sizes (repeated to its end). */
export async function* cutBody(body: string | Uint8Array, sizes: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (sizes.length === 0) {
    yield bytes;
    return;
  }
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Everything that an asynchronous sequence yields. */
export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};
