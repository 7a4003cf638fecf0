import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ToolContext, ToolResult } from "../agent/tool.ts";
import { systemClock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import { createExecRig, eventually, TEST_SESSION } from "../testing/exec-rig.ts";
import type { ExecRig } from "../testing/exec-rig.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createToolContext } from "../testing/tool-context.ts";
import type { ToolContextFixture, ToolContextOptions } from "../testing/tool-context.ts";
import type { TerminalSize } from "./exec/backend.ts";
import { createProcessTool } from "./process.ts";

interface Setting extends AsyncDisposable {
  readonly rig: ExecRig;
  readonly fixture: ToolContextFixture;
  readonly call: (args: Record<string, unknown>, context?: Partial<ToolContext>) => Promise<ToolResult>;
  readonly start: (command: string, terminal?: TerminalSize) => Promise<string>;
}

const setUp = (directory: string, options: Partial<ToolContextOptions> = {}): Setting => {
  const rig = createExecRig({ directory });
  const limits = { maxBytes: 2_000, maxLines: 10, maxLineLength: 100 };
  const tool = createProcessTool({ processes: rig.processes, clock: systemClock, limits, timeoutSeconds: 180 });
  const fixture = createToolContext({ cwd: directory, approve: () => ({ kind: "allowed" }), ...options });
  return {
    rig,
    fixture,
    call: (args, context) => tool.run(tool.parameters.parse(args), { ...fixture.context, ...context }),
    start: async (command, terminal) => {
      const launch = await rig.shells.of(TEST_SESSION).launchPoint({}, new AbortController().signal);
      const started = await rig.processes.start({
        session: TEST_SESSION,
        command,
        launch,
        notifyOnComplete: false,
        watchPatterns: [],
        ...(terminal === undefined ? {} : { terminal }),
      });
      if (started.kind !== "started") throw new Error(started.because);
      return started.process.id;
    },
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
};

const ENDED = expect.stringMatching(/\[exit code 0 after \d+ s\]$/);

describe("reading", () => {
  test("list: one line each, newest first, those of other sessions marked", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    expect(await setting.call({ action: "list" })).toEqual({ outcome: "ok", text: "No background processes." });
    const first = await setting.start("exit 4");
    await setting.call({ action: "wait", session_id: first });
    const second = await setting.start("sleep 3600\n# more");
    const { text } = await setting.call({ action: "list" });
    expect(text.split("\n")).toEqual([
      expect.stringMatching(new RegExp(`^${second} running for \\d+ s, pid \\d+: sleep 3600$`)),
      expect.stringMatching(new RegExp(`^${first} exit code 4 after \\d+ s: exit 4$`)),
    ]);
    const other = await setting.call({ action: "list" }, { session: "other" as SessionId });
    expect(other.text).toContain("(other session): sleep 3600");
  });

  test("poll: only what is new", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const id = await setting.start("mkfifo go; echo one; read < go; echo two");
    let seen = "";
    await eventually("the first line is there", async () => {
      const { text } = await setting.call({ action: "poll", session_id: id });
      seen += text.startsWith("one\n[running for ") ? "one" : "";
      return seen !== "";
    });
    expect((await setting.call({ action: "poll", session_id: id })).text).toMatch(/^\(no new output\)\n\[running/);
    writeFileSync(`${temp.path}/go`, "\n");
    expect(await setting.call({ action: "wait", session_id: id })).toEqual({ outcome: "ok", text: ENDED });
    expect((await setting.call({ action: "log", session_id: id })).text).toMatch(
      /^one\ntwo\n\[last 2 lines; exit code 0/,
    );
  });

  test("log: from a line on, a number of lines, and cut to the limits", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const id = await setting.start("seq 1 100");
    await setting.call({ action: "wait", session_id: id });
    const log = (args: object): Promise<ToolResult> => setting.call({ action: "log", session_id: id, ...args });
    expect((await log({ offset: 5, limit: 2 })).text).toMatch(/^5\n6\n\[lines 5-6; exit code 0 after \d+ s\]$/);
    expect((await log({ limit: 2 })).text).toMatch(/^99\n100\n\[last 2 lines; /);
    expect((await log({ offset: 500 })).text).toMatch(/^\(no output from line 500 on\)\n/);
    expect((await log({})).text).toMatch(
      /^1\n2\n3\n4\n\[… 90 lines not shown; all: \S+\.log\]\n95\n96\n97\n98\n99\n100\n\[last 100 lines/,
    );
  });

  test("wait: ends with its time or an interrupt, not the process", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const id = await setting.start("echo x; sleep 3600");
    expect((await setting.call({ action: "wait", session_id: id, timeout: 1 })).text).toMatch(/^x\n\[running for /);
    const interrupted = await setting.call({ action: "wait", session_id: id }, { signal: AbortSignal.abort() });
    expect(interrupted.text).toMatch(/^\(no new output\)\n\[running/);
    expect((await setting.call({ action: "kill", session_id: id })).text).toMatch(
      /\[ended by SIG(TERM|KILL) after \d+ s\]$/,
    );
    expect((await setting.call({ action: "wait", session_id: id, timeout: 601 })).outcome).toBe("error");
  });
});

describe("writing", () => {
  test("write, submit and close reach the process", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const id = await setting.start("cat");
    expect(await setting.call({ action: "write", session_id: id, data: "a" })).toEqual({
      outcome: "ok",
      text: `Written to ${id}.`,
    });
    await setting.call({ action: "submit", session_id: id, data: "b" });
    await setting.call({ action: "submit", session_id: id });
    expect(await setting.call({ action: "close", session_id: id })).toEqual({
      outcome: "ok",
      text: `The input of ${id} is closed.`,
    });
    expect((await setting.call({ action: "wait", session_id: id })).text).toMatch(/^ab\n\n\[exit code 0/);
    expect(await setting.call({ action: "submit", session_id: id, data: "b" })).toEqual({
      outcome: "error",
      text: `${id} has ended.`,
    });
    expect(await setting.call({ action: "close", session_id: id })).toEqual({
      outcome: "error",
      text: `${id} has ended.`,
    });
  });

  test("on a terminal submit presses Enter", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const id = await setting.start("stty raw -echo; touch ready; head -c 6 | od -An -c", {
      columns: 80,
      rows: 24,
    });
    await eventually("it reads", () => existsSync(`${temp.path}/ready`));
    await setting.call({ action: "submit", session_id: id, data: "typed" });
    expect((await setting.call({ action: "wait", session_id: id })).text).toMatch(/t +y +p +e +d +\\r/);
  });

  test("R-SAFE-2: what is typed is put to the owner as the whole line that it makes; refused, it is not written", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path, {
      approve: ({ kind, ...rest }) =>
        kind === "command" && JSON.stringify(rest).includes("rm -rf")
          ? { kind: "refused", because: "no" }
          : { kind: "allowed" },
    });
    const id = await setting.start("cat");
    await setting.call({ action: "write", session_id: id, data: "ls\nrm " });
    expect(await setting.call({ action: "submit", session_id: id, data: "-rf x" })).toEqual({
      outcome: "denied",
      text: "no",
    });
    await setting.call({ action: "submit", session_id: id, data: "-i x" });
    await setting.call({ action: "submit", session_id: id });
    expect(setting.fixture.asked).toEqual([
      { kind: "command", command: "ls\nrm ", cwd: temp.path },
      { kind: "command", command: "rm -rf x\n", cwd: temp.path },
      { kind: "command", command: "rm -i x\n", cwd: temp.path },
    ]);
    await setting.call({ action: "close", session_id: id });
    expect((await setting.call({ action: "wait", session_id: id })).text).toMatch(/^ls\nrm -i x\n\n\[exit/);
  });
});

describe("mistakes", () => {
  test.each([
    [{ action: "poll" }, "poll needs session_id."],
    [{ action: "poll", session_id: "nope" }, 'There is no background process "nope". None was started.'],
    [{ action: "write", session_id: "x" }, "write needs data."],
    [{ action: "submit", session_id: "x", data: "\0" }, "data cannot hold a NUL character."],
  ])("%j", async (args, text) => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    expect(await setting.call(args)).toEqual({ outcome: "error", text });
  });

  test("names that fit several, or none, are answered with what there is", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const ids = [await setting.start("sleep 3600"), await setting.start("sleep 3600")] as const;
    expect((await setting.call({ action: "poll", session_id: "proc_" })).text).toBe(
      `"proc_" could be ${ids[0]} or ${ids[1]}.`,
    );
    expect((await setting.call({ action: "poll", session_id: "nope" })).text).toBe(
      `There is no background process "nope". There are: ${ids[1]}, ${ids[0]}.`,
    );
  });
});
