import type { CredentialPool, PooledCredential } from "../llm/auth/credential-pool.ts";
import { keyCredential } from "../llm/credential.ts";
import { PROVIDER_ROWS } from "../llm/providers/rows.ts";
import type { App } from "./app.ts";

/** The pools of a home without a vault: one key for each provider, of its settings or its variables. */
export const createEnvironmentPool = (app: App): CredentialPool => {
  const peek = (pool: string): PooledCredential | undefined => {
    const id = pool.replace(/^custom:/, "");
    const providers = app.config.section("providers");
    const entry = Object.entries(providers).find(([name]) => name.toLowerCase() === id)?.[1];
    const row = PROVIDER_ROWS.find((candidate) => candidate.id === pool);
    const variables = entry?.key_env === undefined ? (row?.keyEnv ?? []) : [entry.key_env];
    const variable = variables.find((name) => (app.config.secret(name)?.trim() ?? "") !== "");
    const value = (entry?.api_key ?? (variable === undefined ? undefined : app.config.secret(variable)))?.trim();
    if (value === undefined || value === "") return undefined;
    const source = entry?.api_key === undefined ? `env:${variable}` : `config:${id}`;
    return { id: source, label: source, source, secret: keyCredential(value) };
  };
  return {
    peek,
    lease: (pool, { exclude }) => {
      const credential = peek(pool);
      if (credential === undefined || exclude.has(credential.id)) return Promise.resolve({ kind: "no_credential" });
      const lease = { credential, others: 0, [Symbol.dispose]: () => undefined };
      return Promise.resolve({ kind: "leased", lease });
    },
    renew: () => Promise.resolve({ kind: "not_renewable", why: "it is a key" }),
    rest: () => Promise.resolve(),
  };
};
