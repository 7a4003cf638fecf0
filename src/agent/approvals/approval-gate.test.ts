import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createApprovalGate } from "./approval-gate.ts";
import type { ApprovalAnswer, ApprovalGateDeps, ApprovalRequest, Asker } from "./approval-gate.ts";
import { formatShape } from "./command-shape.ts";
import { createShellParser } from "./shell/shell-parser.ts";

const parser = createShellParser();
await parser.load();

interface Open {
  readonly request: ApprovalRequest;
  readonly signal: AbortSignal;
  readonly answer: (answer: ApprovalAnswer) => void;
}

/** An asker whose questions the test answers itself; aborted ones reject with the signal's reason. */
const createAsker = (): Asker & { readonly questions: Open[] } => {
  const questions: Open[] = [];
  return {
    questions,
    ask: (request, { signal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<ApprovalAnswer>();
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      questions.push({ request, signal, answer: resolve });
      return promise;
    },
  };
};

const setUp = (change: Partial<ApprovalGateDeps> & { readonly policy?: ApprovalGateDeps["policy"] } = {}) => {
  const clock = createFakeClock();
  const asker = createAsker();
  const always: string[] = [];
  const written = new Map<string, string>();
  const gate = createApprovalGate({
    clock,
    asker,
    policy: () => ({ mode: "manual", yolo: false, alwaysAllowed: [], container: false }),
    timeoutMs: () => 60_000,
    context: () => ({
      parser,
      userHome: "/home/ann",
      agentHome: "/home/ann/.hermes",
      writtenScripts: (path) => written.get(path),
      sudoPasswordAvailable: false,
      caseInsensitive: false,
    }),
    cwd: () => "/home/ann/project",
    rememberAlways: async (shape) => {
      always.push(formatShape(shape));
    },
    noteWritten: (files) => {
      for (const [path, content] of files) written.set(path, content);
    },
    ...change,
  });
  const { signal } = new AbortController();
  const run = (command: string, from = signal) =>
    gate.check({ kind: "command", command, cwd: "/home/ann/project" }, { signal: from });
  return { clock, asker, always, gate, run, signal };
};

const PUSH = "git push --force";
const ALLOWED = { kind: "allowed" };

test("what is harmless runs without a question, what is blocked is refused without one", async () => {
  const { asker, run } = setUp();
  expect(await run("npm test")).toEqual(ALLOWED);
  expect(await run("rm -rf /")).toEqual({
    kind: "refused",
    because: expect.stringContaining("it removes / with everything in it"),
  });
  expect(asker.questions).toEqual([]);
});

test("a question says what, why, what always would cover, and how long", async () => {
  const { asker, clock, gate, signal } = setUp();
  const outcome = gate.check(
    { kind: "command", command: PUSH, cwd: "/home/ann/project", callId: "call_1" },
    { signal },
  );
  await clock.settle();
  expect(asker.questions.map(({ request }) => request)).toEqual([
    {
      kind: "command",
      subject: PUSH,
      reasons: ["git throws away commits on the remote"],
      alwaysCovers: PUSH,
      timeoutMs: 60_000,
      callId: "call_1",
    },
  ]);
  expect(gate.pending()).toHaveLength(1);
  asker.questions[0]?.answer("once");
  expect(await outcome).toEqual(ALLOWED);
  expect(gate.pending()).toEqual([]);
});

test("once is once, session lasts for the gate, always is handed on and lasts", async () => {
  const { asker, clock, run, always } = setUp();
  const answerNext = async (command: string, answer: ApprovalAnswer) => {
    const outcome = run(command);
    await clock.settle();
    asker.questions.at(-1)?.answer(answer);
    return outcome;
  };
  expect(await answerNext(PUSH, "once")).toEqual(ALLOWED);
  expect(await answerNext(PUSH, "session")).toEqual(ALLOWED);
  expect(await run(`${PUSH} origin main`)).toEqual(ALLOWED);
  expect(await answerNext("rm -rf build", "always")).toEqual(ALLOWED);
  expect(await run("rm -r -f dist")).toEqual(ALLOWED);
  expect(asker.questions).toHaveLength(3);
  expect(always).toEqual(["rm -f -r"]);
  expect(await answerNext("rm -r dist", "deny")).toMatchObject({
    kind: "refused",
    because: expect.stringContaining("The owner said no"),
  });
});

test("what cannot be remembered is asked again, even after always", async () => {
  const { asker, clock, run, always } = setUp();
  for (const _ of [1, 2]) {
    const outcome = run("echo a >> ~/.bashrc");
    await clock.settle();
    asker.questions.at(-1)?.answer("always");
    expect(await outcome).toEqual(ALLOWED);
  }
  expect(asker.questions).toHaveLength(2);
  expect(asker.questions[0]?.request.alwaysCovers).toBeUndefined();
  expect(always).toEqual([]);
});

test("no answer in time is a no, and the asker learns that the time is over", async () => {
  const { asker, clock, run } = setUp();
  const outcome = run(PUSH);
  await clock.settle();
  await clock.advance(59_999);
  expect(asker.questions[0]?.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(await outcome).toMatchObject({ kind: "refused", because: expect.stringContaining("did not answer in time") });
  expect(asker.questions[0]?.signal.reason).toMatchObject({ name: "DeadlineError" });
  expect(clock.pending).toBe(0);
});

test("an interruption ends a question and the ones that wait behind it, each with its own reason", async () => {
  const { asker, clock, gate, run } = setUp();
  const first = new AbortController();
  const second = new AbortController();
  const outcomes = [run(PUSH, first.signal), run("rm -r a", second.signal)];
  await clock.settle();
  second.abort(new Error("second stopped"));
  await expect(outcomes[1]).rejects.toThrow("second stopped");
  expect(gate.pending()).toHaveLength(1);
  first.abort(new Error("first stopped"));
  await expect(outcomes[0]).rejects.toThrow("first stopped");
  await clock.settle();
  expect(asker.questions).toHaveLength(1);
  expect(clock.pending).toBe(0);
  await expect(run("ls", first.signal)).rejects.toThrow("first stopped");
});

test("questions are put one after another, in their order, each with its own time", async () => {
  const { asker, clock, gate, run } = setUp();
  const outcomes = [run("rm -r a"), run(PUSH), run("git reset --hard")];
  await clock.settle();
  expect(asker.questions.map(({ request }) => request.subject)).toEqual(["rm -r a"]);
  expect(gate.pending().map(({ subject }) => subject)).toEqual(["rm -r a", PUSH, "git reset --hard"]);
  await clock.advance(50_000);
  asker.questions[0]?.answer("once");
  await clock.settle();
  await clock.advance(50_000);
  asker.questions[1]?.answer("deny");
  await clock.settle();
  asker.questions[2]?.answer("once");
  expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(["allowed", "refused", "allowed"]);
});

test("an answer that covers a waiting question settles it unasked", async () => {
  const { asker, clock, run } = setUp();
  const outcomes = [run(PUSH), run(`${PUSH} origin`)];
  await clock.settle();
  asker.questions[0]?.answer("session");
  expect(await Promise.all(outcomes)).toEqual([ALLOWED, ALLOWED]);
  expect(asker.questions).toHaveLength(1);
});

test.each<[ApprovalAnswer, string]>([
  ["once", "allowed"],
  ["deny", "refused"],
])("answering all with %s settles the asked and the waiting: %s", async (answer, kind) => {
  const { asker, clock, gate, run } = setUp();
  const outcomes = [run(PUSH), run("rm -r a"), run("git reset --hard")];
  await clock.settle();
  expect(gate.answerAll(answer)).toBe(3);
  expect((await Promise.all(outcomes)).map((outcome) => outcome.kind)).toEqual([kind, kind, kind]);
  expect(asker.questions).toHaveLength(1);
  expect(asker.questions[0]?.signal.aborted).toBe(true);
  expect(gate.answerAll(answer)).toBe(0);
});

test("R-SAFE-2: with nobody to ask, what is dangerous is refused with what to do instead", async () => {
  const clock = createFakeClock();
  const gate = createApprovalGate({
    clock,
    policy: () => ({ mode: "manual", yolo: false, alwaysAllowed: [], container: false }),
    timeoutMs: () => 60_000,
    context: () => ({
      parser,
      userHome: "/home/ann",
      agentHome: "/h",
      writtenScripts: () => undefined,
      sudoPasswordAvailable: false,
      caseInsensitive: false,
    }),
    cwd: () => "/home/ann/project",
    rememberAlways: async () => {},
  });
  const { signal } = new AbortController();
  const outcome = await gate.check({ kind: "command", command: PUSH, cwd: "/" }, { signal });
  expect(outcome).toMatchObject({
    kind: "refused",
    because: expect.stringMatching(/nobody can be asked.*git throws away.*--yolo/s),
  });
});

test.each<["approve" | "deny" | "escalate", string, number]>([
  ["approve", "allowed", 0],
  ["deny", "refused", 0],
  ["escalate", "refused", 1],
])("smart mode: a judge that says %s leads to %s after %i questions", async (opinion, kind, questions) => {
  const judged: string[] = [];
  const { asker, clock, run } = setUp({
    policy: () => ({ mode: "smart", yolo: false, alwaysAllowed: [], container: false }),
    judge: async (request) => {
      judged.push(request.subject);
      return opinion;
    },
  });
  const outcome = run(PUSH);
  await clock.settle();
  asker.questions[0]?.answer("deny");
  expect((await outcome).kind).toBe(kind);
  expect(asker.questions).toHaveLength(questions);
  expect(judged).toEqual([PUSH]);
  if (opinion === "approve") {
    await run(PUSH);
    expect(judged, "an approval holds for the session").toEqual([PUSH]);
  }
});

test("smart mode without a judge asks", async () => {
  const { asker, clock, run } = setUp({
    policy: () => ({ mode: "smart", yolo: false, alwaysAllowed: [], container: false }),
  });
  const outcome = run(PUSH);
  await clock.settle();
  asker.questions[0]?.answer("once");
  expect(await outcome).toEqual(ALLOWED);
});

test("an asker that fails does not let the action run, and the next question is still put", async () => {
  const failing: Asker = { ask: async () => Promise.reject(new Error("window closed")) };
  const { run } = setUp({ asker: failing });
  await expect(run(PUSH)).rejects.toThrow("window closed");
  await expect(run(PUSH)).rejects.toThrow("window closed");
});

test("a write to a protected path is asked about, also where commands run in a container", async () => {
  const { asker, clock, gate, signal } = setUp({
    policy: () => ({ mode: "manual", yolo: false, alwaysAllowed: [], container: true }),
  });
  expect(await gate.check({ kind: "write", path: "src/a.ts" }, { signal })).toEqual(ALLOWED);
  const outcome = gate.check({ kind: "write", path: "/home/ann/.ssh/config" }, { signal });
  await clock.settle();
  expect(asker.questions[0]?.request).toMatchObject({
    kind: "write",
    subject: "/home/ann/.ssh/config",
    reasons: [expect.stringContaining("keys or passwords")],
  });
  asker.questions[0]?.answer("deny");
  expect(await outcome).toMatchObject({ kind: "refused" });
});

test("a script that an allowed command wrote counts as its content later", async () => {
  const { run } = setUp();
  expect(await run("cat > job.sh <<'E'\nrm -rf /\nE")).toEqual(ALLOWED);
  expect(await run("bash job.sh")).toMatchObject({ kind: "refused" });
});
