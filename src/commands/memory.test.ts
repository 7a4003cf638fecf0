import { expect, test } from "vitest";
import { openMemory } from "../app/memory.ts";
import { createMemoryPort } from "../app/memory-port.ts";
import { createTempApp, type TempApp } from "../testing/temp-app.ts";
import { asRedacted } from "../testing/temp-store.ts";
import { writeHeld } from "../knowledge/memory/held-change.ts";
import type { CommandResult } from "./command.ts";
import { memory } from "./memory.ts";
import type { CommandPorts } from "./ports.ts";

const runOn = (temp: TempApp) => {
  const port = createMemoryPort(temp.app);
  const ports = { memory: port, now: () => temp.app.clock.now() } as unknown as CommandPorts;
  return (args: string): Promise<CommandResult> => memory.run({ args, ports });
};

test("/memory shows what is remembered, finds what was taken out, and undoes", async () => {
  await using temp = createTempApp();
  const run = runOn(temp);
  expect(await run("")).toEqual({ kind: "text", text: "Nothing is remembered yet." });
  expect(await run("undo")).toMatchObject({ kind: "error", message: "There is no change to undo." });
  const { book } = await openMemory(temp.app);
  const by = { source: "tool", session: null } as const;
  await book.change("user", { action: "add", content: "Likes tea" }, by);
  await book.change("memory", { action: "add", content: "Uses pnpm" }, by);
  await book.change("memory", { action: "remove", oldText: "pnpm" }, by);
  expect(await run("")).toMatchObject({
    kind: "table",
    rows: [["USER.md", expect.any(String), "Likes tea"]],
    note: "MEMORY.md: 0% — 0/2,200 characters\nUSER.md: 0% — 9/1,375 characters",
  });
  expect(await run("search PNPM")).toMatchObject({ rows: [["archive", expect.any(String), "Uses pnpm"]] });
  expect(await run("search giraffe")).toMatchObject({ kind: "text" });
  expect(await run("search")).toMatchObject({ kind: "error" });
  expect(await run("undo")).toMatchObject({ kind: "text", text: expect.stringMatching(/^Undid #\d+ \(remove\)\./u) });
  expect((await book.list("memory")).entries.map(({ text }) => text)).toEqual(["Uses pnpm"]);
  expect(await run("sing")).toMatchObject({ kind: "error", message: '/memory does not know "sing"' });
});

test("R-SAFE-3: /memory lists what waits, and lets the owner decide once", async () => {
  await using temp = createTempApp();
  const run = runOn(temp);
  const { book, selfChanges } = await openMemory(temp.app);
  const hold = (content: string): Promise<number> =>
    selfChanges.hold({
      kind: "memory",
      session: null,
      summary: asRedacted(`add to user: ${content}`),
      payload: asRedacted(writeHeld({ target: "user", change: { action: "add", content } })),
    });
  const [tea, milk] = [await hold("Likes tea"), await hold("Likes milk")];
  expect(await run("")).toMatchObject({ note: expect.stringContaining("Waiting for you: 2 (/memory pending)") });
  expect(await run("pending")).toMatchObject({
    rows: [
      [String(tea), expect.any(String), "add to user: Likes tea"],
      [String(milk), expect.any(String), "add to user: Likes milk"],
    ],
  });
  expect(await run(`approve ${tea}`)).toMatchObject({ kind: "text", text: expect.stringContaining(`Done: #${tea}.`) });
  expect(await run(`reject #${milk}`)).toMatchObject({ kind: "text", text: `Rejected: #${milk}.` });
  expect(await run(`approve ${milk}`)).toMatchObject({ kind: "error", message: `#${milk} was rejected already.` });
  expect(await run("reject 99")).toMatchObject({ kind: "error", message: "No change of memory waits as #99." });
  expect(await run("approve tea")).toMatchObject({ kind: "error" });
  expect(await run("pending")).toMatchObject({ kind: "text", text: "Nothing waits for you." });
  expect((await book.list("user")).entries.map(({ text }) => text)).toEqual(["Likes tea"]);
});
