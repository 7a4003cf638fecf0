/** How long and from where a soak runs: `HERMES_SOAK_SECONDS` (all soak files together) and `HERMES_SOAK_SEED`. */
export interface Soak {
  readonly seed: number;
  /** False once the file's share of the time is used up. */
  readonly goesOn: () => boolean;
}

/** Starts a soak that may use `share` (0–1) of the whole time. */
export const startSoak = (share: number): Soak => {
  const seconds = Number(process.env["HERMES_SOAK_SECONDS"] ?? 600) * share;
  const seed = Number(process.env["HERMES_SOAK_SEED"] ?? process.hrtime.bigint() % 1_000_000n);
  let end: number | undefined;
  return {
    seed,
    goesOn: () => {
      end ??= process.uptime() + seconds;
      return process.uptime() < end;
    },
  };
};

/** A generator of whole numbers below a bound, the same for the same seed (mulberry32). */
export const seededNumbers = (seed: number): ((below: number) => number) => {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};
