import { expect, test } from "vitest";
import type { SessionId } from "../base/ids.ts";
import { asRedacted, createTempStore } from "../testing/temp-store.ts";

test("R-SAFE-3: a held change waits for the owner's word, which is given once, and outlives the process", async () => {
  await using temp = await createTempStore();
  const { selfChanges } = temp.store;
  const session = "20261201_090000_aaaaaa" as SessionId;
  const first = await selfChanges.hold({
    kind: "memory",
    session,
    summary: asRedacted("remember tea"),
    payload: asRedacted('{"a":1}'),
  });
  const second = await selfChanges.hold({
    kind: "skill",
    session: null,
    summary: asRedacted("a skill"),
    payload: asRedacted("{}"),
  });
  expect(second).toBeGreaterThan(first);
  expect((await selfChanges.list({ state: "pending", limit: 10 })).map(({ id }) => id)).toEqual([first, second]);
  expect(await selfChanges.decide(first, "approved")).toBe(true);
  expect(await selfChanges.decide(first, "rejected")).toBe(false);
  expect(await selfChanges.decide(999, "rejected")).toBe(false);
  const later = await temp.open();
  expect(await later.selfChanges.get(first)).toMatchObject({
    kind: "memory",
    session,
    summary: "remember tea",
    payload: '{"a":1}',
    state: "approved",
    decidedAt: expect.any(Number),
  });
  expect(await later.selfChanges.list({ kind: "skill", state: "pending", limit: 10 })).toMatchObject([
    { id: second, session: null, state: "pending", decidedAt: null },
  ]);
  expect(await later.selfChanges.list({ kind: "memory", state: "pending", limit: 10 })).toEqual([]);
});
