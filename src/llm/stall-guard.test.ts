import { describe, expect, test } from "vitest";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
import type { WireEvent } from "./event.ts";
import { withStallGuard, type GuardedEvent } from "./stall-guard.ts";
import { stallPolicyFor, type StallPolicy } from "./stall-policy.ts";

/** A provider whose events the test sends one by one. */
const createSource = () => {
  const queue: (WireEvent | "end" | Error)[] = [];
  let wake: (() => void) | undefined;
  let ended: AbortSignal | undefined;
  const open = async function* (signal: AbortSignal): AsyncGenerator<WireEvent> {
    ended = signal;
    for (;;) {
      const next = queue.shift();
      if (next === "end") return;
      if (next instanceof Error) throw next;
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const send = (next: WireEvent | "end" | Error): void => {
    queue.push(next);
    wake?.();
  };
  return { open, send, isEnded: () => ended?.aborted === true };
};

interface Run {
  readonly seen: GuardedEvent[];
  readonly state: { done: boolean; thrown: unknown };
}

const startReading = (events: AsyncIterable<GuardedEvent>): Run => {
  const run: Run = { seen: [], state: { done: false, thrown: undefined } };
  const read = async (): Promise<void> => {
    try {
      for await (const event of events) run.seen.push(event);
    } catch (thrown) {
      run.state.thrown = thrown;
    }
    run.state.done = true;
  };
  void read();
  return run;
};

const guard = (policy: StallPolicy, clock: FakeClock, signal: AbortSignal = new AbortController().signal) => {
  const source = createSource();
  const work = { contextTokens: 12_000, streaming: true };
  const run = startReading(withStallGuard(source.open, policy, { clock, signal, work }));
  return { source, run };
};

const SIXTY: StallPolicy = { firstTokenMs: 60_000, nextTokenMs: 60_000 };

const lastOf = (run: Run): GuardedEvent | undefined => run.seen.at(-1);

describe("the limits", () => {
  test.each([
    [0, 90_000],
    [50_000, 90_000],
    [50_001, 150_000],
    [100_000, 150_000],
    [100_001, 240_000],
    [2_000_000, 240_000],
  ])("R-TIME-3 %i context tokens: %i ms", (contextTokens, limit) => {
    expect(stallPolicyFor({ contextTokens, local: false })).toEqual({ firstTokenMs: limit, nextTokenMs: limit });
    expect(stallPolicyFor({ contextTokens, local: true })).toEqual({ firstTokenMs: 1_800_000, nextTokenMs: limit });
  });

  test("R-TIME-3 an explicit limit wins over the tiers, smaller or larger, local or not", () => {
    for (const local of [true, false]) {
      for (const explicitMs of [5_000, 900_000]) {
        expect(stallPolicyFor({ contextTokens: 200_000, local, explicitMs })).toEqual({
          firstTokenMs: explicitMs,
          nextTokenMs: explicitMs,
        });
      }
    }
  });
});

describe("progress", () => {
  const idle: readonly [string, WireEvent][] = [
    ["empty text", { type: "text", text: "" }],
    ["blanks", { type: "text", text: "\n \n" }],
    ["blank reasoning", { type: "reasoning", text: "  " }],
    ["blank arguments", { type: "tool_arguments", index: 0, delta: "\n" }],
    ["the same usage again", { type: "usage", usage: { outputTokens: 3 } }],
  ];
  test.each(idle)("B17 R-TIME-4 %s every 10 s does not count", async (_name, event) => {
    const clock = createFakeClock();
    const { source, run } = guard(SIXTY, clock);
    source.send({ type: "usage", usage: { outputTokens: 3 } });
    source.send({ type: "text", text: "word" });
    for (let second = 10; second <= 50; second += 10) {
      await clock.advance(10_000);
      source.send(event);
    }
    await clock.advance(9_999);
    expect(run.state.done).toBe(false);
    await clock.advance(1);
    expect(run.state.done).toBe(true);
    expect(lastOf(run)).toMatchObject({ type: "error", error: { kind: "stalled" } });
    expect(source.isEnded()).toBe(true);
  });

  const useful: readonly WireEvent[] = [
    { type: "text", text: "w" },
    { type: "reasoning", text: "w" },
    { type: "tool_call", index: 0, id: "a", name: "n" },
    { type: "tool_arguments", index: 0, delta: "{" },
    { type: "refusal", text: "no" },
  ];
  test.each(useful.map((event) => [event.type, event] as const))("B17 %s restarts the window", async (_type, event) => {
    const clock = createFakeClock();
    const { source, run } = guard(SIXTY, clock);
    for (let turn = 0; turn < 5; turn += 1) {
      await clock.advance(59_000);
      source.send(event);
      await clock.settle();
    }
    expect(run.state.done).toBe(false);
    await clock.advance(60_000);
    expect(lastOf(run)).toMatchObject({ type: "error", error: { kind: "stalled" } });
  });

  test("R-TIME-3 silence is told after 10 s and every 10 s, with phase and limit, then ends the call", async () => {
    const clock = createFakeClock();
    const { source, run } = guard({ firstTokenMs: 35_000, nextTokenMs: 15_000 }, clock);
    await clock.advance(30_000);
    expect(run.seen).toEqual(
      [10_000, 20_000, 30_000].map((waitedMs) => ({
        type: "waiting",
        phase: "first_token",
        waitedMs,
        limitMs: 35_000,
      })),
    );
    source.send({ type: "text", text: "x" });
    await clock.advance(15_000);
    expect(run.seen.slice(4)).toEqual([
      { type: "waiting", phase: "next_token", waitedMs: 10_000, limitMs: 15_000 },
      {
        type: "error",
        error: { kind: "stalled", message: "No response from provider for 15s (streaming, context=~12000 tokens)" },
      },
    ]);
    expect(clock.pending).toBe(0);
  });

  test("a body that stays open after the finish is not waited for, and is no fault", async () => {
    const clock = createFakeClock();
    const { source, run } = guard(SIXTY, clock);
    source.send({ type: "text", text: "x" });
    source.send({ type: "finish", reason: "stop" });
    await clock.advance(4_000);
    expect(run.state.done).toBe(false);
    source.send({ type: "usage", usage: { outputTokens: 1 } });
    await clock.advance(5_000);
    expect(run.state.done).toBe(true);
    expect(run.seen.map((event) => event.type)).toEqual(["text", "finish", "usage"]);
    expect(source.isEnded()).toBe(true);
  });

  test("a laptop's sleep restarts the window", async () => {
    const clock = createFakeClock();
    const { run } = guard(SIXTY, clock);
    await clock.advance(55_000);
    clock.jumpWall(3_600_000);
    await clock.advance(50_000);
    expect(run.state.done).toBe(false);
    await clock.advance(15_000);
    expect(run.state.done).toBe(true);
  });

  test("time in which the reader does not read does not count", async () => {
    const clock = createFakeClock();
    const source = createSource();
    const work = { contextTokens: 1, streaming: true };
    const events = withStallGuard(source.open, SIXTY, { clock, signal: new AbortController().signal, work });
    source.send({ type: "text", text: "a" });
    expect((await events.next()).value).toEqual({ type: "text", text: "a" });
    await clock.advance(600_000);
    source.send({ type: "text", text: "b" });
    expect((await events.next()).value).toEqual({ type: "text", text: "b" });
    await events.return();
    expect(clock.pending).toBe(0);
  });
});

describe("ends", () => {
  test("the caller's abort ends it at once with the signal's reason, even when the work ignores its signal", async () => {
    const clock = createFakeClock();
    const caller = new AbortController();
    const { source, run } = guard(SIXTY, clock, caller.signal);
    source.send({ type: "text", text: "a" });
    await clock.settle();
    caller.abort(new Error("stop it"));
    await clock.settle();
    expect(run.state).toEqual({ done: true, thrown: new Error("stop it") });
    expect(source.isEnded()).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test("an abort before the start opens nothing that lives on", async () => {
    const clock = createFakeClock();
    const { run } = guard(SIXTY, clock, AbortSignal.abort(new Error("early")));
    await clock.settle();
    expect(run.state.thrown).toEqual(new Error("early"));
    expect(clock.pending).toBe(0);
  });

  test("what the work throws is thrown on; its end ends it", async () => {
    const clock = createFakeClock();
    const broken = guard(SIXTY, clock);
    broken.source.send(new Error("reset"));
    const whole = guard(SIXTY, clock);
    whole.source.send("end");
    await clock.settle();
    expect(broken.run.state.thrown).toEqual(new Error("reset"));
    expect(whole.run.state).toEqual({ done: true, thrown: undefined });
    expect(clock.pending).toBe(0);
  });
});
