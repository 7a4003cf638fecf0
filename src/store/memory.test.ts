import { expect, test } from "vitest";
import type { SessionId } from "../base/ids.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { asRedacted, createTempStore } from "../testing/temp-store.ts";
import type { NewMemoryChange } from "./memory-store.ts";

const entry = (text: string, place = 0) => ({ hash: `hash of ${text}`, text: asRedacted(text), place });

const change = (more: Partial<NewMemoryChange>): NewMemoryChange => ({
  target: "memory",
  kind: "add",
  source: "tool",
  session: "20261201_090000_aaaaaa" as SessionId,
  removed: [],
  added: [],
  reasons: new Map(),
  ...more,
});

test("an entry's time and source stay beside it, go with it to the archive and come back with it", async () => {
  const clock = createFakeClock({ now: 1_000 });
  await using temp = await createTempStore({ clock });
  const { memory } = temp.store;
  await memory.record([change({ added: [entry("tea")] })]);
  expect(await memory.pin("memory", "hash of tea", true)).toBe(true);
  expect(await memory.pin("user", "hash of tea", true)).toBe(false);
  expect(await memory.entries("memory")).toEqual([
    {
      target: "memory",
      hash: "hash of tea",
      text: "tea",
      addedAt: 1_000,
      source: "tool",
      session: "20261201_090000_aaaaaa",
      pinned: true,
    },
  ]);
  clock.jumpWall(500);
  const [removal = 0] = await memory.record([
    change({
      kind: "remove",
      source: "command",
      session: null,
      removed: [entry("tea"), entry("unknown", 1)],
      reasons: new Map([["hash of tea", "overflow"]]),
    }),
  ]);
  expect(await memory.entries("memory")).toEqual([]);
  expect(await memory.archive({ limit: 10 })).toMatchObject([
    { text: "unknown", addedAt: 1_500, source: "file", reason: "removed", change: removal },
    { text: "tea", addedAt: 1_000, source: "tool", archivedAt: 1_500, reason: "overflow", change: removal },
  ]);
  clock.jumpWall(500);
  const [undo = 0] = await memory.record([
    change({ kind: "undo", source: "command", added: [entry("tea")], undoes: removal }),
  ]);
  expect(await memory.entries("memory")).toMatchObject([{ text: "tea", addedAt: 1_000, source: "tool" }]);
  expect((await memory.archive({ limit: 10 })).map(({ text }) => text)).toEqual(["unknown"]);
  expect(await memory.change(removal)).toMatchObject({ undoneBy: undo, removed: [{ text: "tea", place: 0 }, {}] });
  expect((await memory.changes({ limit: 2 })).map(({ kind }) => kind)).toEqual(["undo", "remove"]);
  expect(await memory.changes({ limit: 2, target: "user" })).toEqual([]);
});

test("clearing the archive leaves the known entries and nothing that could be found or undone", async () => {
  await using temp = await createTempStore();
  const { memory } = temp.store;
  await memory.record([change({ added: [entry("tea"), entry("milk")] }), change({ removed: [entry("milk")] })]);
  expect(await memory.clearArchive()).toBe(1);
  expect(await memory.archive({ limit: 10 })).toEqual([]);
  expect(await memory.changes({ limit: 10 })).toEqual([]);
  expect((await memory.entries("memory")).map(({ text }) => text)).toEqual(["tea"]);
});

test("changes that are written down together are all there or none", async () => {
  await using temp = await createTempStore();
  const { memory } = temp.store;
  const broken = change({ target: "elsewhere" as "memory", added: [entry("milk")] });
  await expect(memory.record([change({ added: [entry("tea")] }), broken])).rejects.toThrow();
  expect(await memory.entries("memory")).toEqual([]);
  expect(await memory.changes({ limit: 10 })).toEqual([]);
});
