import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { systemClock } from "./clock.ts";
import { acquireProcessLock, tryProcessLock, withProcessLock } from "./process-lock.ts";

const modulePath = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** A process of its own that takes the lock, says so, and holds it until it is killed. */
const startHolder = async (directory: string, purpose: string): Promise<{ pid: number; kill(): Promise<void> }> => {
  const program = `
    import { acquireProcessLock } from ${modulePath("process-lock.ts")};
    import { systemClock } from ${modulePath("clock.ts")};
    const outcome = await acquireProcessLock({ directory: ${JSON.stringify(directory)}, name: "store", clock: systemClock, purpose: ${JSON.stringify(purpose)} });
    console.log(outcome.kind);
    process.stdin.resume();
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  const [said] = await once(child.stdout, "data");
  expect(String(said).trim()).toBe("held");
  const kill = async (): Promise<void> => {
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  };
  return { pid: child.pid!, kill };
};

test("another process's lock is busy with its holder's name, and free as soon as the kernel has killed it", async () => {
  await using temp = createTempDirectory();
  const holder = await startHolder(temp.path, "migrating");
  const request = { directory: temp.path, name: "store", clock: systemClock, timeoutMs: 0 };
  const busy = await acquireProcessLock(request);
  expect(busy).toMatchObject({ kind: "busy", holder: { pid: holder.pid, purpose: "migrating" } });
  await expect(withProcessLock(request, async () => "ran")).rejects.toMatchObject({
    code: "lock.busy",
    message: `"store" is in use by process ${holder.pid} (migrating)`,
  });
  await holder.kill();
  // The dead holder's file is still there; it must not be believed.
  expect(existsSync(join(temp.path, "store.holder.json"))).toBe(true);
  expect(await withProcessLock(request, async () => "ran")).toBe("ran");
});

test("within one process the second taker waits until the first lets go, on the clock given", async () => {
  await using temp = createTempDirectory();
  const clock = createFakeClock();
  const request = { directory: temp.path, name: "a", clock, timeoutMs: 1_000 };
  const first = await acquireProcessLock(request);
  let got = "";
  const second = acquireProcessLock(request).then((outcome) => {
    got = outcome.kind;
    return outcome;
  });
  await clock.advance(500);
  expect(got).toBe("");
  expect(first.kind === "held" && first.lock.release()).toBe(undefined);
  await clock.advance(200);
  const outcome = await second;
  expect(outcome.kind).toBe("held");
  if (outcome.kind === "held") outcome.lock.release();
});

test("waiting ends when the signal aborts, and the lock is usable afterwards", async () => {
  await using temp = createTempDirectory();
  const clock = createFakeClock();
  const request = { directory: temp.path, name: "a", clock };
  const held = tryProcessLock(request);
  const controller = new AbortController();
  const waiting = acquireProcessLock({ ...request, signal: controller.signal });
  controller.abort(new Error("stop waiting"));
  await expect(waiting).rejects.toThrow("stop waiting");
  held?.release();
  held?.release();
  expect((await acquireProcessLock({ ...request, timeoutMs: 0 })).kind).toBe("held");
});

test("the lock is freed when the work under it throws; files are private", async () => {
  await using temp = createTempDirectory();
  const directory = join(temp.path, "locks");
  const request = { directory, name: "a", clock: systemClock, timeoutMs: 0 };
  await expect(withProcessLock(request, () => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
  expect(await withProcessLock(request, async () => statSync(join(directory, "a.db")).mode & 0o777)).toBe(0o600);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("a name that could leave the directory and a place that cannot lock are errors", async () => {
  await using temp = createTempDirectory();
  const clock = systemClock;
  for (const name of ["../a", "", "a:b", ".", "a/b"]) {
    await expect(acquireProcessLock({ directory: temp.path, name, clock })).rejects.toMatchObject({
      code: "lock.bad_name",
    });
  }
  writeFileSync(join(temp.path, "file"), "");
  await expect(acquireProcessLock({ directory: join(temp.path, "file"), name: "a", clock })).rejects.toMatchObject({
    code: "lock.unusable",
  });
});
