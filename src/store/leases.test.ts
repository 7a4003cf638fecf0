import { expect, test } from "vitest";
import type { SessionId } from "../base/ids.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { startStoreProcess } from "../testing/store-process.ts";
import { createTempStore, startTestSession } from "../testing/temp-store.ts";

test("decision 10: another process's session is busy with its holder's name, and free as soon as that process is dead", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  await session.lease.release();
  await using other = startStoreProcess(
    temp.home,
    `const outcome = await store.leases.acquire(${JSON.stringify(session.id)}, "tui");
     console.log("acquired " + outcome.kind);
     await nextLine();`,
  );
  expect(await other.line("acquired")).toBe("acquired held");
  const busy = await temp.store.leases.acquire(session.id, "cli");
  expect(busy).toMatchObject({ kind: "busy", holder: { pid: other.pid, surface: "tui" } });
  expect(await temp.store.leases.holder(session.id)).toMatchObject({ pid: other.pid, surface: "tui" });
  await expect(session.add("meanwhile")).rejects.toMatchObject({ code: "store.lease_lost" });
  await other.kill();
  expect(await temp.store.leases.holder(session.id)).toBe(undefined);
  const mine = await temp.store.leases.acquire(session.id, "cli");
  expect(mine.kind).toBe("held");
});

test("decision 10: the process that lost its lease to another one cannot add any more", async () => {
  const clock = createFakeClock();
  await using temp = await createTempStore({ clock });
  const session = await startTestSession(temp.store);
  await session.add("mine");
  // A laptop that slept: nothing was renewed while the wall clock went on.
  clock.jumpWall(61_000);
  const other = await temp.open();
  const taken = await other.leases.acquire(session.id, "gateway");
  expect(taken.kind).toBe("held");
  await expect(session.add("late")).rejects.toMatchObject({ code: "store.lease_lost" });
  expect(await session.lease.renew()).toBe(false);
  await session.lease.release();
  expect(await other.leases.holder(session.id)).toMatchObject({ surface: "gateway" });
  expect(await temp.store.messages.load(session.id)).toHaveLength(1);
});

test("a lease is renewed until it is released, however long that takes", async () => {
  const clock = createFakeClock();
  await using temp = await createTempStore({ clock });
  const session = await startTestSession(temp.store);
  for (let minute = 0; minute < 5; minute += 1) {
    await clock.advance(60_000);
    expect((await temp.store.leases.acquire(session.id, "x")).kind).toBe("busy");
  }
  await session.lease.release();
  await clock.advance(15_000);
  expect(clock.pending).toBe(0);
  const again = await temp.store.leases.acquire(session.id, "x");
  expect(again.kind).toBe("held");
  if (again.kind === "held") expect(await again.lease.renew()).toBe(true);
});

test("two parts of one process exclude each other; of many that ask at once one gets it", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  await session.lease.release();
  // All of them find the lease of a dead process first, and each would replace it.
  const ghost = await temp.open({ owner: { pid: 2 ** 30, surface: "ghost" } });
  expect((await ghost.leases.acquire(session.id, "ghost")).kind).toBe("held");
  const asked = await Promise.all(Array.from({ length: 5 }, () => temp.store.leases.acquire(session.id, "gateway")));
  expect(asked.filter(({ kind }) => kind === "held")).toHaveLength(1);
  expect(asked.filter(({ kind }) => kind === "busy")).toHaveLength(4);
});

test("closing gives back what is held", async () => {
  const clock = createFakeClock();
  await using temp = await createTempStore({ clock });
  const session = await startTestSession(temp.store);
  const other = await temp.open();
  expect((await other.leases.acquire(session.id, "x")).kind).toBe("busy");
  await temp.store.close();
  expect((await other.leases.acquire(session.id, "x")).kind).toBe("held");
  await other.close();
  expect(clock.pending).toBe(0);
});

test("a session that does not exist cannot be held", async () => {
  await using temp = await createTempStore();
  await expect(temp.store.leases.acquire("missing" as SessionId, "x")).rejects.toMatchObject({
    code: "store.no_session",
  });
});
