import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { grantTools, type GrantPolicy } from "./grant.ts";
import { defineTool, type Tool } from "./tool.ts";
import type { Toolset } from "./toolset.ts";

const tool = (name: string, toolset: string): Tool =>
  defineTool({
    name,
    toolset,
    description: name,
    parameters: z.object({}),
    effects: "read",
    concurrency: () => ({ kind: "anything" }),
    summarise: () => name,
    run: async () => ({ outcome: "ok", text: "" }),
  });

const FILE: Toolset = {
  name: "file",
  residency: "resident",
  line: "files",
  tools: ["read_file", "write_file", "patch"].map((name) => tool(name, "file")),
};
const TERMINAL: Toolset = {
  name: "terminal",
  residency: "resident",
  line: "commands",
  tools: [tool("terminal", "terminal"), tool("process", "terminal")],
};
const RARE: Toolset = { name: "rare", residency: "on_demand", line: "rare things", tools: [tool("rare_one", "rare")] };
const AVAILABLE = [FILE, TERMINAL, RARE];
const OPEN: GrantPolicy = { allowed: undefined, disabled: [] };

const names = (requested: readonly string[] | undefined, policy: GrantPolicy = OPEN): readonly string[] => {
  const granted = grantTools(AVAILABLE, requested, policy);
  if (!granted.ok) throw new Error(granted.error.unknown.join());
  return [...granted.value.resident, ...granted.value.onDemand.flatMap((toolset) => toolset.tools)].map(
    ({ name }) => name,
  );
};

test("everything, a toolset, a tool, and the lean shorthand", () => {
  expect(names(undefined)).toHaveLength(6);
  expect(names(["file"])).toEqual(["read_file", "write_file", "patch"]);
  expect(names(["process", "rare"])).toEqual(["process", "rare_one"]);
  expect(names(["lean"])).toEqual(["read_file", "write_file", "patch", "terminal"]);
  expect(names([])).toEqual([]);
});

test("a name that means nothing is refused with those that do", () => {
  const granted = grantTools(AVAILABLE, ["file", "web"], OPEN);
  expect(granted).toMatchObject({ ok: false, error: { unknown: ["web"] } });
});

test("B45 what the operator disabled or did not allow cannot be asked for", () => {
  expect(names(["rare", "terminal", "file"], { allowed: undefined, disabled: ["terminal", "file"] })).toEqual([
    "rare_one",
  ]);
  expect(names(["all"], { allowed: ["file"], disabled: ["patch"] })).toEqual(["read_file", "write_file"]);
  expect(names(undefined, { allowed: undefined, disabled: ["all"] })).toEqual([]);
});

test("a request only ever narrows what the policy leaves", () => {
  const name = fc.constantFrom("file", "terminal", "rare", "patch", "process", "lean", "all");
  const list = fc.array(name);
  fc.assert(
    fc.property(
      fc.option(list, { nil: undefined }),
      fc.option(list, { nil: undefined }),
      list,
      (requested, allowed, disabled) => {
        const policy = { allowed, disabled };
        const all = names(undefined, policy);
        expect(all).toEqual(expect.arrayContaining([...names(requested, policy)]));
        const withoutAnything = names(requested, { allowed, disabled: [...disabled, "all"] });
        expect(withoutAnything).toEqual([]);
      },
    ),
  );
});
