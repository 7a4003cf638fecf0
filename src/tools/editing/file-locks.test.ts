import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import type { Tool } from "../../agent/tool.ts";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { createToolContext } from "../../testing/tool-context.ts";
import { createFileLocks } from "./file-locks.ts";

/** A tool that notes when it begins and goes on when it is told to. */
const createSlowTool = () => {
  const log: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const tool: Tool = {
    name: "slow",
    toolset: "test",
    description: "",
    parameters: z.unknown(),
    effects: "write",
    concurrency: (args) => ({ kind: "paths", paths: (args as { paths: string[] }).paths }),
    summarise: () => "",
    run: async (args) => {
      const { name } = args as { name: string };
      log.push(`${name} begins`);
      const gate = Promise.withResolvers<void>();
      gates.set(name, gate);
      await gate.promise;
      log.push(`${name} ends`);
      return { outcome: "ok", text: "" };
    },
  };
  return { tool, log, open: (name: string) => gates.get(name)?.resolve() };
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

test("calls of different sessions on one file run one after the other, whatever the file is called; others run beside them", async () => {
  await using directory = createTempDirectory();
  const file = join(directory.path, "a.txt");
  const link = join(directory.path, "link.txt");
  writeFileSync(file, "");
  symlinkSync(file, link);
  const locks = createFileLocks();
  const { tool, log, open } = createSlowTool();
  const [mine, theirs] = [locks.holding(tool), locks.holding(tool)];
  const { context } = createToolContext({ cwd: directory.path });
  const first = mine.run({ name: "first", paths: [file] }, context);
  const second = theirs.run({ name: "second", paths: [link] }, context);
  const other = theirs.run({ name: "other", paths: [join(directory.path, "b.txt")] }, context);
  await settled();
  expect(log).toEqual(["first begins", "other begins"]);
  open("first");
  await first;
  await settled();
  expect(log).toEqual(["first begins", "other begins", "first ends", "second begins"]);
  open("second");
  open("other");
  await Promise.all([second, other]);
});

test("two calls that name the same files in another order do not wait for each other for ever", async () => {
  const locks = createFileLocks();
  const { tool, log, open } = createSlowTool();
  const holding = locks.holding(tool);
  const { context } = createToolContext({ cwd: "/" });
  const one = holding.run({ name: "one", paths: ["/x/a", "/x/b"] }, context);
  const two = holding.run({ name: "two", paths: ["/x/b", "/x/a"] }, context);
  await settled();
  open("one");
  await one;
  await settled();
  open("two");
  await two;
  expect(log).toEqual(["one begins", "one ends", "two begins", "two ends"]);
});

test("whoever is interrupted while it waits gives its place up without letting the next one in too early", async () => {
  const locks = createFileLocks();
  const { tool, log, open } = createSlowTool();
  const holding = locks.holding(tool);
  const stop = new AbortController();
  const { context } = createToolContext({ cwd: "/" });
  const { context: stopped } = createToolContext({ cwd: "/", signal: stop.signal });
  const first = holding.run({ name: "first", paths: ["/x/a"] }, context);
  const given = holding.run({ name: "given up", paths: ["/x/a"] }, stopped);
  await settled();
  stop.abort(new Error("stopped"));
  await expect(given).rejects.toThrow("stopped");
  const third = holding.run({ name: "third", paths: ["/x/a"] }, context);
  await settled();
  expect(log).toEqual(["first begins"]);
  open("first");
  await first;
  await settled();
  open("third");
  await third;
  expect(log).toEqual(["first begins", "first ends", "third begins", "third ends"]);
});
