import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { array, assert, asyncProperty, constantFrom, nat, oneof, record, constant } from "fast-check";
import { expect, test } from "vitest";
import { createMemoryRig, type MemoryRig } from "../../testing/memory-rig.ts";
import { startStoreProcess } from "../../testing/store-process.ts";
import { SEPARATOR } from "./memory-format.ts";

const moduleOf = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** A process that waits for a line and then adds `count` entries, one after another. */
const adding = (name: string, count: number): string => `
  const { createMemoryBook } = await import(${moduleOf("memory-book.ts")});
  const { createRedactor } = await import(${moduleOf("../../base/redact/redact-text.ts")});
  const book = createMemoryBook({
    settings: { directory: join(home, "memories"), enabled: { memory: true, user: true }, limits: { memory: 2200, user: 1375 } },
    locksDirectory: join(home, "locks"), clock: systemClock, redactor: createRedactor({ enabled: true }), store: store.memory,
  });
  console.log("ready");
  await nextLine();
  for (let at = 1; at <= ${count}; at += 1) {
    const outcome = await book.change("memory", { action: "add", content: "${name} " + at }, { source: "tool", session: null });
    if (outcome.kind !== "changed") throw new Error(JSON.stringify(outcome));
  }
  console.log("done");
`;

test("B66: two processes that add at once lose nothing of each other", async () => {
  await using rig = await createMemoryRig();
  await rig.add("here first");
  await using left = startStoreProcess(rig.home, adding("left", 12));
  await using right = startStoreProcess(rig.home, adding("right", 12));
  await Promise.all([left.line("ready"), right.line("ready")]);
  left.send("go");
  right.send("go");
  await Promise.all([left.line("done"), right.line("done")]);
  const expected = [
    "here first",
    ...["left", "right"].flatMap((name) => Array.from({ length: 12 }, (_, at) => `${name} ${at + 1}`)),
  ];
  expect((await rig.entries()).toSorted()).toEqual(expected.toSorted());
  expect(await left.end()).toBe(0);
  expect(await right.end()).toBe(0);
});

test("B66: a process that is killed while it writes leaves a whole file, and the others go on", async () => {
  await using rig = await createMemoryRig();
  const killed = startStoreProcess(rig.home, adding("killed", 200));
  await killed.line("ready");
  killed.send("go");
  for (;;) {
    const text = await readFile(rig.pathOf(), "utf8").catch(() => "");
    if (text.includes("killed 3")) break;
  }
  await killed.kill();
  expect(await rig.add("after it")).toMatchObject({ kind: "changed" });
  const entries = await rig.entries();
  expect(entries.at(-1)).toBe("after it");
  expect(entries.slice(0, -1)).toEqual(Array.from({ length: entries.length - 1 }, (_, at) => `killed ${at + 1}`));
});

const WORDS = ["tea", "milk", "pnpm", "atlas", "Lisbon", "Tuesday", "git", "dark mode"];
const operations = array(
  oneof(
    record({ kind: constant("add" as const), word: constantFrom(...WORDS), salt: nat(30) }),
    record({ kind: constant("replace" as const), word: constantFrom(...WORDS), salt: nat(30), at: nat(20) }),
    record({ kind: constant("remove" as const), at: nat(20) }),
    record({ kind: constant("by_hand" as const), word: constantFrom(...WORDS), salt: nat(30) }),
    record({ kind: constant("undo" as const) }),
  ),
  { minLength: 1, maxLength: 25 },
);

/** Does one step with one of the two books, or at the file itself; the texts that it put into the file. */
const step = async (
  rig: MemoryRig,
  books: readonly MemoryRig["book"][],
  {
    operation,
    index,
  }: { readonly operation: { kind: string; word?: string; salt?: number; at?: number }; readonly index: number },
): Promise<readonly string[]> => {
  const book = books[index % books.length]!;
  const by = { source: "tool", session: null } as const;
  const text = `${operation.word} number ${operation.salt}`;
  const { entries } = await book.list("memory");
  const chosen = entries[(operation.at ?? 0) % Math.max(1, entries.length)]?.text ?? "nothing";
  switch (operation.kind) {
    case "add":
      return (await book.change("memory", { action: "add", content: text }, by)).kind === "changed" ? [text] : [];
    case "replace": {
      const change = { action: "replace", oldText: chosen, content: text } as const;
      return (await book.change("memory", change, by)).kind === "changed" ? [text] : [];
    }
    case "remove":
      await book.change("memory", { action: "remove", oldText: chosen }, by);
      return [];
    case "by_hand": {
      const before = await readFile(rig.pathOf(), "utf8").catch(() => "");
      const after = before === "" ? text : `${before}${SEPARATOR}${text}`;
      if (before.includes(text) || after.length > 300) return [];
      await writeFile(rig.pathOf(), `${after}\n`);
      return [text];
    }
    default: {
      const last = (await rig.store.memory.changes({ limit: 20 })).find(
        (change) => change.kind !== "found" && change.undoneBy === null,
      );
      if (last !== undefined) await book.change("memory", { action: "undo", record: last }, by);
      return [];
    }
  }
};

test("whatever happens to the file and from wherever, no text that was ever in it is lost: it is there or archived, and in the history", async () => {
  await assert(
    asyncProperty(operations, async (list) => {
      await using rig = await createMemoryRig({ limit: 300 });
      const books = [rig.book, await rig.again()];
      const ever = new Set<string>();
      for (const [index, operation] of list.entries()) {
        for (const text of await step(rig, books, { operation, index })) ever.add(text);
      }
      // What was done by hand last is written down with the next change.
      await rig.add("the last word");
      const entries = await rig.entries();
      const { entries: known } = await rig.book.list("memory");
      expect(entries.join(SEPARATOR).length).toBeLessThanOrEqual(300);
      expect(known.map(({ text, known: record }) => [text, record?.text])).toEqual(entries.map((text) => [text, text]));
      const archived = (await rig.store.memory.archive({ limit: 1_000 })).map(({ text }) => String(text));
      const history = (await rig.store.memory.changes({ limit: 1_000 })).flatMap(({ added }) =>
        added.map(({ text }) => String(text)),
      );
      for (const text of ever) {
        expect([...entries, ...archived]).toContain(text);
        expect(history).toContain(text);
      }
    }),
    { numRuns: 15 },
  );
});
