import { describe, expect, test } from "vitest";
import { createDeskSkills, createSkillDesk } from "../testing/skill-desk.ts";
import type { CommandPorts } from "./ports.ts";
import { COMMANDS } from "./registry.ts";
import { createCommandRunner } from "./run-command.ts";
import type { CallableSkill } from "./skill-port.ts";

const open = () => {
  const desk = createSkillDesk();
  const ports = {
    skills: createDeskSkills(desk),
    turn: { isRunning: () => false },
    settings: { confirmsDestructive: () => true, tools: () => [] },
    now: () => 60_000,
  } as unknown as CommandPorts;
  const runner = createCommandRunner(COMMANDS, ports);
  return { desk, run: (line: string) => runner.run(line), infos: () => runner.infos() };
};

describe("skills as commands", () => {
  const skill = (name: string, kind: CallableSkill["kind"] = "skill"): CallableSkill => ({
    name,
    kind,
    description: `${kind} ${name}`,
  });

  test("a skill is /name with what follows, also under a name of another script, and its text is not shown", async () => {
    const { desk, run } = open();
    desk.callable = [skill("trip"), skill("\u043d\u0430\u0432\u044b\u043a")];
    expect(await run("/trip to Lisbon")).toEqual({
      kind: "submit",
      text: "/trip to Lisbon with all of trip",
      place: "now",
      shown: "/trip to Lisbon",
    });
    expect(await run("/\u043d\u0430\u0432\u044b\u043a")).toMatchObject({
      kind: "submit",
      shown: "/\u043d\u0430\u0432\u044b\u043a",
    });
  });

  test("a built-in command wins over a skill, a bundle over a skill, and a beginning means the built-in one first", async () => {
    const { desk, run, infos: all } = open();
    desk.callable = [skill("help"), skill("morning"), skill("morning", "bundle"), skill("toolshed")];
    const infos = all().filter(({ name }) => ["help", "morning", "toolshed"].includes(name));
    expect(infos.map(({ description }) => description)).toEqual([
      "List the commands, or explain one",
      "bundle morning",
      "skill toolshed",
    ]);
    expect(await run("/tool")).toMatchObject({ text: "This session has no tools." });
    expect(await run("/toolshed")).toMatchObject({ kind: "submit" });
  });

  test("/skills lists by words and decides about changes", async () => {
    const { desk, run } = open();
    expect(await run("/skills")).toMatchObject({ kind: "text", text: "There are no skills." });
    const row = { source: "home", group: "office", description: "d", withheld: "" } as const;
    desk.rows = [
      { ...row, name: "mail" },
      { ...row, name: "trip", group: "" },
    ];
    expect(await run("/skills office")).toMatchObject({ kind: "table", rows: [["/mail", "home", "d", ""]] });
    expect(await run("/skills approve abc")).toMatchObject({ kind: "text", text: "approved abc" });
    expect(await run("/skills reject abc")).toMatchObject({ text: "rejected abc" });
    expect(await run("/skills undo abc")).toMatchObject({ text: "undone abc" });
    expect(await run("/skills undo")).toMatchObject({ kind: "error" });
    expect(await run("/skills show abc")).toMatchObject({ kind: "error", message: "none" });
    expect(await run("/skills pending")).toMatchObject({ text: "No change is waiting." });
  });

  test("a name that is not known is looked for in the folders once more; one that fails is an error", async () => {
    const { desk, run } = open();
    desk.found = [skill("fresh"), skill("broken")];
    expect(await run("/fresh now")).toMatchObject({ kind: "submit", shown: "/fresh now" });
    expect(await run("/broken")).toEqual({ kind: "error", message: "it is broken" });
    expect(await run("/nothing-like-it")).toMatchObject({ kind: "error" });
    expect(desk.reloads).toBe(2);
  });

  test("/reload-skills says what is new and gone; /bundles and /skills changes list", async () => {
    const { desk, run } = open();
    desk.callable = [skill("old")];
    desk.found = [skill("fresh")];
    expect(await run("/reload-skills")).toMatchObject({ text: expect.stringContaining("new: fresh; gone: old") });
    expect(await run("/bundles")).toMatchObject({ rows: [["/morning", "d", "a, b"]] });
    expect(await run("/skills changes")).toMatchObject({
      kind: "table",
      rows: [["abc", expect.any(String), "create tide", ""]],
    });
  });
});
