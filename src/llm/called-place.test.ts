import { expect, test } from "vitest";
import { routeOf } from "../testing/client-rig.ts";
import { createMemoryPool, pooledKey } from "../testing/memory-pool.ts";
import { targetOf } from "../testing/scripted-provider/read-call.ts";
import { calledPlace, type CalledPlace } from "./called-place.ts";
import { keyCredential, NO_CREDENTIAL } from "./credential.ts";
import type { RouteCredentials } from "./routing/model-route.ts";

const BASE = "http://127.0.0.1:9/v1";

const placeOf = (provider: string, credentials: RouteCredentials, has: "key" | "login" | "nothing"): CalledPlace => {
  const credential = credentials.kind === "fixed" && has === "key" ? keyCredential("k") : NO_CREDENTIAL;
  const route = { ...routeOf({ ...targetOf(BASE), provider, credential }), credentials };
  const held = has === "login" ? { ...pooledKey("t"), login: true as const } : pooledKey("k");
  const pool = { ...createMemoryPool([]), peek: () => (has === "nothing" ? undefined : held) };
  return calledPlace(route, pool);
};

const pooled = (pool: string) => ({ kind: "pool", pool, optional: true }) as const;

test.each([
  ["anthropic", pooled("anthropic"), "login", "login", undefined],
  ["openrouter", pooled("openrouter"), "key", "key", undefined],
  ["den", pooled("custom:den"), "key", "key", "providers.den.base_url"],
  ["den", pooled("custom:den"), "nothing", "none", "providers.den.base_url"],
  ["custom", { kind: "fixed" }, "key", "settings", "model.base_url"],
  ["custom", pooled("custom"), "nothing", "none", "model.base_url"],
] as const)("%s with %j: %s", (...[provider, credentials, has, access, addressKey]) => {
  expect(placeOf(provider, credentials, has)).toMatchObject({ provider, access, addressKey, baseUrl: BASE });
});
