import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { killTree } from "../../base/process-tree.ts";
import { readEnvironment } from "../../config/environment.ts";
import { createCheckpointRig, gitProgram, type CheckpointRig } from "../../testing/checkpoint-rig.ts";
import { entryOf, listCheckpoints, restoreAll, snapshotsSince } from "./checkpoints.ts";

const SESSION = "20261201_120000_abcdef";
const url = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);

/** Another program over the same store, which takes one checkpoint after another and says `taken` after each. */
const startOther = (rig: CheckpointRig, options: { readonly name: string; readonly turns: number }) => {
  const program = `
    import { writeFileSync } from "node:fs";
    import { createShadowStore } from ${url("shadow-store.ts")};
    import { createTurnCheckpoints } from ${url("turn-checkpoints.ts")};
    import { systemClock } from ${url("../../base/clock.ts")};
    const log = { debug() {}, info() {}, warn(text, fields) { console.error(text, fields) }, error() {}, child: () => log };
    const store = createShadowStore({
      directory: ${JSON.stringify(rig.store.directory)}, locks: ${JSON.stringify(join(rig.home, ".hermes/locks"))}, clock: systemClock,
      program: ${JSON.stringify(gitProgram())}, path: process.env.PATH, limits: { maxFiles: 50_000, maxFileBytes: 1_000_000 },
      agentHomes: ${JSON.stringify(rig.store.agentHomes)},
    });
    const before = createTurnCheckpoints({
      store: async () => store, places: ${JSON.stringify(rig.places)}, log, onTaken() {}, onWanted() {},
    });
    const path = ${JSON.stringify(join(rig.work, `${options.name}.txt`))};
    for (let turn = 0; turn < ${options.turns}; turn += 1) {
      const notices = await before({ session: ${JSON.stringify(SESSION)}, turn: "trn_${options.name}" + turn, paths: [path], summary: "x" }, { signal: new AbortController().signal });
      if (notices.length > 0) throw new Error(JSON.stringify(notices));
      writeFileSync(path, String(turn));
      process.stdout.write("taken\\n");
    }
  `;
  const path = readEnvironment()["PATH"] ?? "";
  return spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: { PATH: path },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
};

const list = (rig: CheckpointRig) =>
  listCheckpoints(rig.store, { places: rig.places, sessions: [SESSION], limit: 100, signal: rig.signal });

test(
  "two programs at once on one store: no checkpoint is lost, and all can be restored",
  { timeout: 120_000 },
  async () => {
    await using rig = createCheckpointRig();
    writeFileSync(join(rig.work, "shared.txt"), "shared");
    const others = [startOther(rig, { name: "a", turns: 4 }), startOther(rig, { name: "b", turns: 4 })];
    const codes = await Promise.all(others.map(async (child) => (await once(child, "exit"))[0] as number));
    expect(codes).toEqual([0, 0]);
    const entries = await list(rig);
    expect(entries).toHaveLength(8);
    const snapshots = snapshotsSince(entries, entryOf(entries, 8));
    const [report] = await restoreAll(rig.store, { snapshots, deleteNew: false, session: SESSION, signal: rig.signal });
    expect(report?.blocked).toEqual([]);
    expect(existsSync(join(rig.work, "a.txt")) || existsSync(join(rig.work, "b.txt"))).toBe(false);
  },
);

test(
  "a program that is killed while it takes checkpoints leaves a store that works",
  { timeout: 120_000 },
  async () => {
    await using rig = createCheckpointRig();
    mkdirSync(join(rig.work, "many"));
    for (let index = 0; index < 300; index += 1) writeFileSync(join(rig.work, "many", `${index}`), `file ${index}`);
    const file = join(rig.work, "kill.txt");
    for (const delayMs of [0, 40, 90]) {
      const child = startOther(rig, { name: "kill", turns: 1_000 });
      await once(child.stdout, "data");
      await systemClock.sleep(delayMs);
      const exited = once(child, "exit");
      await killTree(child.pid ?? 0, { clock: systemClock, graceMs: 0 });
      await exited;
      expect(await rig.touch(`trn_after${delayMs}`, file)).toEqual([]);
      const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
      writeFileSync(file, "changed after the kill");
      const entries = await list(rig);
      expect(entries[0]?.turn).toBe(`trn_after${delayMs}`);
      const snapshots = entries[0]?.snapshots ?? [];
      await restoreAll(rig.store, { snapshots, deleteNew: false, session: SESSION, signal: rig.signal });
      expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(before);
    }
    await rig.store.git({ args: ["fsck", "--connectivity-only"], signal: rig.signal });
  },
);
