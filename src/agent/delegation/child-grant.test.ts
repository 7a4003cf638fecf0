import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { grantTools, type Grant } from "../grant.ts";
import type { Tool } from "../tool.ts";
import type { Toolset } from "../toolset.ts";
import { grantChild, NOT_FOR_CHILDREN, type ChildWish } from "./child-grant.ts";

const tool = (name: string, toolset: string): Tool => ({
  name,
  toolset,
  description: name,
  parameters: z.object({}),
  effects: "read",
  concurrency: () => ({ kind: "anything" }),
  summarise: () => name,
  run: async () => ({ outcome: "ok", text: name }),
});

const toolset = (name: string, tools: readonly string[], residency: Toolset["residency"] = "resident"): Toolset => ({
  name,
  residency,
  line: name,
  tools: tools.map((each) => tool(each, name)),
});

/** As a session has them: a toolset and a tool may share a name. */
const AVAILABLE: readonly Toolset[] = [
  toolset("file", ["read_file", "write_file"]),
  toolset("terminal", ["terminal", "process"]),
  toolset("todo", ["todo"]),
  toolset("clarify", ["clarify"]),
  toolset("memory", ["memory"]),
  toolset("messaging", ["send_message"], "on_demand"),
  toolset("code_execution", ["execute_code"], "on_demand"),
  toolset("delegation", ["delegate_task"]),
  toolset("web", ["web_search"], "on_demand"),
  toolset("mcp-notes", ["notes_read"], "on_demand"),
];

const names = (grant: Grant): readonly string[] =>
  [...grant.resident, ...grant.onDemand.flatMap(({ tools }) => tools)].map(({ name }) => name);

const granted = (requested?: readonly string[]): Grant => {
  const grant = grantTools(AVAILABLE, requested, { allowed: undefined, disabled: [] });
  if (!grant.ok) throw new Error("a name of this test means nothing");
  return grant.value;
};

const childOf = (parent: Grant, wish: Partial<ChildWish>): readonly string[] => {
  const grant = grantChild(parent, AVAILABLE, { toolsets: undefined, mayDelegate: false, inheritMcp: false, ...wish });
  return grant.ok ? names(grant.value) : grant.error.known;
};

test("compat 4.8: without a wish a child gets terminal, file and web, and its parent's MCP toolsets where they are inherited", () => {
  const usual = ["read_file", "write_file", "terminal", "process", "web_search"];
  expect(childOf(granted(), {})).toEqual(usual);
  expect(childOf(granted(), { toolsets: [] })).toEqual(usual);
  expect(childOf(granted(), { inheritMcp: true })).toEqual([...usual, "notes_read"]);
  expect(childOf(granted(), { toolsets: ["todo"], inheritMcp: true })).toEqual(["todo", "notes_read"]);
});

test("a tool of a toolset that shares the tool's name does not bring the others along", () => {
  expect(childOf(granted(["read_file", "terminal"]), {})).toEqual(["read_file", "terminal", "process"]);
  const lean = granted(["lean"]);
  expect(names(lean)).toEqual(["read_file", "write_file", "terminal"]);
  expect(childOf(lean, { toolsets: ["terminal"] })).toEqual(["terminal"]);
});

test("what the parent lacks, and a name that means nothing, is refused with what there is", () => {
  const grant = grantChild(granted(["file"]), AVAILABLE, {
    toolsets: ["file", "terminal", "nonsense"],
    mayDelegate: false,
    inheritMcp: true,
  });
  expect(grant).toMatchObject({ ok: false, error: { unknown: ["terminal", "nonsense"] } });
  expect(grant.ok ? [] : grant.error.known).toContain("read_file");
});

test("compat 4.8: a leaf never gets what no sub-agent gets, an orchestrator only delegate_task of it", () => {
  expect(childOf(granted(), { toolsets: ["all"] }).filter((name) => NOT_FOR_CHILDREN.includes(name))).toEqual([]);
  expect(
    childOf(granted(), { toolsets: ["all"], mayDelegate: true }).filter((name) => NOT_FOR_CHILDREN.includes(name)),
  ).toEqual(["delegate_task"]);
  expect(childOf(granted(["file"]), { mayDelegate: true })).not.toContain("delegate_task");
});

const anyName = fc.constantFrom(
  "all",
  "lean",
  "debugging",
  "hermes-cli",
  ...AVAILABLE.flatMap(({ name, tools }) => [name, ...tools.map((each) => each.name)]),
  "nonsense",
);
const anyWish: fc.Arbitrary<ChildWish> = fc.record({
  toolsets: fc.option(fc.array(anyName, { maxLength: 5 }), { nil: undefined }),
  mayDelegate: fc.boolean(),
  inheritMcp: fc.boolean(),
});

test("no sequence of wishes down a tree ever gives a child more than its parent has", () => {
  const roots = fc.option(
    fc.array(
      anyName.filter((name) => name !== "nonsense"),
      { minLength: 1, maxLength: 6 },
    ),
    {
      nil: undefined,
    },
  );
  fc.assert(
    fc.property(roots, fc.array(anyWish, { minLength: 1, maxLength: 5 }), (root, wishes) => {
      let parent = granted(root);
      for (const wish of wishes) {
        const child = grantChild(parent, AVAILABLE, wish);
        if (!child.ok) continue;
        const held = names(parent);
        for (const name of names(child.value)) {
          expect(held).toContain(name);
          expect(NOT_FOR_CHILDREN.includes(name) && !(name === "delegate_task" && wish.mayDelegate)).toBe(false);
        }
        parent = child.value;
      }
    }),
    { numRuns: 500 },
  );
});
