import { expect, test } from "vitest";
import type { CommandVerdict, Reason } from "./analyse-command.ts";
import type { CommandShape } from "./command-shape.ts";
import { decideApproval } from "./decide.ts";
import type { ApprovalPolicy, Decision } from "./decide.ts";

const shape: CommandShape = { via: [], program: "git", subcommand: "push", flags: ["--force"] };
const other: CommandShape = { ...shape, flags: ["-f"] };
const covered: Reason = { rule: "git-loss", params: {}, shape };
const uncovered: Reason = { rule: "protected-write", params: { path: "/etc/x" } };
const written = new Map<string, string>();

const VERDICTS = {
  safe: { kind: "safe", shapes: [], written, copied: [], touched: [] },
  ask: { kind: "ask", reasons: [covered], shapes: [shape], written, copied: [], touched: [] },
  mixed: { kind: "ask", reasons: [covered, uncovered], shapes: [shape], written, copied: [], touched: [] },
  block: { kind: "block", reason: { rule: "remove-system", params: {} }, written, copied: [], touched: [] },
} satisfies Record<string, CommandVerdict>;

const manual: ApprovalPolicy = {
  mode: "manual",
  yolo: false,
  asker: true,
  sessionAllowed: [],
  alwaysAllowed: [],
  container: false,
};

const short = (decision: Decision): string => {
  switch (decision.kind) {
    case "run":
      return `run ${decision.because}`;
    case "refuse":
      return `refuse ${decision.why}`;
    case "ask":
    case "judge":
      return decision.kind;
  }
};

const ROWS: readonly (readonly [keyof typeof VERDICTS, Partial<ApprovalPolicy>, string])[] = [
  ["safe", {}, "run harmless"],
  ["safe", { asker: false }, "run harmless"],
  ["safe", { asker: false, cron: "deny" }, "run harmless"],
  ["ask", {}, "ask"],
  ["ask", { mode: "smart" }, "judge"],
  ["ask", { mode: "off" }, "run yolo"],
  ["ask", { yolo: true }, "run yolo"],
  ["ask", { yolo: true, asker: false }, "run yolo"],
  ["ask", { asker: false }, "refuse nobody-to-ask"],
  ["ask", { asker: false, mode: "smart" }, "refuse nobody-to-ask"],
  ["ask", { asker: false, cron: "deny" }, "refuse cron"],
  ["ask", { asker: false, cron: "approve" }, "run cron"],
  ["ask", { asker: true, cron: "deny" }, "refuse cron"],
  ["ask", { asker: false, cron: "deny", yolo: true }, "run yolo"],
  ["ask", { sessionAllowed: [shape] }, "run allowed-before"],
  ["ask", { alwaysAllowed: [shape] }, "run allowed-before"],
  ["ask", { alwaysAllowed: [shape], asker: false }, "run allowed-before"],
  ["ask", { alwaysAllowed: [shape], asker: false, cron: "deny" }, "run allowed-before"],
  ["ask", { alwaysAllowed: [other] }, "ask"],
  ["mixed", { alwaysAllowed: [shape] }, "ask"],
  ["mixed", { alwaysAllowed: [shape], asker: false }, "refuse nobody-to-ask"],
  ["block", {}, "refuse blocked"],
  ["block", { yolo: true }, "refuse blocked"],
  ["block", { mode: "off" }, "refuse blocked"],
  ["block", { cron: "approve" }, "refuse blocked"],
  ["block", { alwaysAllowed: [shape], sessionAllowed: [shape] }, "refuse blocked"],
  ["block", { container: true }, "run container"],
  ["ask", { container: true, asker: false }, "run container"],
];

test.each(ROWS)("R-SAFE-2: %s under %j: %s", (verdict, change, expected) => {
  expect(short(decideApproval(VERDICTS[verdict], { ...manual, ...change }))).toBe(expected);
});

test("what can be remembered is every reason's shape, or nothing", () => {
  expect(decideApproval(VERDICTS.ask, manual)).toEqual({
    kind: "ask",
    question: { reasons: [covered], remember: [shape] },
  });
  expect(decideApproval(VERDICTS.mixed, manual)).toEqual({
    kind: "ask",
    question: { reasons: [covered, uncovered], remember: [] },
  });
});
