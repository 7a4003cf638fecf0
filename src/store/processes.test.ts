import { expect, test } from "vitest";
import { newId } from "../base/ids.ts";
import type { SessionId } from "../base/ids.ts";
import { asRedacted, createTempStore } from "../testing/temp-store.ts";
import type { ProcessRecord } from "./store.ts";

const record = (startedAt: number, session: string): ProcessRecord => ({
  id: newId("proc", startedAt),
  session: session as SessionId,
  command: asRedacted("sleep 1 # «secret:token:ab12»"),
  cwd: "/tmp",
  pid: 4711,
  pidStartedAt: "boot-12",
  startedAt,
  outputPath: "/tmp/out",
  state: { kind: "running" },
});

test("background processes are kept over restarts with what became of them, newest first", async () => {
  await using temp = await createTempStore();
  const { processes } = temp.store;
  const [a, b, c] = [record(1, "one"), record(2, "two"), record(3, "one")];
  for (const each of [a, b, c]) await processes.put(each);
  await processes.setState(a.id, { kind: "exited", code: null, signal: "SIGKILL", at: 9 });
  await processes.setState(b.id, { kind: "exited", code: 0, signal: null, at: 8 });
  await processes.setState(c.id, { kind: "lost", at: 7 });
  await temp.store.close();
  const again = (await temp.open()).processes;
  expect(await again.get(a.id)).toEqual({ ...a, state: { kind: "exited", code: null, signal: "SIGKILL", at: 9 } });
  expect((await again.get(b.id))?.state).toEqual({ kind: "exited", code: 0, signal: null, at: 8 });
  expect((await again.list({ limit: 9 })).map(({ id }) => id)).toEqual([c.id, b.id, a.id]);
  expect((await again.list({ session: a.session, limit: 1 })).map(({ state }) => state)).toEqual([
    { kind: "lost", at: 7 },
  ]);
  await again.put({ ...c, pid: 4712 });
  expect(await again.get(c.id)).toMatchObject({ pid: 4712, state: { kind: "running" } });
  expect(await again.get(newId("proc", 1))).toBe(undefined);
});
