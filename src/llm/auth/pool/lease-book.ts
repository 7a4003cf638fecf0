/** Who uses which credential in this process, and how often each was used since the counts were last written. */
export interface LeaseBook {
  /** Notes a use; the result ends it, as often as it is called. */
  take(pool: string, id: string): () => void;
  /** Whether somebody uses it now. */
  isBusy(pool: string, id: string): boolean;
  /** Uses that are not written yet. */
  unwritten(pool: string, id: string): number;
  /** The id that was used last. */
  last(pool: string): string | undefined;
  /** Pools with uses that are not written yet. */
  changed(): readonly string[];
  /** Takes what is not written yet, to write it: the uses of a pool by id. */
  drain(pool: string): ReadonlyMap<string, number>;
  /** Gives back what could not be written. */
  restore(pool: string, uses: ReadonlyMap<string, number>): void;
}

interface PoolUse {
  readonly busy: Map<string, number>;
  uses: Map<string, number>;
  last: string | undefined;
}

/** Makes an empty book. */
export const createLeaseBook = (): LeaseBook => {
  const pools = new Map<string, PoolUse>();
  const pageOf = (pool: string): PoolUse => {
    const page = pools.get(pool) ?? { busy: new Map(), uses: new Map(), last: undefined };
    pools.set(pool, page);
    return page;
  };
  const add = (counts: Map<string, number>, id: string, by: number): void => {
    const next = (counts.get(id) ?? 0) + by;
    if (next > 0) counts.set(id, next);
    else counts.delete(id);
  };
  return {
    take: (pool, id) => {
      const page = pageOf(pool);
      add(page.busy, id, 1);
      add(page.uses, id, 1);
      page.last = id;
      let isHeld = true;
      return () => {
        if (isHeld) add(page.busy, id, -1);
        isHeld = false;
      };
    },
    isBusy: (pool, id) => (pools.get(pool)?.busy.get(id) ?? 0) > 0,
    unwritten: (pool, id) => pools.get(pool)?.uses.get(id) ?? 0,
    last: (pool) => pools.get(pool)?.last,
    changed: () => [...pools].filter(([, page]) => page.uses.size > 0).map(([pool]) => pool),
    drain: (pool) => {
      const page = pageOf(pool);
      const { uses } = page;
      page.uses = new Map();
      return uses;
    },
    restore: (pool, uses) => {
      for (const [id, count] of uses) add(pageOf(pool).uses, id, count);
    },
  };
};
