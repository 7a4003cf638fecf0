import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCheckpointRig, type CheckpointRig } from "../../testing/checkpoint-rig.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { entryOf, listCheckpoints, restoreAll, snapshotsSince } from "./checkpoints.ts";
import { listProjects, pruneStore, storeBytes, type PrunePolicy } from "./prune-store.ts";

const DAY = 24 * 60 * 60 * 1000;
const SESSION = "20261201_120000_abcdef";
const LAX: PrunePolicy = { maxSnapshots: 100, maxTotalBytes: 1e9, retentionDays: 365, deleteOrphans: true };

const turn = async (rig: CheckpointRig, number: number, text: string): Promise<void> => {
  const path = join(rig.work, "a.txt");
  await rig.touch(`trn_${number}`, path);
  writeFileSync(path, text);
};

const list = (rig: CheckpointRig) =>
  listCheckpoints(rig.store, { places: rig.places, sessions: [SESSION], limit: 100, signal: rig.signal });

const prune = (rig: CheckpointRig, policy: Partial<PrunePolicy>) =>
  rig.store.alone("test", { signal: rig.signal, waitMs: 5_000 }, () =>
    pruneStore(rig.store, { ...LAX, ...policy }, rig.signal),
  );

test("only the newest stay; those can still be restored, and new ones be taken", async () => {
  await using rig = createCheckpointRig();
  for (let number = 1; number <= 6; number += 1) await turn(rig, number, `text ${number}`);
  expect(await prune(rig, { maxSnapshots: 3 })).toMatchObject({ snapshots: 3, projects: 0 });
  expect((await list(rig)).map(({ turn: id }) => id)).toEqual(["trn_6", "trn_5", "trn_4"]);
  await turn(rig, 7, "text 7");
  const entries = await list(rig);
  const snapshots = snapshotsSince(entries, entryOf(entries, 4));
  await restoreAll(rig.store, { snapshots, deleteNew: false, session: SESSION, signal: rig.signal });
  expect(readFileSync(join(rig.work, "a.txt"), "utf8")).toBe("text 3");
});

test("what is older than the retention goes, with its objects; an empty project is forgotten", async () => {
  const clock = createFakeClock({ now: Date.UTC(2026, 11, 1) });
  await using rig = createCheckpointRig({ clock });
  const path = join(rig.work, "big.bin");
  writeFileSync(path, Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 251)));
  await turn(rig, 1, "x");
  const before = await storeBytes(rig.store.directory);
  await clock.advance(8 * DAY);
  const report = await prune(rig, { retentionDays: 7 });
  expect(report).toMatchObject({ snapshots: 1, projects: 1 });
  expect(await list(rig)).toEqual([]);
  expect(await listProjects(rig.store.directory)).toEqual([]);
  expect(await storeBytes(rig.store.directory)).toBeLessThan(before);
  await turn(rig, 2, "y");
  expect(await list(rig)).toHaveLength(1);
});

test("the oldest go until the rest fits", async () => {
  await using rig = createCheckpointRig();
  const path = join(rig.work, "noise.bin");
  for (let number = 1; number <= 6; number += 1) {
    writeFileSync(path, randomBytes(300_000));
    await turn(rig, number, `${number}`);
  }
  await prune(rig, { maxTotalBytes: 1_000_000 });
  const left = await list(rig);
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(4);
  expect(left[0]?.turn).toBe("trn_6");
  expect(await storeBytes(rig.store.directory)).toBeLessThan(1_000_000);
});

test("a folder that is gone keeps its checkpoints for three days", async () => {
  const clock = createFakeClock({ now: Date.UTC(2026, 11, 1) });
  await using rig = createCheckpointRig({ clock });
  await turn(rig, 1, "x");
  rmSync(rig.work, { recursive: true });
  expect(await prune(rig, {})).toMatchObject({ projects: 0 });
  await clock.advance(4 * DAY);
  expect(await prune(rig, { deleteOrphans: false })).toMatchObject({ projects: 0 });
  expect(await prune(rig, {})).toMatchObject({ projects: 1 });
});

test("a killed writer's leftovers are cleared away and hinder nobody", async () => {
  await using rig = createCheckpointRig();
  await turn(rig, 1, "x");
  const { directory } = rig.store;
  const [hash = ""] = readdirSync(join(directory, "refs/hermes"));
  for (const left of [`indexes/${hash}.abc123`, `indexes/${hash}.abc123.lock`, `refs/hermes/${hash}.lock`]) {
    mkdirSync(join(directory, left, ".."), { recursive: true });
    writeFileSync(join(directory, left), "half");
  }
  await turn(rig, 2, "y");
  expect(await list(rig)).toHaveLength(2);
  expect(readdirSync(join(directory, "indexes"))).toEqual([hash]);
  expect(existsSync(join(directory, `refs/hermes/${hash}.lock`))).toBe(false);
});
