import { expect, test } from "vitest";
import { DeadlineError } from "../base/clock.ts";
import { createFakeClock } from "./fake-clock.ts";

test("sleepers fire in the order of their times, and what they start is waited for in the same advance", async () => {
  const clock = createFakeClock({ now: 1_000 });
  const seen: string[] = [];
  const late = clock.sleep(30).then(() => seen.push(`late@${clock.now()}`));
  const chain = (async () => {
    await clock.sleep(10);
    seen.push(`first@${clock.monotonic()}`);
    await clock.sleep(10);
    seen.push(`second@${clock.monotonic()}`);
  })();
  expect(clock.pending).toBe(2);
  await clock.advance(25);
  expect(seen).toEqual(["first@10", "second@20"]);
  expect(clock.now()).toBe(1_025);
  await clock.advance(5);
  await Promise.all([late, chain]);
  expect(seen[2]).toBe("late@1030");
  expect(clock.pending).toBe(0);
});

test("an aborted sleep rejects with the reason and leaves nothing waiting", async () => {
  const clock = createFakeClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(100, controller.signal);
  controller.abort(new Error("enough"));
  await expect(sleeping).rejects.toThrow("enough");
  expect(clock.pending).toBe(0);
  await expect(clock.sleep(1, controller.signal)).rejects.toThrow("enough");
});

test("a deadline aborts when it passes, not before, and not once disposed", async () => {
  const clock = createFakeClock();
  const passed = clock.deadline(50);
  const disposed = clock.deadline(10);
  disposed[Symbol.dispose]();
  await clock.advance(49);
  expect(passed.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(passed.signal.reason).toBeInstanceOf(DeadlineError);
  expect(disposed.signal.aborted).toBe(false);
});

test("a jump moves the wall clock alone", () => {
  const clock = createFakeClock({ now: 5 });
  clock.jumpWall(1_000);
  expect([clock.now(), clock.monotonic()]).toEqual([1_005, 0]);
});
