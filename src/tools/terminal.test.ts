import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { rewriteSudo } from "../agent/approvals/sudo-words.ts";
import type { ToolContext, ToolResult } from "../agent/tool.ts";
import { systemClock } from "../base/clock.ts";
import { createExecRig, eventually, pidsWithArgument, uniqueSleep } from "../testing/exec-rig.ts";
import type { ExecRig, ExecRigOptions } from "../testing/exec-rig.ts";
import { createRedactor } from "../base/redact/redact-text.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createToolContext } from "../testing/tool-context.ts";
import type { ToolContextFixture, ToolContextOptions } from "../testing/tool-context.ts";
import { createTerminalTool } from "./terminal.ts";
import type { TerminalToolDeps } from "./terminal.ts";

interface Setting extends AsyncDisposable {
  readonly rig: ExecRig;
  readonly fixture: ToolContextFixture;
  readonly call: (args: Record<string, unknown>, context?: Partial<ToolContext>) => Promise<ToolResult>;
}

const setUp = (
  directory: string,
  options: {
    readonly rig?: Partial<ExecRigOptions>;
    readonly deps?: Partial<TerminalToolDeps>;
    readonly context?: Partial<ToolContextOptions>;
  } = {},
): Setting => {
  const rig = createExecRig({ directory, ...options.rig });
  const tool = createTerminalTool({
    backend: rig.backend,
    shells: rig.shells,
    processes: rig.processes,
    clock: systemClock,
    limits: { maxBytes: 50_000, maxLines: 2_000, maxLineLength: 2_000 },
    timeoutSeconds: 180,
    outputDirectory: rig.outputDirectory,
    redactor: createRedactor({ enabled: false }),
    home: directory,
    ...options.deps,
  });
  const fixture = createToolContext({ cwd: directory, approve: () => ({ kind: "allowed" }), ...options.context });
  return {
    rig,
    fixture,
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
    call: (args, context) => tool.run(tool.parameters.parse(args), { ...fixture.context, ...context }),
  };
};

describe("what the model reads", () => {
  test.each([
    ["output alone where there is nothing else to say", "printf 'a\\nb\\n\\n'", "ok", "a\nb\n"],
    ["that there was none", "true", "ok", "(no output)"],
    ["an exit code", "echo out; exit 3", "error", "out\n[exit code 3]"],
    ["an exit code without output", "false", "error", "[exit code 1]"],
    ["a signal", "kill -9 $$", "error", "[ended by SIGKILL]"],
    ["a change of the directory", "cd /", "ok", "[now in /]"],
    ["no escape sequences, only the end of a progress bar", "printf '\\033[32m10%%\\r100%%\\033[0m\\n'", "ok", "100%"],
    [
      "a syntax error",
      "echo 'open",
      "error",
      "bash: eval: line 1: unexpected EOF while looking for matching `''\n[exit code 2]",
    ],
    [
      "binary output by its size",
      "head -c 64 /dev/zero",
      "ok",
      expect.stringMatching(/^\[binary output of 64 bytes; full output: .*\/call_1-[0-9a-f]{8}\.txt\]$/),
    ],
  ])("%s", async (...[, command, outcome, text]) => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const { call } = setting;
    expect(await call({ command })).toMatchObject({ outcome, text });
  });

  test("a timeout: what came so far, what happened, what to do", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const { call } = setting;
    expect(await call({ command: "echo so far; sleep 3600", timeout: 1 })).toEqual({
      outcome: "error",
      text: "so far\n[timed out after 1 s; its processes were ended. Give a longer timeout, or use background: true]",
    });
  });

  test("an interrupt", async () => {
    await using temp = createTempDirectory();
    const stop = new AbortController();
    await using setting = setUp(temp.path, { context: { signal: stop.signal } });
    const { call } = setting;
    const run = call({ command: "echo so far; touch begun; sleep 3600" });
    await eventually("it has begun", () => existsSync(`${temp.path}/begun`));
    stop.abort();
    expect(await run).toEqual({ outcome: "error", text: "so far\n[interrupted; its processes were ended]" });
  });

  test("long output in part, with the file that has all of it", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path, { deps: { limits: { maxBytes: 500, maxLines: 10, maxLineLength: 80 } } });
    const { call } = setting;
    const { text, fullTextPath } = await call({ command: "seq 1 1000; exit 1" });
    expect(text.split("\n")).toEqual([
      "1",
      "2",
      "3",
      "4",
      expect.stringContaining("990 lines"),
      "995",
      "996",
      "997",
      "998",
      "999",
      "1000",
      "[exit code 1]",
    ]);
    expect(readFileSync(fullTextPath ?? "", "utf8").split("\n")).toHaveLength(1_000);
    expect(text).toContain(fullTextPath);
  });

  test.skipIf(process.platform !== "linux")("a process left behind, and where its output goes", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const { call } = setting;
    const sleep = uniqueSleep();
    onTestFinished(() => {
      for (const pid of pidsWithArgument(sleep.seconds)) process.kill(pid, "SIGKILL");
    });
    const { text } = await call({ command: `${sleep.command} & echo up` });
    expect(text).toMatch(
      /^up\n\[still running: a process of this command; it writes on into \S+ \(at most 16 MiB\)\]$/,
    );
  });

  test("output is shown while the command runs", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const { call } = setting;
    const shown: string[] = [];
    const run = call({ command: "mkfifo go; echo early; read < go; echo late" }, { emit: (text) => shown.push(text) });
    await eventually("the first line is shown", () => shown.join("") === "early\n");
    writeFileSync(`${temp.path}/go`, "\n");
    await run;
    expect(shown.join("")).toBe("early\nlate\n");
  });
});

