import type { CallableSkill, SkillRow, SkillsPort } from "../commands/skill-port.ts";

/** What a test's skills are. */
export interface SkillDesk {
  callable: readonly CallableSkill[];
  rows: readonly SkillRow[];
  /** How often the folders were read. */
  reloads: number;
  /** What the next reading finds. */
  found: readonly CallableSkill[] | undefined;
}

/** A desk without skills. */
export const createSkillDesk = (): SkillDesk => ({ callable: [], rows: [], reloads: 0, found: undefined });

/** Skills behind the port of commands: what a command did can be read from its words. */
export const createDeskSkills = (desk: SkillDesk): SkillsPort => ({
  callable: () => desk.callable,
  reload: () => {
    desk.reloads += 1;
    const before = desk.callable.map(({ name }) => name);
    desk.callable = desk.found ?? desk.callable;
    const names = desk.callable.map(({ name }) => name);
    return Promise.resolve({
      added: names.filter((name) => !before.includes(name)),
      removed: before.filter((name) => !names.includes(name)),
      count: names.length,
    });
  },
  list: () => Promise.resolve({ rows: desk.rows, problems: [] }),
  bundles: () => Promise.resolve({ rows: [{ slug: "morning", description: "d", skills: ["a", "b"] }], problems: [] }),
  invoke: (name, args) =>
    Promise.resolve(
      name === "broken"
        ? { kind: "failed", message: "it is broken" }
        : { kind: "message", text: `/${name} ${args} with all of ${name}` },
    ),
  pending: () => Promise.resolve([]),
  pendingText: () => Promise.resolve({ kind: "failed", message: "none" }),
  approve: (id) => Promise.resolve({ kind: "done", text: `approved ${id}` }),
  reject: (id) => Promise.resolve({ kind: "done", text: `rejected ${id}` }),
  changes: () => Promise.resolve([{ id: "abc", at: 0, what: "create tide", note: "" }]),
  undo: (id) => Promise.resolve({ kind: "done", text: `undone ${id}` }),
});
