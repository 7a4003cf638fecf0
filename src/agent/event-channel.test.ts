import { expect, test } from "vitest";
import { createChannel } from "./event-channel.ts";

interface Value {
  readonly n: number;
}

test("hands over everything that was pushed, in order, then ends", async () => {
  const channel = createChannel<Value>(() => expect.unreachable("the reader stayed"));
  void channel.push({ n: 1 });
  void channel.push({ n: 2 });
  channel.close();
  await channel.push({ n: 3 });
  expect(await Array.fromAsync(channel)).toEqual([{ n: 1 }, { n: 2 }]);
});

test("the writer waits for a slow reader; what may be thinned is dropped instead", async () => {
  const channel = createChannel<Value>(() => undefined);
  let pushed = 0;
  const writing = (async () => {
    for (let n = 0; n < 1_000; n += 1) {
      await channel.push({ n });
      pushed += 1;
    }
    channel.close();
  })();
  await new Promise((resolve) => process.nextTick(resolve));
  expect(pushed).toBeLessThan(300);
  expect(channel.offer({ n: -1 })).toBe(false);
  expect((await Array.fromAsync(channel)).map(({ n }) => n)).toEqual([...Array(1_000).keys()]);
  await writing;
});

test("a reader that leaves tells the writer, and no later push waits for it", async () => {
  let abandoned = 0;
  const channel = createChannel<Value>(() => {
    abandoned += 1;
  });
  void channel.push({ n: 1 });
  for await (const value of channel) {
    expect(value.n).toBe(1);
    break;
  }
  expect(abandoned).toBe(1);
  for (let n = 0; n < 1_000; n += 1) await channel.push({ n });
  expect(channel.offer({ n: 0 })).toBe(false);
});

test("a failure reaches the reader after what came before it", async () => {
  const channel = createChannel<Value>(() => undefined);
  void channel.push({ n: 1 });
  channel.fail(new Error("broken"));
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { n } of channel) seen.push(n);
  })();
  await expect(reading).rejects.toThrow("broken");
  expect(seen).toEqual([1]);
});