describe("a flood", () => {
  test.each([
    ["of lines", "yes 0123456789 | head -c 200000000"],
    ["without a line break", "head -c 200000000 /dev/zero | tr '\\0' x"],
  ])("200 MB %s stay out of memory", async (_name, command) => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const { call } = setting;
    await call({ command: "true" });
    const before = process.memoryUsage().rss;
    let peak = before;
    const run = call({ command: `${command}; echo; echo the end` }, { emit: () => undefined });
    const watch = (async () => {
      for (let over = false; !over;) {
        over = await Promise.race([run.then(() => true), systemClock.sleep(20).then(() => false)]);
        peak = Math.max(peak, process.memoryUsage().rss);
      }
    })();
    const { text, fullTextPath } = await run;
    await watch;
    expect(text).toMatch(/bytes not shown; its first 50 MiB: /);
    expect(text.endsWith("\nthe end")).toBe(true);
    expect(text.length).toBeLessThan(52_000);
    expect(statSync(fullTextPath ?? "").size).toBe(50 * 1024 * 1024);
    // Everything would be 200 MB and more; buffers that wait for the collector are allowed for.
    expect(peak - before).toBeLessThan(100 * 1024 * 1024);
  });
});

describe("before it runs", () => {
  test("R-SAFE-2: the owner is asked with the command as it is and the directory; refused, nothing runs", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path, {
      context: { approve: () => ({ kind: "refused", because: "not today" }) },
    });
    const { rig, call, fixture } = setting;
    mkdirSync(`${temp.path}/sub`);
    expect(await call({ command: "touch made" })).toEqual({ outcome: "denied", text: "not today" });
    expect(await call({ command: "touch made", background: true, workdir: "sub" })).toEqual({
      outcome: "denied",
      text: "not today",
    });
    expect(fixture.asked).toEqual([
      { kind: "command", command: "touch made", cwd: temp.path },
      { kind: "command", command: "touch made", cwd: `${temp.path}/sub` },
    ]);
    expect(existsSync(`${temp.path}/made`)).toBe(false);
    expect(await rig.processes.list()).toEqual([]);
  });

  test.each([
    [{ command: " \n" }, "The command is empty."],
    [{ command: "a\0b" }, "A command cannot hold a NUL character."],
    [{ command: "true", timeout: 601 }, "timeout may be at most 600 s. For more, use background: true."],
    [{ command: "true", timeout: 5, background: true }, expect.stringContaining("timeout is for the foreground")],
    [{ command: "true", notify_on_complete: true }, "notify_on_complete and watch_patterns need background: true."],
    [{ command: "true", watch_patterns: ["x"] }, "notify_on_complete and watch_patterns need background: true."],
    [{ command: "true", workdir: "nowhere" }, expect.stringMatching(/^workdir .*\/nowhere is no directory\.$/)],
    [{ command: "echo «secret:openai:12ab» > f" }, expect.stringContaining("only stands for a secret")],
  ])("%j is no call", async (args, text) => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const { call, fixture } = setting;
    expect(await call(args)).toEqual({ outcome: "error", text });
    expect(fixture.asked).toEqual([]);
  });

  test("a longer terminal.timeout raises the limit", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path, { deps: { timeoutSeconds: 900 } });
    const { call } = setting;
    expect(await call({ command: "echo x", timeout: 900 })).toEqual({ outcome: "ok", text: "x" });
    expect((await call({ command: "echo x", timeout: 901 })).outcome).toBe("error");
  });

  test("R-SAFE-5: commands see no keys", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path, {
      rig: { environment: { OPENAI_API_KEY: "abcdef0123456789", HARMLESS: "1" } },
    });
    const { call } = setting;
    expect((await call({ command: "env | grep -c OPENAI; echo $HARMLESS [$OPENAI_API_KEY]" })).text).toBe("0\n1 []");
  });

  test("without bash the fix is told", async () => {
    await using temp = createTempDirectory();
    const backend = {
      check: () => ({ kind: "unavailable", reason: "bash was not found", fix: "install it" }) as const,
    };
    await using setting = setUp(temp.path, { deps: { backend } });
    const { call } = setting;
    expect(await call({ command: "true" })).toEqual({
      outcome: "error",
      text: "No commands can be run: bash was not found. To fix it, install it.",
    });
  });
});

