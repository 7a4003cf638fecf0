import { afterAll, describe, expect, test } from "vitest";
import { clientDeps } from "../../testing/client-rig.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { createMemoryPool, type MemoryPool } from "../../testing/memory-pool.ts";
import { ask, messageIn, targetOf } from "../../testing/scripted-provider/read-call.ts";
import {
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedProvider,
  type ScriptStep,
} from "../../testing/scripted-provider/scripted-provider.ts";
import { authErrors } from "../auth/errors.ts";
import { createModelClient } from "../create-model-client.ts";
import type { CallEvent } from "../event.ts";
import { createHttpClient } from "../http.ts";
import { textOf } from "../message.ts";
import type { ModelClient, CallOptions } from "../model-client.ts";
import { describeCapReached } from "../spend/describe-cap.ts";
import type { SpendDecision, SpendLedger } from "../spend/spend-ledger.ts";
import type { ModelRoute } from "./model-route.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());

const status = (code: number, message = "no", headers: Record<string, string> = {}): ScriptedAnswer => ({
  status: code,
  headers,
  body: JSON.stringify({ error: { message } }),
});

/** A route to a scripted provider, with the keys of a pool. */
const routeTo = (provider: ScriptedProvider, name: string, pool: string | undefined): ModelRoute => {
  const base = targetOf(provider.baseUrl, { provider: name, model: `${name}-model` });
  const info = { ...base.info, provider: name, model: `${name}-model`, price: { input: 1, output: 2 } };
  return {
    info,
    credentials: pool === undefined ? { kind: "fixed" } : { kind: "pool", pool, optional: false },
    targetWith: (credential) => ({ ...base, info, credential: credential?.secret ?? base.credential }),
  };
};

interface Play {
  readonly clock: FakeClock;
  readonly client: ModelClient;
  /** Calls and sits through the waits; the events. */
  readonly call: (options?: Partial<CallOptions>) => Promise<readonly CallEvent[]>;
  readonly warnings: readonly string[];
}

const playOn = (
  routes: readonly ModelRoute[],
  { pool = createMemoryPool([]), ledger }: { readonly pool?: MemoryPool; readonly ledger?: SpendLedger } = {},
): Play => {
  const [first, ...fallbacks] = routes;
  if (first === undefined) throw new Error("a play needs a route");
  const clock = createFakeClock();
  const warnings: string[] = [];
  const deps = clientDeps({
    http,
    clock,
    pool,
    log: { warn: (message) => void warnings.push(message) },
    ledger: ledger === undefined ? undefined : () => Promise.resolve(ledger),
  });
  const client = createModelClient(deps, { first, fallbacks: () => fallbacks });
  const call = async (options: Partial<CallOptions> = {}): Promise<readonly CallEvent[]> => {
    const events: CallEvent[] = [];
    for await (const event of client.call(ask("hello"), { signal: new AbortController().signal, ...options })) {
      events.push(event);
      if (event.type === "retrying") void clock.advance(event.delayMs);
    }
    return events;
  };
  return { clock, client, call, warnings };
};

const keysOf = ({ requests }: ScriptedProvider): readonly (string | undefined)[] =>
  requests.map(({ headers }) => headers.authorization?.replace("Bearer ", ""));

const endOf = (events: readonly CallEvent[]): CallEvent => events.at(-1) ?? { type: "aborted" };

const answerOf = (events: readonly CallEvent[]): string => textOf(messageIn(endOf(events)));

const typesOf = (events: readonly CallEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type !== "text" && type !== "reached");

