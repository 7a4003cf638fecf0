/** Lets a number of things through per window and counts the rest. */
export interface RateLimit {
  /** Whether one more may pass at `now` (milliseconds, any origin); `suppressed` = how many did not since the last that did. */
  admit(now: number): { readonly pass: true; readonly suppressed: number } | { readonly pass: false };
}

/** A limit of `count` per `windowMs`. */
export const createRateLimit = (count: number, windowMs: number): RateLimit => {
  let times: readonly number[] = [];
  let suppressed = 0;
  return {
    admit: (now) => {
      times = times.filter((time) => now - time < windowMs);
      if (times.length >= count) {
        suppressed += 1;
        return { pass: false };
      }
      times = [...times, now];
      const before = suppressed;
      suppressed = 0;
      return { pass: true, suppressed: before };
    },
  };
};
