import { describe, expect, test } from "vitest";
import type { CommandResult } from "./command.ts";
import type { DisplaySettings } from "./display-settings.ts";
import { matchCommand } from "./match-command.ts";
import type {
  CheckpointRow,
  ChildInterruption,
  CommandPorts,
  HistoryEntry,
  ResumeOutcome,
  RollbackOutcome,
  RunningChildInfo,
  RunningProcessInfo,
  SessionSummary,
  SwitchOutcome,
} from "./ports.ts";
import { COMMANDS } from "./registry.ts";
import { createDeskSkills, createSkillDesk } from "../testing/skill-desk.ts";
import { createCommandRunner, parseCommandLine } from "./run-command.ts";

const NOW = 10_000_000;
const session = (id: string, title: string | null = null): SessionSummary => ({
  id,
  title,
  provider: "acme",
  model: "brain",
  cwd: "/w",
  startedAt: NOW - 120_000,
  activeAt: NOW - 7_200_000,
  messageCount: 4,
  toolCallCount: 2,
});

/** A small program behind the ports: what a command did can be read from it. */
const createDesk = () => {
  const desk = {
    current: session("s1"),
    entries: [] as HistoryEntry[],
    titles: new Map<string, string>(),
    running: false,
    confirms: true,
    yolo: false,
    display: { toolProgress: "all", busyInputMode: "interrupt", showReasoning: false } as DisplaySettings,
    effort: "medium" as ReturnType<CommandPorts["model"]["effort"]>,
    steered: [] as string[],
    takesSteer: true,
    switched: [] as string[],
    switchOutcome: { kind: "switched", provider: "acme", model: "other" } as SwitchOutcome,
    resumed: [] as string[],
    resumeOutcome: { kind: "resumed", session: session("s0", "old"), followedFrom: null } as ResumeOutcome,
    started: 0,
    deleted: false,
    processes: 2,
    background: [] as RunningProcessInfo[],
    children: [] as RunningChildInfo[],
    interrupted: [] as string[],
    interruption: { kind: "none" } as ChildInterruption,
    kept: [] as CheckpointRow[] | undefined,
    rolledBack: [] as { number: number; file: string | undefined; deleteNew: boolean }[],
    rollbackOutcome: { kind: "failed", message: "none" } as RollbackOutcome,
  };
  const take = (title: string) => {
    const by = desk.titles.get(title);
    return by === undefined ? { kind: "set" as const, title } : { kind: "taken" as const, by };
  };
  const ports: CommandPorts = {
    now: () => NOW,
    conversation: {
      checkpoints: {
        isOn: () => true,
        list: async () => desk.kept,
        diff: async (number, file) => ({ kind: "text", text: `diff of ${number} ${file ?? "all"}` }),
        rollback: async (number, options) => {
          desk.rolledBack.push({ number, ...options });
          return desk.rollbackOutcome;
        },
      },
      current: () => desk.current,
      history: async () => desk.entries,
      startNew: async (title) => {
        const outcome = take(title ?? "");
        if (outcome.kind === "set") desk.started += 1;
        return outcome;
      },
      setTitle: async (title) => take(title),
      undo: async () => {
        const last = desk.entries.findLastIndex((entry) => entry.kind === "user");
        const [user] = last === -1 ? [] : desk.entries.splice(last);
        return user?.kind === "user" ? { text: user.text } : undefined;
      },
      branch: async (title) => session("s2", title ?? null),
      resume: async (target) => {
        desk.resumed.push(target);
        return desk.resumeOutcome;
      },
      recent: async () => [
        { ...session("s9", "nine"), opening: "unseen" },
        { ...session("s8"), opening: "plan the journey" },
        { ...session("s7"), opening: "x".repeat(80) },
      ],
      save: async (file) => ({ kind: "saved", path: file ?? "" }),
      deleteCurrent: async () => {
        desk.deleted = true;
      },
      usage: async () => ({ usage: { inputTokens: 12_345 }, modelCalls: 3, toolCalls: 2, costUsd: null }),
      context: async () => ({ window: 1000, used: 250, parts: [{ name: "tools", tokens: 250 }], compressAt: 500 }),
    },
    memory: {
      overview: () => Promise.reject(new Error("memory.test.ts asks for these")),
      search: async () => [],
      undo: async () => ({ kind: "done", text: "" }),
      pending: async () => [],
      decide: async () => ({ kind: "done", text: "" }),
    },
    money: {
      status: async () => [],
      insights: () => Promise.reject(new Error("money.test.ts asks for these")),
    },
    turn: {
      isRunning: () => desk.running,
      steer: (text) => {
        if (desk.takesSteer) desk.steered.push(text);
        return desk.takesSteer;
      },
      stopProcesses: async () => desk.processes,
      processes: async () => desk.background,
      children: () => desk.children,
      interruptChildren: (reference) => {
        desk.interrupted.push(reference);
        return desk.interruption;
      },
    },
    model: {
      choices: async () => [
        { provider: "acme", model: "brain", current: true },
        { provider: "other", model: "m2", current: false },
      ],
      switchTo: async (target, options) => {
        desk.switched.push(
          `${target}${options.provider === undefined ? "" : ` at ${options.provider}`}${options.remember ? " remembered" : ""}`,
        );
        return desk.switchOutcome;
      },
      effort: () => desk.effort,
      setEffort: (effort) => {
        desk.effort = effort;
      },
      personalities: async () => ({ choices: [], unusable: [] }),
      usePersonality: () => {},
    },
    skills: createDeskSkills(createSkillDesk()),
    settings: {
      display: () => desk.display,
      changeDisplay: (change) => {
        desk.display = { ...desk.display, ...change };
      },
      yolo: () => desk.yolo,
      setYolo: (on) => {
        desk.yolo = on;
      },
      confirmsDestructive: () => desk.confirms,
      stopConfirmingDestructive: async () => {
        desk.confirms = false;
      },
      rows: async (prefix) =>
        [{ key: "display.compact", value: "false", from: "default" }].filter((row) => row.key.startsWith(prefix)),
      tools: () => [
        { name: "terminal", toolset: "terminal", resident: true, description: "runs" },
        { name: "web", toolset: "web", resident: false, description: "looks" },
      ],
    },
  };
  const runner = createCommandRunner(COMMANDS, ports);
  return { desk, run: (...args: Parameters<typeof runner.run>) => runner.run(...args), infos: runner.infos };
};