describe("credentials (compat 4.5)", () => {
  test.each([
    ["401: the next one", [status(401)], ["k1", "k2"]],
    ["402: the next one at once", [status(402)], ["k1", "k2"]],
    ["429: once more, then the next one", [status(429), status(429)], ["k1", "k1", "k2"]],
    ["429 with a long wait: the next one at once", [status(429, "no", { "retry-after": "45" })], ["k1", "k2"]],
  ] as const)("%s", async (_name, answers, keys) => {
    await using provider = await startScriptedProvider(...answers, { text: "hi" });
    const pool = createMemoryPool(["k1", "k2"]);
    const play = playOn([routeTo(provider, "a", "a")], { pool });
    const events = await play.call();
    expect(answerOf(events)).toBe("hi");
    expect(keysOf(provider)).toEqual(keys);
    expect(pool.rested.map(({ id }) => id)).toEqual(["k1"]);
    expect(events.find(({ type }) => type === "rotated")).toMatchObject({
      provider: "a",
      from: "label of k1",
      to: "label of k2",
    });
    expect(pool.open()).toBe(0);
  });

  test("a refused login is renewed once; refused again, the next one is taken", async () => {
    await using provider = await startScriptedProvider(status(401), { text: "renewed" }, status(401), status(401), {
      text: "other",
    });
    const pool = createMemoryPool(["old", "k2"], { old: "new", new: "newer" });
    const play = playOn([routeTo(provider, "a", "a")], { pool });
    const renewed = await play.call();
    expect([answerOf(renewed), typesOf(renewed)]).toEqual(["renewed", ["done"]]);
    expect(answerOf(await play.call())).toBe("other");
    expect(keysOf(provider)).toEqual(["old", "new", "new", "newer", "k2"]);
    expect(pool.rested.map(({ id }) => id)).toEqual(["old"]);
    expect(pool.open()).toBe(0);
  });

  test("an only key that is full is waited for, and rests only where the provider says until when", async () => {
    await using provider = await startScriptedProvider(status(429), status(429), status(429), { text: "later" });
    const pool = createMemoryPool(["k1"]);
    const play = playOn([routeTo(provider, "a", "a")], { pool });
    expect(typesOf(await play.call())).toEqual(["retrying", "retrying", "failed"]);
    expect(pool.rested).toEqual([]);
    expect(answerOf(await play.call())).toBe("later");
    provider.enqueue(status(429, "come back", { "retry-after": "86400" }), { text: "tried all the same" });
    expect(endOf(await play.call())).toMatchObject({ type: "failed", error: { kind: "rate_limit" } });
    expect(pool.rested).toHaveLength(1);
    // Where there is nothing else, what rests is tried rather than refused.
    expect(answerOf(await play.call())).toBe("tried all the same");
  });

  test("without any credential nothing is sent, and the command that shows why is named", async () => {
    await using provider = await startScriptedProvider();
    const events = await playOn([routeTo(provider, "a", "a")]).call();
    expect(endOf(events)).toMatchObject({
      type: "failed",
      error: { kind: "auth", message: expect.stringContaining("hermes auth list a") as string },
    });
    expect(provider.requests).toHaveLength(0);
  });

  test("why nothing can be leased is told where it is known: a login that is lost", async () => {
    const error = authErrors.loginLost({ provider: "a", label: "me@x.example", why: "it was revoked" });
    const pool = { ...createMemoryPool([]), lease: () => Promise.resolve({ kind: "no_credential" as const, error }) };
    await using provider = await startScriptedProvider({ text: "never" });
    const [failed] = await playOn([routeTo(provider, "a", "a")], { pool }).call();
    expect(failed).toMatchObject({
      type: "failed",
      error: { kind: "auth", message: `${error.message}; ${error.hint}` },
    });
    expect(provider.requests).toEqual([]);
  });

  test("where everything rests and another model is there, that one is called; both failing, the rest's end is told", async () => {
    await using first = await startScriptedProvider(status(402, "top up"));
    await using second = await startScriptedProvider({ text: "from b" }, status(401, "bad key at b"));
    const pool = createMemoryPool(["k1"]);
    const play = playOn([routeTo(first, "a", "a"), routeTo(second, "b", undefined)], { pool });
    expect(answerOf(await play.call())).toBe("from b");
    const end = endOf(await play.call());
    expect(first.requests).toHaveLength(1);
    const message = end.type === "failed" ? end.error.message : "";
    expect(message).toMatch(
      /every credential of a rests until \d{4}-\d{2}-\d{2} \d{2}:\d{2} \(.*top up.*hermes auth reset a.*bad key at b/,
    );
  });

  test.each([
    ["429: the next turn tries it again", 429, []],
    ["403: it may be allowed for another model", 403, []],
    ["402: it rests, in favour of the fallback", 402, ["k1"]],
    ["401: it rests too", 401, ["k1"]],
  ])("an only key with a fallback behind it: %s", async (_name, code, rested) => {
    await using first = await startScriptedProvider(status(code), status(code));
    await using second = await startScriptedProvider({ text: "from b" });
    const pool = createMemoryPool(["k1"]);
    const play = playOn([routeTo(first, "a", "a"), routeTo(second, "b", undefined)], { pool });
    expect(answerOf(await play.call())).toBe("from b");
    expect(pool.rested.map(({ id }) => id)).toEqual(rested);
  });

  test("a turn stays with the credential that worked", async () => {
    await using provider = await startScriptedProvider(status(402), { text: "1" }, { text: "2" }, { text: "3" });
    const pool = createMemoryPool(["k1", "k2", "k3"]);
    const play = playOn([routeTo(provider, "a", "a")], { pool });
    await play.call({ turn: "t1" });
    await play.call({ turn: "t1" });
    expect(keysOf(provider)).toEqual(["k1", "k2", "k2"]);
  });
});

describe("fallback", () => {
  test.each([
    ["the provider is down", [status(500), status(500), status(500)], 3],
    ["overloaded", [status(529), status(529), status(529)], 3],
    ["the model is not there", [status(404, "The model `x` does not exist")], 1],
    ["no money", [status(402)], 1],
    ["the key is wrong", [status(401)], 1],
  ] as const)("%s: the next model answers, and says so", async (_name, answers, requests) => {
    await using first = await startScriptedProvider(...answers);
    await using second = await startScriptedProvider({ text: "from b" });
    const play = playOn([routeTo(first, "a", "a"), routeTo(second, "b", undefined)], {
      pool: createMemoryPool(["k1"]),
    });
    const events = await play.call();
    expect(answerOf(events)).toBe("from b");
    expect(endOf(events)).toMatchObject({ by: { provider: "b" }, message: { provider: "b", model: "b-model" } });
    expect(first.requests).toHaveLength(requests);
    expect(events.find(({ type }) => type === "fell_back")).toMatchObject({
      from: { provider: "a", model: "a-model" },
      to: { provider: "b", model: "b-model" },
    });
    expect(play.warnings.join("\n")).toContain("going on with b:b-model");
  });

  test("the turn stays with the fallback; the next turn begins with the first model again", async () => {
    await using first = await startScriptedProvider(status(402), { text: "a again" });
    await using second = await startScriptedProvider({ text: "b1" }, { text: "b2" });
    const play = playOn([routeTo(first, "a", undefined), routeTo(second, "b", undefined)]);
    expect(answerOf(await play.call({ turn: "t1" }))).toBe("b1");
    const again = await play.call({ turn: "t1" });
    expect([answerOf(again), typesOf(again)]).toEqual(["b2", ["done"]]);
    expect(answerOf(await play.call({ turn: "t2" }))).toBe("a again");
    expect([first.requests.length, second.requests.length]).toEqual([2, 2]);
  });

  test("R-TIME-3 silence: the next credential, then the fallback, without waiting twice for the same", async () => {
    const hang: ScriptedAnswer = { misbehave: { kind: "hang" } };
    await using first = await startScriptedProvider(hang, hang);
    await using second = await startScriptedProvider({ text: "from b" });
    const pool = createMemoryPool(["k1", "k2"]);
    const play = playOn([routeTo(first, "a", "a"), routeTo(second, "b", undefined)], { pool });
    const called = play.call();
    await first.waitForRequests(1);
    await play.clock.advance(90_000);
    await first.waitForRequests(2);
    await play.clock.advance(90_000);
    const events = await called;
    expect(answerOf(events)).toBe("from b");
    expect(keysOf(first)).toEqual(["k1", "k2"]);
    expect(typesOf(events).filter((type) => type !== "waiting")).toEqual(["rotated", "fell_back", "done"]);
    // The key is not to blame.
    expect(pool.rested).toEqual([]);
  });

  test.each([
    ["a request that is itself wrong", status(400, "messages: must not be empty")],
    ["one that is too long (it must be compressed first)", status(400, "maximum context length is 9000 tokens")],
    ["one that is too large", status(413, "too large")],
  ])("%s is not sent elsewhere", async (_name, answer) => {
    await using first = await startScriptedProvider(answer);
    await using second = await startScriptedProvider({ text: "from b" });
    const play = playOn([routeTo(first, "a", undefined), routeTo(second, "b", undefined)]);
    expect(typesOf(await play.call())).toEqual(["failed"]);
    expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  });

  test("B11 a refusal: one request, then one other model at most, and its answer stands", async () => {
    const refusal: ScriptedAnswer = { refusal: "I cannot help", finish: "stop" };
    await using first = await startScriptedProvider(refusal, refusal);
    await using second = await startScriptedProvider({ text: "I can" }, refusal);
    await using third = await startScriptedProvider({ text: "never asked" });
    const play = playOn([first, second, third].map((provider, at) => routeTo(provider, `p${at}`, undefined)));
    const helped = await play.call({ turn: "t1" });
    expect([answerOf(helped), typesOf(helped)]).toEqual(["I can", ["fell_back", "done"]]);
    expect(endOf(await play.call({ turn: "t2" }))).toMatchObject({ type: "done", message: { finish: "refusal" } });
    expect([first, second, third].map(({ requests }) => requests.length)).toEqual([2, 2, 0]);
  });

  test("where everything fails, the first model's error is told, with the others'", async () => {
    await using first = await startScriptedProvider(status(402, "top up at a"));
    await using second = await startScriptedProvider(status(401, "bad key at b"));
    const play = playOn([routeTo(first, "a", undefined), routeTo(second, "b", undefined)]);
    const end = endOf(await play.call());
    expect(end).toMatchObject({ type: "failed", error: { kind: "billing" } });
    const { message } = end.type === "failed" ? end.error : { message: "" };
    expect(message).toMatch(/top up at a.*fallbacks.*b:b-model: .*bad key at b/);
  });

  test("the caller's end ends the waiting for a credential, and the call does not throw", async () => {
    for (const waitsIn of ["lease", "renew"] as const) {
      await using provider = await startScriptedProvider(status(401), { text: "never" });
      const stop = new AbortController();
      const waiting = (): Promise<never> => {
        stop.abort(new Error("enough"));
        return Promise.reject(stop.signal.reason as Error);
      };
      const pool = { ...createMemoryPool(["k"]), [waitsIn]: waiting };
      const play = playOn([routeTo(provider, "a", "a"), routeTo(provider, "b", undefined)], { pool });
      expect(endOf(await play.call({ signal: stop.signal })), waitsIn).toEqual({ type: "aborted" });
      expect(provider.requests).toHaveLength(waitsIn === "lease" ? 0 : 1);
    }
  });

  test("the caller's end is an end: nothing else is tried", async () => {
    await using first = await startScriptedProvider({ misbehave: { kind: "hang" } });
    await using second = await startScriptedProvider({ text: "never" });
    const play = playOn([routeTo(first, "a", undefined), routeTo(second, "b", undefined)]);
    const stop = new AbortController();
    const called = play.call({ signal: stop.signal });
    await first.waitForRequests(1);
    stop.abort();
    expect(typesOf(await called)).toEqual(["aborted"]);
    expect(second.requests).toHaveLength(0);
  });
});

interface Entry {
  readonly asked: Parameters<SpendLedger["reserve"]>;
  settled?: unknown;
}

/** A ledger that keeps what it was asked; `decide` answers. */
const createBook = (decide: (count: number) => Partial<SpendDecision> = () => ({})) => {
  const entries: Entry[] = [];
  const ledger: SpendLedger = {
    reserve: (...asked) => {
      const entry: Entry = { asked };
      entries.push(entry);
      const reservation = {
        settle: (used: unknown) => {
          entry.settled = used;
          return Promise.resolve();
        },
        cancel: () => {
          entry.settled = "cancelled";
          return Promise.resolve();
        },
      };
      const allowed = { kind: "allowed", reservation, warn: [], unpriced: false };
      return Promise.resolve({ ...allowed, ...decide(entries.length) } as SpendDecision);
    },
  };
  return { ledger, entries };
};

describe("money", () => {
  const charge = { purpose: "turn", source: "cli", session: "s1" } as const;

  test("R-MONEY-1 every call is asked for, and settled with what the model that answered counted", async () => {
    await using first = await startScriptedProvider(status(402));
    await using second = await startScriptedProvider({ text: "hi", usage: { prompt: 1_000_000, completion: 500_000 } });
    const { ledger, entries } = createBook();
    await playOn([routeTo(first, "a", undefined), routeTo(second, "b", undefined)], { ledger }).call({ charge });
    const [refused, answered] = entries;
    expect([refused?.asked[0], refused?.settled]).toEqual([charge, "cancelled"]);
    expect(answered?.asked[1]).toMatchObject({ provider: "b", model: "b-model", tokens: expect.any(Number) as number });
    expect(answered?.settled).toEqual({
      provider: "b",
      model: "b-model",
      usage: { inputTokens: 1_000_000, outputTokens: 500_000 },
      costUsd: 2,
    });
  });

  test("R-MONEY-2 at a cap no call is made, here or elsewhere", async () => {
    await using first = await startScriptedProvider({ text: "never" });
    await using second = await startScriptedProvider({ text: "never" });
    const cap = { period: "day", unit: "usd", used: 5, cap: 5, resets: null } as const;
    const { ledger } = createBook(() => ({ kind: "refused", cap }));
    const routes = [routeTo(first, "a", undefined), routeTo(second, "b", undefined)];
    const events = await playOn(routes, { ledger }).call({ charge });
    expect(events).toEqual([{ type: "failed", error: { kind: "budget", message: describeCapReached(cap) } }]);
    expect([first.requests.length, second.requests.length]).toEqual([0, 0]);
  });

  test("R-MONEY-2 marks that were passed, and a price that is not known, are told before the answer", async () => {
    await using provider = await startScriptedProvider({ text: "hi" });
    const warning = { period: "day", unit: "usd", used: 3, cap: 4, resets: null, percent: 75 } as const;
    const { ledger } = createBook(() => ({ warn: [warning], unpriced: true }));
    const events = await playOn([routeTo(provider, "a", undefined)], { ledger }).call({ charge });
    const { percent, ...cap } = warning;
    expect(events.slice(0, 2)).toEqual([
      { type: "cap_near", cap, percent },
      { type: "unpriced", provider: "a", model: "a-model" },
    ]);
  });

  test("a ledger that cannot be written: no call where nothing is reserved, and no answer lost where it fails later", async () => {
    await using provider = await startScriptedProvider({ text: "kept" });
    const broken: SpendLedger = { reserve: () => Promise.reject(new Error("the disk is full")) };
    const refused = await playOn([routeTo(provider, "a", undefined)], { ledger: broken }).call({ charge });
    expect(refused).toMatchObject([{ type: "failed", error: { kind: "budget" } }]);
    expect(JSON.stringify(refused)).toContain("the disk is full");
    expect(provider.requests).toHaveLength(0);
    const settle = () => Promise.reject(new Error("the disk is full now"));
    const { ledger } = createBook(() => ({ reservation: { settle, cancel: settle } }));
    const play = playOn([routeTo(provider, "a", undefined)], { ledger });
    expect(answerOf(await play.call({ charge }))).toBe("kept");
    expect(play.warnings.join()).toContain("the disk is full now");
  });

  test("a call that broke off, or that nobody reads on, is written down as not counted", async () => {
    await using provider = await startScriptedProvider(
      { text: ["a", "b"], misbehave: { kind: "cut", afterPieces: 2 } },
      { text: ["a", "b", "c"] },
    );
    const { ledger, entries } = createBook();
    const route = routeTo(provider, "a", undefined);
    const once = { ...route, targetWith: () => ({ ...route.targetWith(undefined), maxAttempts: 1 }) };
    const play = playOn([once], { ledger });
    await play.call({ charge });
    expect(entries[0]?.settled).toMatchObject({ usage: {}, costUsd: null });
    for await (const event of play.client.call(ask("x"), { signal: new AbortController().signal, charge })) {
      if (event.type === "text") break;
    }
    expect(entries[1]?.settled).toMatchObject({ usage: {}, costUsd: null });
  });

  test("R-MONEY-1 an answer that broke off is written down by itself when it is tried again", async () => {
    const cut: ScriptStep = { text: ["a", "b"], misbehave: { kind: "cut", afterPieces: 2 } };
    await using provider = await startScriptedProvider(cut, { text: "whole", usage: { prompt: 7, completion: 1 } });
    const { ledger, entries } = createBook();
    const events = await playOn([routeTo(provider, "a", undefined)], { ledger }).call({ charge });
    expect(answerOf(events)).toBe("whole");
    expect(entries.map(({ settled }) => settled)).toMatchObject([
      { usage: {}, costUsd: null },
      { usage: { inputTokens: 7, outputTokens: 1 } },
    ]);
  });

  test("R-MONEY-2 a cap that an answer that broke off has reached ends the trying again", async () => {
    const cut: ScriptStep = { text: ["a", "b"], misbehave: { kind: "cut", afterPieces: 2 } };
    await using provider = await startScriptedProvider(cut, { text: "never" });
    const cap = { period: "day", unit: "tokens", used: 5, cap: 5, resets: null } as const;
    const { ledger, entries } = createBook((count) => (count === 1 ? {} : { kind: "refused", cap }));
    const events = await playOn([routeTo(provider, "a", undefined)], { ledger }).call({ charge });
    expect(endOf(events)).toEqual({ type: "failed", error: { kind: "budget", message: describeCapReached(cap) } });
    expect(entries[0]?.settled).toMatchObject({ usage: {} });
    expect(provider.requests).toHaveLength(1);
  });
});
