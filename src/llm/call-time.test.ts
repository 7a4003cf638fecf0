import { afterAll, describe, expect, test } from "vitest";
import {
  ask,
  messageIn,
  readCall,
  setUpCalls,
  targetOf,
  type CallSetup,
} from "../testing/scripted-provider/read-call.ts";
import { startScriptedProvider } from "../testing/scripted-provider/scripted-provider.ts";
import { callModel } from "./call.ts";
import { createHttpClient } from "./http.ts";
import { textOf } from "./message.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());
const setUp = (): CallSetup => setUpCalls(http);

describe("silence", () => {
  test("R-TIME-3 R-TIME-5 no head for 90 s: shown, ended, tried again; the log names the size", async () => {
    for (const stream of [true, false]) {
      await using provider = await startScriptedProvider({ misbehave: { kind: "hang" } }, { text: "back" });
      const setup = setUp();
      const reading = readCall(setup, targetOf(provider.baseUrl, { stream }));
      await provider.waitForRequests(1);
      await setup.clock.advance(90_000);
      expect(textOf(messageIn(await reading.ended))).toBe("back");
      const waits = reading.events.filter((event) => event.type === "waiting");
      expect(waits.map((event) => event.waitedMs)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => n * 10_000));
      expect(waits.every((event) => event.phase === "first_token" && event.limitMs === 90_000)).toBe(true);
      expect(reading.events.find((event) => event.type === "retrying")).toMatchObject({
        error: { kind: "stalled", message: expect.stringMatching(/^No response from provider for 90s \(/) as string },
      });
      expect(setup.warnings.join("\n")).toMatch(/context=~\d+ tokens/);
    }
  });

  test("R-TIME-3 silence in the middle of an answer ends it after the tier, and what had come is not lost", async () => {
    await using provider = await startScriptedProvider({
      text: "one two",
      misbehave: { kind: "hang_in_stream", afterPieces: 2 },
    });
    const setup = setUp();
    const reading = readCall(setup, targetOf(provider.baseUrl, { maxAttempts: 1 }));
    await expect.poll(() => reading.events.length).toBe(1);
    await setup.clock.advance(90_000);
    expect(await reading.ended).toMatchObject({
      type: "failed",
      error: { kind: "stalled" },
      partial: { parts: [{ type: "text", text: "one" }] },
    });
  });

  test("R-TIME-3 a local endpoint has 1,800 s for its first token, and the tiers after it", async () => {
    await using provider = await startScriptedProvider({
      text: "a",
      misbehave: { kind: "hang_in_stream", afterPieces: 2 },
      gate: () => opened.promise,
    });
    const opened = Promise.withResolvers<void>();
    const setup = setUp();
    const reading = readCall(
      setup,
      targetOf(provider.baseUrl, { local: true, maxAttempts: 1, requestTimeoutMs: 9_000_000 }),
    );
    await provider.waitForRequests(1);
    await setup.clock.advance(1_700_000);
    opened.resolve();
    await expect.poll(() => reading.events.some((event) => event.type === "text")).toBe(true);
    await setup.clock.advance(90_000);
    expect(await reading.ended).toMatchObject({ type: "failed", error: { kind: "stalled" } });
  });

  test("R-TIME-3 an explicit limit wins", async () => {
    await using provider = await startScriptedProvider({ misbehave: { kind: "hang" } });
    const setup = setUp();
    const reading = readCall(setup, targetOf(provider.baseUrl, { local: true, staleTimeoutMs: 7_000, maxAttempts: 1 }));
    await provider.waitForRequests(1);
    await setup.clock.advance(7_000);
    expect(await reading.ended).toMatchObject({ type: "failed", error: { kind: "stalled" } });
  });

  test("R-TIME-2 the request timeout ends a call that makes progress for ever", async () => {
    await using provider = await startScriptedProvider({
      text: "on and on",
      misbehave: { kind: "hang_in_stream", afterPieces: 2 },
    });
    const setup = setUp();
    const reading = readCall(setup, targetOf(provider.baseUrl, { requestTimeoutMs: 45_000, maxAttempts: 1 }));
    await expect.poll(() => reading.events.length).toBe(1);
    await setup.clock.advance(45_000);
    expect(await reading.ended).toMatchObject({
      type: "failed",
      error: { kind: "timeout", message: "the call took longer than 45s" },
    });
  });

  test("an answer whose connection stays open is done 5 s after its finish", async () => {
    await using provider = await startScriptedProvider({ text: "done", misbehave: { kind: "stays_open" } });
    const setup = setUp();
    const reading = readCall(setup, targetOf(provider.baseUrl));
    await expect.poll(() => reading.events.length).toBe(1);
    await expect
      .poll(async () => {
        await setup.clock.advance(1_000);
        return reading.events.at(-1)?.type;
      })
      .toBe("done");
    expect(setup.clock.monotonic()).toBeLessThanOrEqual(10_000);
    expect(provider.requests).toHaveLength(1);
  });
});

