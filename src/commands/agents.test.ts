import { expect, test } from "vitest";
import type { ChildInterruption, CommandPorts, RunningChildInfo, RunningProcessInfo } from "./ports.ts";
import { COMMANDS } from "./registry.ts";
import { createCommandRunner } from "./run-command.ts";

const NOW = 10 * 60_000;

interface Desk {
  readonly children?: readonly RunningChildInfo[];
  readonly processes?: readonly RunningProcessInfo[];
  readonly interruption?: ChildInterruption;
}

const createDesk = ({ children = [], processes = [], interruption = { kind: "none" } }: Desk) => {
  const asked: string[] = [];
  const ports = {
    skills: { callable: () => [] },
    now: () => NOW,
    settings: { confirmsDestructive: () => true },
    turn: {
      isRunning: () => true,
      children: () => children,
      processes: async () => processes,
      interruptChildren: (reference: string) => {
        asked.push(reference);
        return interruption;
      },
    },
  } as unknown as CommandPorts;
  const runner = createCommandRunner(COMMANDS, ports);
  return { asked, run: (line: string) => runner.run(line) };
};

test("compat 2: /agents and /tasks list what runs while a turn runs, sub-agents of sub-agents set in below theirs", async () => {
  const desk = createDesk({
    children: [
      { session: "c1", parent: "s", goal: "count\nthe cats", action: "read a.txt", runningMs: 130_000 },
      { session: "c2", parent: "c1", goal: "deeper", action: "", runningMs: 5_000 },
    ],
    processes: [{ id: "proc_1", command: "npm start", startedAt: NOW - 60_000 }],
  });
  for (const line of ["/agents", "/tasks"]) {
    expect(await desk.run(line)).toMatchObject({
      kind: "table",
      rows: [
        ["1", "c1", "count the cats", "read a.txt", "2m"],
        ["2", "c2", "  deeper", "", "now"],
        ["", "proc_1", "npm start", "in the background", "1m"],
      ],
    });
  }
  expect(await createDesk({}).run("/agents")).toEqual({
    kind: "text",
    text: "No sub-agent and no background process runs.",
  });
});

test("/agents stop ends one, or says why it cannot", async () => {
  const one = createDesk({ interruption: { kind: "interrupted", sessions: ["c1"] } });
  expect(await one.run("/agents stop 1")).toEqual({ kind: "text", text: "Sub-agent c1 is being stopped." });
  expect(one.asked).toEqual(["1"]);
  const all = createDesk({ interruption: { kind: "interrupted", sessions: ["c1", "c2"] } });
  expect(await all.run("/tasks stop all")).toEqual({ kind: "text", text: "2 sub-agents are being stopped." });
  const two = createDesk({ interruption: { kind: "ambiguous", sessions: ["c1", "c2"] } });
  expect(await two.run("/agents stop c")).toMatchObject({ kind: "error", hint: "c1, c2" });
  const none = createDesk({});
  expect(await none.run("/agents stop 7")).toMatchObject({ kind: "error", message: 'No sub-agent "7" runs' });
  expect(await none.run("/agents stop")).toMatchObject({ kind: "error", message: "Which one?" });
  expect(await none.run("/agents dance")).toMatchObject({ kind: "error" });
});
