import type { CredentialPool, PooledCredential, RenewOutcome } from "../llm/auth/credential-pool.ts";
import { keyCredential } from "../llm/credential.ts";
import type { ProviderError } from "../llm/provider-error.ts";

/** A key under its own name. */
export const pooledKey = (value: string): PooledCredential => ({
  id: value,
  label: `label of ${value}`,
  source: "manual",
  secret: keyCredential(value),
});

/** A pool in memory for tests of what is around it: the first key that is neither excluded nor resting. */
export interface MemoryPool extends CredentialPool {
  readonly rested: readonly { readonly id: string; readonly error: ProviderError }[];
  /** Leases that were not released. */
  readonly open: () => number;
}

/** `renewals` maps the value of a refused secret to its new one. */
export const createMemoryPool = (
  values: readonly string[],
  renewals: Readonly<Record<string, string>> = {},
): MemoryPool => {
  const rested: { id: string; error: ProviderError }[] = [];
  let entries = values.map(pooledKey);
  let open = 0;
  const isResting = ({ id }: PooledCredential): boolean => rested.some((rest) => rest.id === id);
  const leaseOf = (credential: PooledCredential, others: number) => {
    open += 1;
    let released = false;
    return {
      credential,
      others,
      [Symbol.dispose]: () => {
        if (!released) open -= 1;
        released = true;
      },
    };
  };
  return {
    rested,
    open: () => open,
    peek: () => entries.find((entry) => !isResting(entry)),
    lease: (_provider, { exclude, prefer, evenResting }) => {
      const wanted = entries.filter(({ id }) => !exclude.has(id));
      const fresh = wanted.filter((entry) => !isResting(entry));
      const choice =
        fresh.find(({ id }) => id === prefer) ?? fresh[0] ?? (evenResting === true ? wanted[0] : undefined);
      if (choice !== undefined) {
        const others = fresh.filter((entry) => entry !== choice).length;
        return Promise.resolve({ kind: "leased", lease: leaseOf(choice, others) });
      }
      if (wanted.length === 0) return Promise.resolve({ kind: "no_credential" });
      return Promise.resolve({ kind: "resting", until: 0, last: rested[0]?.error });
    },
    renew: (_provider, refused): Promise<RenewOutcome> => {
      const value = refused.secret.kind === "key" ? renewals[refused.secret.value] : undefined;
      if (value === undefined) return Promise.resolve({ kind: "not_renewable", why: "it is a key" });
      const renewed = { ...refused, secret: keyCredential(value) };
      entries = entries.map((entry) => (entry.id === refused.id ? renewed : entry));
      return Promise.resolve({ kind: "renewed", lease: leaseOf(renewed, entries.length - 1) });
    },
    rest: (_provider, { id }, error) => {
      rested.push({ id, error });
      return Promise.resolve();
    },
  };
};