describe("abort", () => {
  test("before the call: nothing is sent", async () => {
    await using provider = await startScriptedProvider({ text: "x" });
    const reading = readCall(setUp(), targetOf(provider.baseUrl), { signal: AbortSignal.abort() });
    expect(await reading.ended).toEqual({ type: "aborted" });
    expect(provider.requests).toHaveLength(0);
  });

  test("while the head is waited for: the connection is closed", async () => {
    await using provider = await startScriptedProvider({ misbehave: { kind: "hang" } });
    const caller = new AbortController();
    const setup = setUp();
    const reading = readCall(setup, targetOf(provider.baseUrl), { signal: caller.signal });
    await provider.waitForRequests(1);
    caller.abort();
    expect(await reading.ended).toEqual({ type: "aborted" });
    expect(setup.clock.pending).toBe(0);
  });

  test("in the middle of the text: what had come is kept as interrupted", async () => {
    await using provider = await startScriptedProvider({
      text: "one two",
      misbehave: { kind: "hang_in_stream", afterPieces: 3 },
    });
    const caller = new AbortController();
    const setup = setUp();
    const reading = readCall(setup, targetOf(provider.baseUrl), { signal: caller.signal });
    await expect.poll(() => reading.events.length).toBe(2);
    caller.abort();
    expect(await reading.ended).toMatchObject({
      type: "aborted",
      partial: { finish: "interrupted", parts: [{ type: "text", text: "one two" }] },
    });
    expect(setup.clock.pending).toBe(0);
  });

  test("in the middle of a tool call's arguments", async () => {
    const toolCalls = [{ id: "c", name: "write_file", arguments: '{"path":"a","content":"b"}' }];
    await using provider = await startScriptedProvider({
      toolCalls,
      misbehave: { kind: "hang_in_stream", afterPieces: 3 },
    });
    const caller = new AbortController();
    const reading = readCall(setUp(), targetOf(provider.baseUrl), { signal: caller.signal });
    await expect.poll(() => reading.events.length).toBe(2);
    caller.abort();
    expect(await reading.ended).toMatchObject({
      type: "aborted",
      partial: { finish: "interrupted", parts: [{ type: "tool_call", id: "c", arguments: '{"path":"a","' }] },
    });
  });

  test("B12 while a wait is sat through", async () => {
    await using provider = await startScriptedProvider({ status: 429, headers: { "retry-after": "100" } });
    const caller = new AbortController();
    const setup = setUp();
    const reading = readCall(setup, targetOf(provider.baseUrl), { signal: caller.signal, stay: true });
    await expect.poll(() => reading.events.at(-1)?.type).toBe("retrying");
    caller.abort();
    expect(await reading.ended).toEqual({ type: "aborted" });
    expect(provider.requests).toHaveLength(1);
    expect(setup.clock.pending).toBe(0);
  });

  test("leaving the iteration ends the call and its timers", async () => {
    await using provider = await startScriptedProvider({
      text: "a b c",
      misbehave: { kind: "hang_in_stream", afterPieces: 2 },
    });
    const setup = setUp();
    const signal = new AbortController().signal;
    const seen: string[] = [];
    for await (const event of callModel(setup.deps, targetOf(provider.baseUrl), { request: ask("x"), signal })) {
      seen.push(event.type);
      if (event.type === "text") break;
    }
    expect(seen).toEqual(["reached", "text"]);
    await setup.clock.settle();
    expect(setup.clock.pending).toBe(0);
  });
});
