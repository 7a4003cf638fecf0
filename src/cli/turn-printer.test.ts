import { expect, test } from "vitest";
import type { AgentEvent, AgentEventBody } from "../agent/event.ts";
import type { Output } from "./output.ts";
import { printTurn, type PrintMode } from "./turn-printer.ts";

const FINISHED: AgentEventBody = {
  type: "turn_finished",
  status: "completed",
  text: "4",
  modelCalls: 1,
  toolCalls: 0,
  usage: {},
  costUsd: null,
};

/** What a turn of some events leaves on both streams. */
const shown = async (mode: PrintMode, ...bodies: readonly AgentEventBody[]) => {
  const written = { stdout: "", stderr: "" };
  const output: Pick<Output, "stdout" | "stderr" | "isTerminal"> = {
    stdout: (text) => void (written.stdout += text),
    stderr: (text) => void (written.stderr += text),
    isTerminal: { stdin: false, stdout: false, stderr: false },
  };
  const events = [...bodies, FINISHED].map((body, seq) => ({ ...body, seq }) as unknown as AgentEvent);
  const stream = (async function* () {
    yield* events;
  })();
  const code = await printTurn(stream, output as Output, { mode, verbose: false });
  return { code, ...written };
};

const unpriced = { type: "notice", code: "spend.unknown_price", message: "the price of m\nis unknown" } as const;
const other = { type: "notice", code: "something.else", message: "by the way" } as const;

test.each(["answer", "quiet"] as const)(
  "R-MONEY-1: a notice about money, told once, is one line in mode %s",
  async (mode) => {
    const { stdout, stderr, code } = await shown(mode, unpriced, other);
    expect({ code, answer: stdout.trim(), stderr }).toEqual({
      code: 0,
      answer: "4",
      stderr: "! the price of m is unknown\n",
    });
  },
);

test("progress shows every notice, once", async () => {
  expect((await shown("progress", unpriced, other)).stderr).toBe("! the price of m is unknown\n! by the way\n");
});

test("--json has notices as events and writes nothing beside them", async () => {
  const { stdout, stderr } = await shown("json", unpriced);
  const [first] = stdout.trim().split("\n");
  expect(JSON.parse(first ?? "")).toMatchObject(unpriced);
  expect(stderr).toBe("");
});

test("progress names each sub-agent with its session when it begins and when it ends", async () => {
  const at = { callId: "c", index: 0, child: "20261201_120000_abcdef" } as const;
  const { stderr } = await shown(
    "progress",
    { type: "subagent_started", ...at, parent: "p", goal: "count\nthe cats" },
    { type: "subagent_progress", ...at, text: "hm" },
    {
      type: "subagent_finished",
      ...at,
      status: "timeout",
      durationMs: 600_000,
      modelCalls: 1,
      toolCalls: 0,
      usage: {},
      costUsd: null,
    },
  );
  expect(stderr).toBe(
    "  ▸ sub-agent 20261201_120000_abcdef: count\n  ▸ sub-agent 20261201_120000_abcdef: timeout after 600 s\n",
  );
});
