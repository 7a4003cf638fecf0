/** A queue that one reader empties with `for await`. */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(event: T): void;
  /** Ends the reader's loop after what is queued. */
  close(): void;
}

/**
 * A queue of at most `limit` events. When nobody reads, the oldest event that `mayDrop` allows goes first, else the oldest.
 */
export const createEventQueue = <T>(limit: number, mayDrop: (event: T) => boolean): EventQueue<T> => {
  const events: T[] = [];
  let closed = false;
  let wake = Promise.withResolvers<void>();
  const signal = (): void => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  return {
    push: (event) => {
      if (closed) return;
      events.push(event);
      if (events.length > limit) events.splice(Math.max(0, events.findIndex(mayDrop)), 1);
      signal();
    },
    close: () => {
      closed = true;
      signal();
    },
    [Symbol.asyncIterator]: async function* () {
      for (;;) {
        const event = events.shift();
        if (event !== undefined) yield event;
        else if (closed) return;
        else await wake.promise;
      }
    },
  };
};
