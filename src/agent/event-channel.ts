/**
 * Carries values from running work to one reader. The writer may wait until the reader keeps up; when the reader
 * leaves (`return()`), `onAbandoned` tells the writer to stop.
 */
export interface Channel<T> extends AsyncIterable<T> {
  /** Adds a value. Resolves at once while fewer than the bound wait, else when the reader has caught up. */
  push(value: T): Promise<void>;
  /** Adds a value unless the reader is behind; says whether it was taken. For output that may be thinned. */
  offer(value: T): boolean;
  /** Ends the stream after what was pushed. Later values are dropped. */
  close(): void;
  /** Ends the stream with a thrown error after what was pushed. */
  fail(error: unknown): void;
}

const BOUND = 256;

/** A channel for one reader. */
export const createChannel = <T extends object>(onAbandoned: () => void): Channel<T> => {
  const queue: T[] = [];
  let ended: { readonly error?: unknown } | undefined;
  let wakeReader: (() => void) | undefined;
  let wakeWriters: (() => void)[] = [];

  const wake = (): void => {
    wakeReader?.();
    wakeReader = undefined;
  };
  const releaseWriters = (): void => {
    const waiting = wakeWriters;
    wakeWriters = [];
    for (const release of waiting) release();
  };
  const end = (how: { readonly error?: unknown }): void => {
    ended ??= how;
    wake();
    releaseWriters();
  };

  async function* read(): AsyncGenerator<T> {
    try {
      for (;;) {
        const value = queue.shift();
        if (value !== undefined) {
          if (queue.length < BOUND) releaseWriters();
          yield value;
          continue;
        }
        if (ended !== undefined) {
          if ("error" in ended) throw ended.error;
          return;
        }
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      }
    } finally {
      const abandoned = ended === undefined;
      end({});
      if (abandoned) onAbandoned();
    }
  }

  return {
    push: (value) => {
      if (ended !== undefined) return Promise.resolve();
      queue.push(value);
      wake();
      if (queue.length < BOUND) return Promise.resolve();
      return new Promise((resolve) => wakeWriters.push(resolve));
    },
    offer: (value) => {
      if (ended !== undefined || queue.length >= BOUND) return false;
      queue.push(value);
      wake();
      return true;
    },
    close: () => end({}),
    fail: (error) => end({ error }),
    [Symbol.asyncIterator]: read,
  };
};
