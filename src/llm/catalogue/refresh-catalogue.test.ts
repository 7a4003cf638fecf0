import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { startPathServer, type PathServer } from "../../testing/path-server.ts";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { createHttpClient } from "../http.ts";
import { readFetchedCatalogue } from "./fetched-catalogue.ts";
import { refreshCatalogue, refreshIfStale, type CatalogueSettings, type RefreshDeps } from "./refresh-catalogue.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());
const signal = new AbortController().signal;
const HOUR = 3_600_000;

const model = (context: number, more: object = {}): object => ({
  limit: { context, output: 1000 },
  cost: { input: 1, output: 2 },
  tool_call: true,
  ...more,
});
const GOOD = { openai: { models: { "gpt-9": model(900_000) } }, unknown: { models: { x: model(1) } } };

interface Bench extends AsyncDisposable {
  readonly server: PathServer;
  readonly clock: FakeClock;
  readonly file: string;
  readonly deps: (settings?: Partial<CatalogueSettings>) => RefreshDeps;
}

const bench = async (): Promise<Bench> => {
  const folder = createTempDirectory();
  const server = await startPathServer({ "GET /api.json": { json: GOOD, headers: { etag: '"one"' } } });
  const clock = createFakeClock({ now: Date.UTC(2026, 11, 1) });
  const file = path.join(folder.path, "cache", "model_catalog.json");
  return {
    server,
    clock,
    file,
    deps: (settings = {}) => ({
      http,
      clock,
      file,
      settings: { enabled: true, url: `${server.root}/api.json`, ttlMs: 24 * HOUR, providerUrls: {}, ...settings },
    }),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};

test("a refresh keeps the models of our providers, for the owner alone", async () => {
  await using it = await bench();
  expect(await refreshCatalogue(it.deps(), signal)).toEqual({ kind: "refreshed", providers: 1, models: 1 });
  expect(readFetchedCatalogue(it.file)).toEqual({
    url: `${it.server.root}/api.json`,
    fetchedAt: it.clock.now(),
    triedAt: it.clock.now(),
    etag: '"one"',
    models: { "openai-api": ["gpt-9 900000 1000 t 1:2"] },
  });
  expect(statSync(it.file).mode & 0o777).toBe(0o600);
  expect(readFileSync(it.file, "utf8")).toContain('"fetched_at":"2026-12-01T00:00:00.000Z"');
});

test("at most once in its time, whether it succeeds or not; the next one asks for changes only", async () => {
  await using it = await bench();
  expect((await refreshIfStale(it.deps(), signal)).kind).toBe("refreshed");
  expect((await refreshIfStale(it.deps(), signal)).kind).toBe("fresh");
  await it.clock.advance(25 * HOUR);
  it.server.answer("GET /api.json", { status: 304, text: "" });
  expect((await refreshIfStale(it.deps(), signal)).kind).toBe("unchanged");
  expect(it.server.requests.at(-1)?.headers["if-none-match"]).toBe('"one"');
  expect(readFetchedCatalogue(it.file)?.fetchedAt).toBe(it.clock.now());

  await it.clock.advance(25 * HOUR);
  it.server.answer("GET /api.json", { status: 500, text: "" });
  expect(await refreshIfStale(it.deps(), signal)).toMatchObject({
    kind: "failed",
    why: expect.stringContaining("500"),
  });
  expect((await refreshIfStale(it.deps(), signal)).kind).toBe("fresh");
  expect(it.server.requests).toHaveLength(3);
  expect(readFetchedCatalogue(it.file)?.models).toHaveProperty("openai-api");
});

test("another address is asked at once, without the mark of the first", async () => {
  await using it = await bench();
  await refreshIfStale(it.deps(), signal);
  it.server.answer("GET /other.json", { json: { xai: { models: { "grok-9": model(5) } } } });
  expect((await refreshIfStale(it.deps({ url: `${it.server.root}/other.json` }), signal)).kind).toBe("refreshed");
  expect(it.server.requests.at(-1)?.headers["if-none-match"]).toBeUndefined();
  expect(readFetchedCatalogue(it.file)?.models).toEqual({ xai: ["grok-9 5 1000 t 1:2"] });
});

test.each([
  ["a page", { text: "<html>" }],
  ["another form", { json: { providers: { openrouter: { models: [{ id: "a" }] } } } }],
  ["a list", { json: [1, 2] }],
  ["nothing of ours", { json: { unknown: { models: { x: model(1) } } } }],
  ["only models without a window", { json: { openai: { models: { x: { cost: { input: 1 } } } } } }],
  ["a redirect", { status: 302, text: "", headers: { location: "https://elsewhere.example/api.json?x=1" } }],
])("a bad download (%s) never replaces a good one", async (_, answer) => {
  await using it = await bench();
  await refreshCatalogue(it.deps(), signal);
  const before = readFetchedCatalogue(it.file);
  await it.clock.advance(1000);
  it.server.answer("GET /api.json", answer);
  expect((await refreshCatalogue(it.deps(), signal)).kind).toBe("failed");
  expect(readFetchedCatalogue(it.file)).toEqual({ ...before, triedAt: it.clock.now() });
});

test("a download that is cut off or too large never replaces a good one", async () => {
  await using it = await bench();
  await refreshCatalogue(it.deps(), signal);
  it.server.answer("GET /api.json", (_, response) => {
    response.write('{"openai": {"models": {');
    response.destroy();
  });
  expect((await refreshCatalogue(it.deps(), signal)).kind).toBe("failed");
  it.server.answer("GET /api.json", (_, response) => {
    response.end(JSON.stringify({ ...GOOD, filler: "x".repeat(17 * 1024 * 1024) }));
  });
  expect(await refreshCatalogue(it.deps(), signal)).toMatchObject({ why: expect.stringContaining("16 MiB") });
  expect(readFetchedCatalogue(it.file)?.models).toEqual({ "openai-api": ["gpt-9 900000 1000 t 1:2"] });
});

test("a slow download is given up", async () => {
  await using it = await bench();
  const arrived = new Promise<void>((resolve) => it.server.answer("GET /api.json", () => resolve()));
  const outcome = refreshCatalogue(it.deps(), signal);
  await arrived;
  await it.clock.advance(31_000);
  expect(await outcome).toEqual({ kind: "failed", why: expect.stringContaining("did not answer within 30 s") });
});

test("who gives up gets their own reason, and nothing is written", async () => {
  await using it = await bench();
  const gone = new AbortController();
  const arrived = new Promise<void>((resolve) => it.server.answer("GET /api.json", () => resolve()));
  const outcome = refreshCatalogue(it.deps(), gone.signal);
  await arrived;
  gone.abort(new Error("closed"));
  await expect(outcome).rejects.toThrow("closed");
  expect(existsSync(it.file)).toBe(false);
});

test("switched off, nothing is asked", async () => {
  await using it = await bench();
  expect((await refreshIfStale(it.deps({ enabled: false }), signal)).kind).toBe("disabled");
  expect((await refreshCatalogue(it.deps({ enabled: false }), signal)).kind).toBe("disabled");
  expect(it.server.requests).toEqual([]);
});

test("a provider's own catalogue counts for it alone; one that cannot be had leaves all as it was", async () => {
  await using it = await bench();
  it.server.answer("GET /mine.json", {
    json: { xai: { models: { "grok-mine": model(77) } }, openai: { models: { "gpt-9": model(1) } } },
  });
  const settings = { providerUrls: { xai: `${it.server.root}/mine.json` } };
  expect(await refreshCatalogue(it.deps(settings), signal)).toMatchObject({ kind: "refreshed", providers: 2 });
  const good = { "openai-api": ["gpt-9 900000 1000 t 1:2"], xai: ["grok-mine 77 1000 t 1:2"] };
  expect(readFetchedCatalogue(it.file)?.models).toEqual(good);
  it.server.answer("GET /mine.json", { json: { openai: { models: { "gpt-9": model(1) } } } });
  expect(await refreshCatalogue(it.deps(settings), signal)).toMatchObject({ kind: "failed" });
  expect(readFetchedCatalogue(it.file)?.models).toEqual(good);
});

test("a file that is damaged, or another program's, is as if it were not there", async () => {
  await using it = await bench();
  mkdirSync(path.dirname(it.file), { recursive: true });
  for (const text of ["", "{", "[]", '{"format":"other","models":{}}', '{"providers":{}}']) {
    writeFileSync(it.file, text);
    expect(readFetchedCatalogue(it.file)).toBeUndefined();
  }
  writeFileSync(it.file, '{"format":"hermes-catalogue-1","fetched_at":"soon","models":{"xai":[1,null,"a 5"],"zai":7}}');
  expect(readFetchedCatalogue(it.file)).toEqual({ url: "", fetchedAt: 0, triedAt: 0, models: { xai: ["a 5"] } });
  expect((await refreshIfStale(it.deps(), signal)).kind).toBe("refreshed");
});

test("what cannot be written is said, and nothing breaks", async () => {
  await using it = await bench();
  writeFileSync(path.dirname(it.file), "a file where the folder should be");
  expect((await refreshCatalogue(it.deps(), signal)).kind).toBe("failed");
});
