/** Calls `notice` as soon as the event loop has gone on, without keeping the process alive; disposing cancels it. */
export const afterThisTurn = (notice: () => void): Disposable => {
  // Not a wait on time: it tells that the loop went on, which no clock can, a fake one least of all.
  // oxlint-disable-next-line no-restricted-globals
  const immediate = setImmediate(notice);
  immediate.unref();
  return immediate;
};

/** Lets the event loop take one turn, so that long work in slices does not hold up anything else. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    // oxlint-disable-next-line no-restricted-globals -- as above
    setImmediate(resolve);
  });
