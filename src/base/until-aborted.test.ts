import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { untilAborted } from "./until-aborted.ts";

test("the work's own end counts while the signal is silent, and the signal is let go of", async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
  await expect(untilAborted(Promise.reject(new Error("broke")), signal)).rejects.toThrow("broke");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("the signal's reason ends the waiting, also one that was there before", async () => {
  const ended = new AbortController();
  const work = Promise.withResolvers<number>();
  const waiting = untilAborted(work.promise, ended.signal);
  ended.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(untilAborted(Promise.resolve(7), ended.signal)).rejects.toThrow("enough");
  // Nobody listens any more: this would end the program if it were not heard.
  work.reject(new Error("too late"));
  await expect(work.promise).rejects.toThrow("too late");
});
