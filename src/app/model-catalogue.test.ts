import { writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { rememberEndpoint, readEndpointMemory } from "../llm/catalogue/endpoint-memory.ts";
import { createHttpClient } from "../llm/http.ts";
import type { ModelTarget } from "../llm/model-target.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { startPathServer, type PathServer } from "../testing/path-server.ts";
import { createTempApp } from "../testing/temp-app.ts";
import { openModelCatalogue } from "./model-catalogue.ts";
import type { Models } from "./open-model.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());
const DAY = 24 * 60 * 60 * 1000;

const llamaCpp = (window: number): Promise<PathServer> =>
  startPathServer({
    "GET /props": { json: { default_generation_settings: { n_ctx: window } } },
    "GET /v1/models": { json: { data: [{ id: "gpt-oss-20b" }] } },
  });

const targetOf = (models: Models): ModelTarget => {
  const resolution = models.resolve({});
  if (resolution.kind !== "model") throw new Error("no model");
  return resolution.target;
};

const configFor = (server: PathServer, more = ""): string =>
  `model: {provider: custom, base_url: "${server.root}/v1", default: gpt-oss-20b${more}}\n`;

test("the window that a server of one's own has loaded is learned before a call, and beats the catalogue's", async () => {
  await using server = await llamaCpp(12_288);
  await using temp = createTempApp({ config: configFor(server) });
  expect(targetOf(temp.models).info).toMatchObject({ contextWindow: 131_072, contextWindowFrom: "catalogue" });
  const catalogue = openModelCatalogue(temp.app, http, [server.port]);
  expect(await catalogue.learnWindow(targetOf(temp.models))).toBe(true);
  const { baseUrl } = targetOf(temp.models);
  expect(catalogue.catalogue.find("custom", "gpt-oss-20b", baseUrl)).toMatchObject({
    contextWindow: 12_288,
    contextWindowFrom: "endpoint",
  });
  // Another place knows nothing of it.
  expect(catalogue.catalogue.find("custom", "gpt-oss-20b", "http://127.0.0.1:9/v1").contextWindow).toBe(131_072);
});

test("nothing is asked at another port, of a window that the settings name, or of somebody else's server", async () => {
  await using server = await llamaCpp(12_288);
  await using temp = createTempApp({ config: configFor(server) });
  expect(await openModelCatalogue(temp.app, http, [1]).learnWindow(targetOf(temp.models))).toBe(false);
  await using set = createTempApp({ config: configFor(server, ", context_length: 9000") });
  const catalogue = openModelCatalogue(set.app, http, [server.port]);
  expect(await catalogue.learnWindow(targetOf(set.models))).toBe(false);
  expect(await catalogue.learnWindow({ ...targetOf(temp.models), local: false })).toBe(false);
  expect(server.requests).toEqual([]);
});

test("a server that hangs holds a start up for a moment only", async () => {
  const clock = createFakeClock();
  const arrived = Promise.withResolvers<void>();
  await using server = await startPathServer({ "GET /props": () => arrived.resolve() });
  await using temp = createTempApp({ config: configFor(server), clock });
  const learned = openModelCatalogue(temp.app, http, [server.port]).learnWindow(targetOf(temp.models));
  await arrived.promise;
  await clock.advance(400);
  expect(await learned).toBe(false);
});

test("a provider elsewhere: the catalogue goes before what its endpoint said, which fills its gaps", async () => {
  await using temp = createTempApp();
  const { endpointModels: file } = temp.app.paths;
  const address = "https://api.openai.com/v1";
  await rememberEndpoint({ file, now: temp.app.clock.now() }, `${address}/`, [
    { name: "gpt-4o", contextWindow: 5000, abilities: {} },
    { name: "gpt-new", contextWindow: 6000, maxOutputTokens: 700, abilities: { tools: true } },
  ]);
  const { catalogue } = openModelCatalogue(temp.app, http);
  expect(catalogue.find("openai-api", "gpt-4o", address).contextWindow).toBe(128_000);
  expect(catalogue.find("openai-api", "gpt-new", address)).toEqual({
    contextWindow: 6000,
    contextWindowFrom: "endpoint",
    maxOutputTokens: 700,
    abilities: { tools: true },
  });
});

test("what an endpoint does not say any more stays as it was known, models that are gone are forgotten, and old words too", async () => {
  await using temp = createTempApp();
  const { endpointModels: file } = temp.app.paths;
  const now = Date.UTC(2026, 11, 1);
  const named = (name: string, contextWindow?: number) => ({
    name,
    abilities: {},
    ...(contextWindow === undefined ? {} : { contextWindow }),
  });
  await rememberEndpoint({ file, now }, "http://a/v1", [named("one", 1000), named("two", 2000)]);
  await rememberEndpoint({ file, now: now + DAY }, "http://a/v1", [named("one"), named("three", 3000)]);
  expect(readEndpointMemory(file, now + DAY)).toEqual({
    "http://a/v1": { seenAt: now + DAY, models: ["one 1000 - -", "three 3000 - -"] },
  });
  expect(readEndpointMemory(file, now + 40 * DAY)).toEqual({});
  for (let index = 0; index < 60; index += 1) {
    await rememberEndpoint({ file, now: now + 2 * DAY + index }, `http://b${index}/v1`, [named("m", 1)]);
  }
  const kept = readEndpointMemory(file, now + 3 * DAY);
  expect(Object.keys(kept)).toHaveLength(50);
  expect(kept["http://b59/v1"]).toBeDefined();
  expect(kept["http://a/v1"]).toBeUndefined();
  for (const text of ["", "[]", '{"format":"hermes-endpoints-1","endpoints":{"x":[],"y":{"seen_at":7,"models":3}}}']) {
    writeFileSync(file, text);
    expect(readEndpointMemory(file, now)).toEqual({});
  }
});

test("a surface that lives for a while refreshes the catalogue beside its first call of a public model, once", async () => {
  await using server = await startPathServer({ "GET /api.json": { json: {} } });
  const config = `model_catalog: {url: "${server.root}/api.json"}\nmodel: {provider: deepseek, default: deepseek-chat}\n`;
  await using temp = createTempApp({ config, environment: { DEEPSEEK_API_KEY: "sk-0123456789" } });
  const clientFor = (flags: { readonly model?: string }) => {
    const resolution = temp.models.resolve(flags);
    if (resolution.kind !== "model") throw new Error("no model");
    return temp.models.clientFor(resolution.route);
  };
  temp.models.refreshBeside(clientFor({ model: "ollama:qwen3" }));
  temp.models.refreshBeside(await temp.models.practice());
  expect(server.requests).toEqual([]);
  temp.models.refreshBeside(clientFor({}));
  temp.models.refreshBeside(clientFor({}));
  await expect.poll(() => server.requests.length).toBe(1);
  await temp.app[Symbol.asyncDispose]();
  expect(server.requests).toHaveLength(1);
});