describe("sudo (B47)", () => {
  const password = "open sesame 4711";
  /** As the real one with -S: takes one line of standard input as the password. */
  const SUDO = `#!/bin/bash\n[ "$1" = -S ] || exit 9\nIFS= read -r line; printf '%s\\n' "$line" >> "$HOME/passwords"; shift 3; exec "$@"\n`;
  const deps: Partial<TerminalToolDeps> = {
    rewriteSudo,
    sudoPassword: () => password,
  };
  const install = (directory: string): void => {
    mkdirSync(`${directory}/bin`);
    writeFileSync(`${directory}/bin/sudo`, SUDO, { mode: 0o755 });
  };

  test("each rewritten word gets one line; the command is shown and asked for as it was", async () => {
    await using temp = createTempDirectory();
    install(temp.path);
    await using setting = setUp(temp.path, { deps });
    const { call, fixture } = setting;
    await call({ command: "PATH=$HOME/bin:$PATH" });
    expect(await call({ command: "sudo echo one && sudo echo two; cat; echo rest" })).toEqual({
      outcome: "ok",
      text: "one\ntwo\nrest",
    });
    expect(readFileSync(`${temp.path}/passwords`, "utf8")).toBe(`${password}\n${password}\n`);
    expect(fixture.asked.at(-1)).toMatchObject({ command: "sudo echo one && sudo echo two; cat; echo rest" });
  });

  test.each([
    ["grep sudo notes.md", 0],
    ['echo "run sudo"', 0],
    ["# sudo x", 0],
    ["sudo true", 1],
    ["A=1 sudo true && sudo false", 2],
    ["cat <<E\nsudo x\nE", 0],
    ["'sudo' true", 1],
  ])("`%s` reads %i lines", async (command, lines) => {
    await using temp = createTempDirectory();
    install(temp.path);
    await using setting = setUp(temp.path, { deps });
    await setting.call({ command: "PATH=$HOME/bin:$PATH; echo sudo > notes.md" });
    await setting.call({ command });
    const read = existsSync(`${temp.path}/passwords`) ? readFileSync(`${temp.path}/passwords`, "utf8") : "";
    expect(read).toBe(`${password}\n`.repeat(lines));
  });

  test("a password that a command prints is masked, also in the background, in argv and environment it is not", async () => {
    await using temp = createTempDirectory();
    install(temp.path);
    await using setting = setUp(temp.path, { deps });
    const { rig, call } = setting;
    await call({ command: "PATH=$HOME/bin:$PATH" });
    const shown: string[] = [];
    const { text } = await call(
      { command: "false && sudo true; cat; tr '\\0' ' ' < /proc/$$/cmdline | grep -c sesame; env | grep -c sesame" },
      { emit: (piece) => shown.push(piece) },
    );
    expect(text).toBe("***\n0\n0\n[exit code 1]");
    expect(shown.join("")).not.toContain("sesame");
    await call({
      command: "false && sudo true; head -1",
      background: true,
      notify_on_complete: true,
      watch_patterns: ["."],
    });
    const events: unknown[] = [];
    for await (const event of rig.processes.events) {
      events.push(event);
      if (event.type === "exited") break;
    }
    expect(events).toMatchObject([{ line: "***" }, { tail: "***" }]);
    const [process] = await rig.processes.list();
    expect((await rig.processes.readNew(process!.id)).text).toBe("***\n");
  });

  test("without a password, or without the word, nothing is rewritten and standard input stays empty", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path, { deps: { ...deps, sudoPassword: () => undefined } });
    const { call } = setting;
    expect((await call({ command: "echo run sudo; cat" })).text).toBe("run sudo");
    await using other = setUp(temp.path, { deps });
    expect((await other.call({ command: "echo plain; cat" })).text).toBe("plain");
  });
});

describe("in the background", () => {
  test("it starts in the shell's state and is followed", async () => {
    await using temp = createTempDirectory();
    await using setting = setUp(temp.path);
    const { rig, call } = setting;
    await call({ command: "A=1; cd /" });
    const { outcome, text } = await call({ command: "echo $A $PWD", background: true });
    expect(outcome).toBe("ok");
    const [, id, path] = /^Started (proc_\w+) \(pid \d+\)\. Output: (\S+)$/.exec(text) ?? [];
    const [process] = await rig.processes.list();
    expect(process).toMatchObject({ id, outputPath: path, cwd: "/" });
    await rig.processes.wait(process!.id, 60_000, new AbortController().signal);
    expect(readFileSync(path ?? "", "utf8")).toBe("1 /\n");
  });
});

test("a summary is one line", async () => {
  await using temp = createTempDirectory();
  await using rig = createExecRig({ directory: temp.path });
  const tool = createTerminalTool({
    backend: rig.backend,
    shells: rig.shells,
    processes: rig.processes,
    clock: systemClock,
    limits: { maxBytes: 1, maxLines: 1, maxLineLength: 1 },
    timeoutSeconds: 1,
    outputDirectory: "",
    redactor: createRedactor({ enabled: false }),
    home: "",
  });
  expect(tool.summarise(tool.parameters.parse({ command: "make\ntest", background: true }))).toBe("start make …");
  expect(tool.summarise(tool.parameters.parse({ command: "make" }))).toBe("run make");
});