const textOf = (result: CommandResult): string => ("text" in result ? result.text : JSON.stringify(result));

describe("finding a command (compat §2)", () => {
  test.each([
    ["help", "help"],
    ["HELP", "help"],
    ["q", "queue"],
    ["Reset", "new"],
    ["hist", "history"],
    ["exi", "quit"],
    ["s", "status"],
    ["c", "context"],
    ["re", "resume"],
  ])("/%s is /%s", (typed, name) => {
    const match = matchCommand(typed, COMMANDS);
    expect(match.kind === "found" ? match.command.name : match).toBe(name);
  });

  test.each([
    ["hlep", "help"],
    ["modle", "model"],
    ["statsu", "status"],
    ["xyzzy", undefined],
    ["nope", undefined],
    ["", undefined],
  ])("/%s is unknown, nearest %s", (typed, nearest) => {
    expect(matchCommand(typed, COMMANDS)).toEqual({ kind: "unknown", nearest });
  });

  test("no unclear beginning means a command that discards something", () => {
    for (const command of COMMANDS.filter((candidate) => candidate.destructive !== undefined)) {
      for (let length = 1; length < command.name.length; length += 1) {
        const start = command.name.slice(0, length);
        const others = COMMANDS.filter(
          (other) => other !== command && [other.name, ...other.aliases].some((name) => name.startsWith(start)),
        );
        const match = matchCommand(start, COMMANDS);
        if (others.length > 0) expect(match.kind === "found" ? match.command.name : "").not.toBe(command.name);
      }
    }
  });

  test("names and aliases are nobody else's", () => {
    const names = COMMANDS.flatMap((command) => [command.name, ...command.aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each([
    ["/new My title ", { name: "new", args: "My title" }],
    ["  /queue one\ntwo", { name: "queue", args: "one\ntwo" }],
    ["/usr/bin/env", undefined],
    ["/", undefined],
    ["hello /new", undefined],
    ["/ new", undefined],
  ])("%j is taken apart", (line, expected) => {
    expect(parseCommandLine(line)).toEqual(expected);
  });

  test("an unknown command names the nearest", async () => {
    expect(await createDesk().run("/hlep")).toEqual({
      kind: "error",
      message: "There is no command /hlep",
      hint: "Did you mean /help?",
    });
  });
});

describe("commands that discard something ask first (compat §2.1)", () => {
  test.each(["/new", "/reset", "/clear", "/undo", "/quit --delete"])("%s", async (line) => {
    const { desk, run } = createDesk();
    desk.entries = [{ kind: "user", text: "hi" }];
    expect(await run(line)).toMatchObject({ kind: "confirm", line });
    expect([desk.started, desk.deleted, desk.entries.length]).toEqual([0, false, 1]);
    const result = await run(line, { confirmed: "once" });
    expect(result.kind).not.toBe("confirm");
    expect(desk.confirms).toBe(true);
    await run(line, { confirmed: "always" });
    expect(desk.confirms).toBe(false);
    expect((await run(line)).kind).not.toBe("confirm");
  });

  test.each(["/clear now", "/clear --yes", "/clear -y"])("%s does not ask", async (line) => {
    const { desk, run } = createDesk();
    expect((await run(line)).kind).toBe("cleared");
    expect(desk.started).toBe(1);
  });

  test("the consent is no part of the title, and a title that only ends so is whole", async () => {
    const { run } = createDesk();
    expect(textOf(await run("/new Trip now"))).toBe('New session "Trip" s1');
    expect(textOf(await run("/new snow -y"))).toBe('New session "snow" s1');
    expect(textOf(await run("/title here and now"))).toBe("Title: here and now");
  });

  test("/quit alone leaves without a question", async () => {
    expect(await createDesk().run("/exit")).toEqual({ kind: "exit" });
  });
});

describe("while a turn runs", () => {
  test("commands that change the conversation wait, the others do not", async () => {
    const { desk, run } = createDesk();
    desk.running = true;
    for (const line of ["/new now", "/undo now", "/retry", "/resume s0", "/branch", "/model m2", "/clear now"]) {
      expect(await run(line), line).toMatchObject({ kind: "error" });
    }
    for (const line of [
      "/help",
      "/status",
      "/stop",
      "/queue x",
      "/busy queue",
      "/yolo on",
      "/title",
      "/usage",
      "/context",
    ]) {
      expect((await run(line)).kind, line).not.toBe("error");
    }
    expect(desk.started).toBe(0);
  });

  test("/steer goes into the turn, or becomes a message of its own", async () => {
    const { desk, run } = createDesk();
    expect((await run("/steer use tabs")).kind).toBe("text");
    expect(desk.steered).toEqual(["use tabs"]);
    desk.takesSteer = false;
    expect(await run("/steer use tabs")).toMatchObject({ kind: "submit", text: "use tabs", place: "queue" });
    expect(await run("/q later")).toEqual({ kind: "submit", text: "later", place: "queue" });
    expect((await run("/queue")).kind).toBe("error");
  });
});

describe("what they do", () => {
  test("/retry takes the exchange back and sends it again; /undo says what it dropped", async () => {
    const { desk, run } = createDesk();
    expect((await run("/retry")).kind).toBe("error");
    desk.entries = [
      { kind: "user", text: "first" },
      { kind: "assistant", text: "a" },
      { kind: "user", text: "second\nline" },
      { kind: "assistant", text: "b" },
    ];
    expect(await run("/retry")).toEqual({ kind: "submit", text: "second\nline", place: "now" });
    expect(textOf(await run("/undo now"))).toBe("Dropped: first");
    expect((await run("/undo now")).kind).toBe("error");
  });

  test("/title, /new and /branch know whose title it is", async () => {
    const { desk, run } = createDesk();
    desk.titles.set("Trip", "s5");
    expect(await run("/title Trip")).toMatchObject({ kind: "error", message: expect.stringContaining("s5") });
    expect(await run("/new Trip now")).toMatchObject({ kind: "error" });
    expect(textOf(await run("/title"))).toBe("This session has no title.");
    expect(textOf(await run("/fork Side"))).toBe('Branched s1 into "Side" (s2)');
  });

  test("/resume by number, id or title; what stands in the way is said", async () => {
    const { desk, run } = createDesk();
    expect(await run("/resume")).toMatchObject({
      kind: "table",
      rows: [
        ["1", "s9", "nine", "4", "2h"],
        ["2", "s8", "“plan the journey”", "4", "2h"],
        ["3", "s7", `“${"x".repeat(40)}…”`, "4", "2h"],
      ],
    });
    expect(await run("/resume 2")).toMatchObject({ kind: "session_switched", showHistory: true });
    await run('/resume "old"');
    expect(desk.resumed).toEqual(["s8", '"old"']);
    expect(await run("/resume 7")).toMatchObject({ kind: "error" });
    desk.resumeOutcome = { kind: "resumed", session: session("s3"), followedFrom: "s0" };
    expect(textOf(await run("/resume s0"))).toContain("s0 had been compressed into it");
    desk.resumeOutcome = { kind: "ambiguous", candidates: [session("a1"), session("a2")] };
    expect(await run("/resume a")).toMatchObject({
      kind: "table",
      rows: [
        ["a1", "", "4", "2h"],
        ["a2", "", "4", "2h"],
      ],
    });
    desk.resumeOutcome = { kind: "none", nearest: [session("b1", "bee")] };
    expect(await run("/resume be")).toMatchObject({ kind: "error", hint: 'Near: "bee" (b1)' });
    desk.resumeOutcome = { kind: "busy", holder: { pid: 77, surface: "cli" } };
    expect(await run("/resume s0")).toMatchObject({ kind: "error", message: expect.stringContaining("77") });
  });

  test("/model lists, switches by number or name, for now or for good", async () => {
    const { desk, run } = createDesk();
    expect(await run("/model")).toMatchObject({
      kind: "table",
      rows: [
        ["1", "acme", "brain", "current"],
        ["2", "other", "m2", ""],
      ],
    });
    await run("/model 2");
    await run("/model brain --provider acme --global");
    await run("/model custom:x");
    expect(desk.switched).toEqual(["other:m2", "brain at acme remembered", "custom:x"]);
    expect(await run("/model --provider")).toMatchObject({ kind: "error" });
    expect(await run("/model a b")).toMatchObject({ kind: "error" });
    desk.switchOutcome = { kind: "switched", provider: "acme", model: "m3", note: "acme is not known to have m3" };
    expect(await run("/model m3")).toMatchObject({
      text: "Model: acme:m3 for this session\n! acme is not known to have m3",
    });
    desk.switchOutcome = { kind: "unknown", nearest: ["brain"] };
    expect(await run("/model brian")).toMatchObject({ kind: "error", hint: "Near: brain" });
    desk.switchOutcome = { kind: "unavailable", reason: "no key", fix: "hermes auth" };
    expect(await run("/model m2")).toEqual({ kind: "error", message: "no key", hint: "hermes auth" });
  });

  test("/verbose goes round, /busy and /reasoning take a value, /yolo turns over", async () => {
    const { desk, run } = createDesk();
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      await run("/verbose");
      seen.push(desk.display.toolProgress);
    }
    expect(seen).toEqual(["verbose", "off", "new", "all"]);
    expect(await run("/busy STEER")).toMatchObject({ kind: "display", change: { busyInputMode: "steer" } });
    expect(textOf(await run("/busy"))).toContain("steer");
    expect(await run("/busy never")).toMatchObject({ kind: "error" });
    expect(await run("/reasoning show")).toMatchObject({ kind: "display", change: { showReasoning: true } });
    await run("/reasoning High");
    expect(textOf(await run("/reasoning"))).toBe("Reasoning: high, shown");
    expect(await run("/reasoning huge")).toMatchObject({ kind: "error" });
    await run("/yolo");
    expect(desk.yolo).toBe(true);
    await run("/yolo on");
    expect(desk.yolo).toBe(true);
    await run("/yolo off");
    expect(desk.yolo).toBe(false);
    expect(await run("/yolo maybe")).toMatchObject({ kind: "error" });
  });

  test("/copy takes the n-th last answer", async () => {
    const { desk, run } = createDesk();
    expect(await run("/copy")).toMatchObject({ kind: "error" });
    desk.entries = [
      { kind: "assistant", text: "one" },
      { kind: "tool", tool: "t", summary: "s", outcome: "ok" },
      { kind: "assistant", text: "" },
      { kind: "assistant", text: "two" },
    ];
    expect(await run("/copy")).toMatchObject({ kind: "copy", text: "two" });
    expect(await run("/copy 2")).toMatchObject({ kind: "copy", text: "one" });
    expect(await run("/copy 3")).toMatchObject({ kind: "error" });
    expect(await run("/copy x")).toMatchObject({ kind: "error" });
  });

  test("lists and facts", async () => {
    const { desk, run, infos } = createDesk();
    const help = await run("/help");
    expect(help.kind === "table" ? help.rows.length : 0).toBe(infos().length);
    expect(textOf(await run("/help fork"))).toContain("/branch [name]");
    expect(await run("/help nothing")).toMatchObject({ kind: "error" });
    expect(await run("/usage")).toMatchObject({
      rows: expect.arrayContaining([
        ["input", "12,345"],
        ["output", "not counted"],
        ["cost", "unknown price"],
      ]),
    });
    expect(await run("/context")).toMatchObject({
      rows: [
        ["tools", "250", "25.0%"],
        ["free", "750", "75.0%"],
      ],
    });
    expect(await run("/status")).toMatchObject({
      rows: expect.arrayContaining([
        ["model", "acme:brain"],
        ["started", "2m ago"],
      ]),
    });
    expect(await run("/tools")).toMatchObject({
      rows: [
        ["terminal", "terminal", "", "runs"],
        ["web", "web", "on demand", "looks"],
      ],
    });
    expect(await run("/config display")).toMatchObject({ kind: "table" });
    expect(await run("/config nope")).toMatchObject({ kind: "error" });
    expect(textOf(await run("/history"))).toBe("Nothing has been said yet.");
    expect(textOf(await run("/stop"))).toBe("2 background processes ended.");
    desk.processes = 0;
    expect(textOf(await run("/stop"))).toBe("No background process runs.");
    expect(await run("/redraw")).toEqual({ kind: "redraw" });
  });
});

describe("/rollback", () => {
  const row = (number: number): CheckpointRow => ({
    number,
    at: NOW - 120_000,
    kind: "turn",
    summary: "patch a.ts",
    folders: ["/w"],
    touched: ["/w/src/a.ts"],
  });

  test("lists, shows what changed, asks before it restores, and reads its arguments", async () => {
    const { desk, run } = createDesk();
    expect(await run("/rollback")).toMatchObject({ kind: "text" });
    desk.kept = [row(1)];
    expect(await run("/rollback")).toMatchObject({ rows: [["1", "2m", "a.ts", "patch a.ts", "/w"]] });
    expect(textOf(await run("/rollback diff 1 src/a b.ts"))).toBe("diff of 1 src/a b.ts");
    expect(await run("/rollback 1")).toMatchObject({ kind: "confirm" });
    expect(desk.rolledBack).toEqual([]);
    desk.rollbackOutcome = { kind: "restored", restored: ["/w/src/a.ts"], removed: [], left: [], blocked: [] };
    expect(textOf(await run("/rollback 1 now"))).toContain("/w/src/a.ts");
    await run("/rollback 2 src/a b.ts --delete-new now");
    expect(desk.rolledBack).toEqual([
      { number: 1, file: undefined, deleteNew: false },
      { number: 2, file: "src/a b.ts", deleteNew: true },
    ]);
    expect(await run("/rollback soon")).toMatchObject({ kind: "error" });
    desk.kept = undefined;
    expect(await run("/rollback")).toMatchObject({ kind: "error" });
  });
});
