import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { InnerResult, ToolContext } from "../../agent/tool.ts";
import { systemClock } from "../../base/clock.ts";
import { readProcessTable } from "../../base/process-table.ts";
import { createRedactor } from "../../base/redact/redact-text.ts";
import { readEnvironment } from "../../config/environment.ts";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { createToolContext } from "../../testing/tool-context.ts";
import { createExecuteCodeTool, type ExecuteCodeArgs } from "./execute-code.ts";
import { executeCode, type ExecuteCodeDeps } from "./run-execute-code.ts";

const findPython = (): string | undefined => {
  try {
    return execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
};
const python = findPython();
if (python === undefined) process.stderr.write("execute_code in Python is skipped: there is no python3 on the PATH\n");

interface RigOptions extends Partial<ExecuteCodeDeps> {
  readonly answer?: (name: string, args: unknown, signal: AbortSignal) => Promise<InnerResult>;
  readonly allow?: boolean;
  readonly signal?: AbortSignal;
}

const createRig = (options: RigOptions = {}) => {
  const temp = createTempDirectory();
  const calls: { name: string; args: unknown }[] = [];
  const deps: ExecuteCodeDeps = {
    clock: systemClock,
    redactor: createRedactor({ enabled: true }),
    outputDirectory: join(temp.path, "outputs"),
    runtime: (language) => {
      if (language === "javascript") return { language, program: process.execPath };
      return python === undefined ? undefined : { language, program: python };
    },
    environment: () => ({ PATH: readEnvironment()["PATH"] ?? "", HOME: temp.path }),
    mode: "project",
    timeoutSeconds: 60,
    maxToolCalls: 50,
    ...options,
  };
  const work = join(temp.path, "work");
  mkdirSync(work);
  const fixture = createToolContext({
    cwd: work,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    approve: () => (options.allow === true ? { kind: "allowed" } : { kind: "refused", because: "the owner said no" }),
  });
  const context: ToolContext = {
    ...fixture.context,
    callTool: async (name, args, signal) => {
      calls.push({ name, args });
      return (await options.answer?.(name, args, signal)) ?? { outcome: "ok", text: `${name} says ok` };
    },
  };
  const tool = createExecuteCodeTool((args, given) => executeCode(deps, args, given));
  return {
    directory: temp.path,
    work,
    calls,
    asked: fixture.asked,
    run: (code: string, language: ExecuteCodeArgs["language"] = "javascript") => tool.run({ code, language }, context),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};

const scriptFolders = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("hermes-script-"));

describe("JavaScript", () => {
  test("a script calls tools, computes and prints; nobody is asked", async () => {
    await using rig = createRig({
      answer: async (name, args) => ({ outcome: "ok", text: `${name} ${JSON.stringify(args)}` }),
    });
    const result = await rig.run(`
      import { join } from "node:path";
      const names: string[] = ["a", "b"];
      const texts = await Promise.all(names.map((name) => tools.read_file({ path: join("x", name) })));
      console.log(texts.join("\\n"));
    `);
    expect(result).toEqual({ outcome: "ok", text: 'read_file {"path":"x/a"}\nread_file {"path":"x/b"}' });
    expect(rig.calls.map(({ name }) => name)).toEqual(["read_file", "read_file"]);
    expect(rig.asked).toEqual([]);
  });

  test("a failed call is an error that the script can catch; an uncaught one ends it", async () => {
    await using rig = createRig({ answer: async () => ({ outcome: "denied", text: "The owner said no" }) });
    const caught = await rig.run(
      `try { await tools.terminal({ command: "x" }) } catch (e) { console.log("caught", e.message) }`,
    );
    expect(caught).toEqual({ outcome: "ok", text: "caught The owner said no" });
    const thrown = await rig.run(`await tools.terminal({ command: "x" })`);
    expect(thrown.outcome).toBe("error");
    expect(thrown.text).toContain("The owner said no");
    expect(thrown.text).toContain("exit code 1; 1 tool calls");
  });

  test("only tools of scripts, and only so many calls", async () => {
    await using rig = createRig({ maxToolCalls: 3 });
    const result = await rig.run(`
      for (let i = 0; i < 5; i++) {
        try { console.log(await tools.read_file({ path: "a" })) } catch (e) { console.log(e.message) }
      }
      console.log(typeof tools.execute_code, typeof tools.memory, Object.isFrozen(tools));
    `);
    expect(result.text.split("\n")).toEqual([
      "read_file says ok",
      "read_file says ok",
      "read_file says ok",
      "A script may call tools 3 times.",
      "A script may call tools 3 times.",
      "undefined undefined true",
    ]);
    expect(rig.calls).toHaveLength(3);
  });

  test.each([
    ["starts a program", `import { execSync } from "node:child_process"; execSync("touch owned")`],
    ["writes a file", `import { writeFileSync } from "node:fs"; writeFileSync("owned", "")`],
    ["requires by a name made up", `require("chi" + "ld_process").execSync("touch owned")`],
    ["builds code", `new Function("return process")()`],
    ["reaches the network", `await fetch("http://127.0.0.1:9")`],
  ])("what %s is asked about first, as the command that it amounts to", async (_, code) => {
    await using rig = createRig();
    const result = await rig.run(code);
    expect(result).toEqual({ outcome: "denied", text: "the owner said no" });
    expect(rig.asked).toMatchObject([
      { kind: "command", command: expect.stringMatching(/^node --input-type=module -e /) },
    ]);
    expect(existsSync(join(rig.work, "owned"))).toBe(false);
  });

  test("an allowed one may", async () => {
    await using rig = createRig({ allow: true });
    const result = await rig.run(`import { writeFileSync } from "node:fs"; writeFileSync("made", "by the script")`);
    expect(result).toEqual({ outcome: "ok", text: "(no output)" });
    expect(readFileSync(join(rig.work, "made"), "utf8")).toBe("by the script");
  });

  test("what the word list overlooks fails when it is tried: an unasked script writes nothing and starts nothing", async () => {
    await using rig = createRig();
    const result = await rig.run(`
      import * as fs from "node:fs";
      const attempt = (work) => { try { work() } catch (error) { console.log(error.code) } };
      attempt(() => fs[["wri", "teFi", "leSy", "nc"].join("")]("owned", "x"));
      const load = require;
      attempt(() => load(["child", "process"].join("_"))[["ex", "ecSync"].join("")]("touch owned"));
    `);
    expect(rig.asked).toEqual([]);
    expect(result.text.split("\n")).toEqual(["ERR_ACCESS_DENIED", "ERR_ACCESS_DENIED"]);
    expect(existsSync(join(rig.work, "owned"))).toBe(false);
  });

  test("endless output ends in a file, with both ends shown", async () => {
    await using rig = createRig();
    const result = await rig.run(
      `for (let i = 0; i < 60_000; i++) console.log("line", i); console.error("e".repeat(30_000));`,
    );
    expect(result.outcome).toBe("ok");
    expect(result.text.length).toBeLessThan(66_000);
    expect(result.text).toContain("line 59999");
    expect(readFileSync(result.fullTextPath ?? "", "utf8")).toContain("line 30000\n");
  });

  test("a held script reaches no network, no other process and no other module, by whatever name (R-SAFE-2)", async () => {
    await using rig = createRig();
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? "");
      response.end("pong");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const url = `http://127.0.0.1:${port}/`;
    const sleeper = spawn("sleep", ["600"], { stdio: "ignore" });
    try {
      const attempts = [
        `const f = fetch; await f("${url}")`,
        `const { fetch: f } = globalThis; await f("${url}")`,
        `await f\\u0065tch("${url}")`,
        `(await import/**/("node:net")).connect(${port}, "127.0.0.1").write("x")`,
        `const load = require; load("http").get("${url}")`,
        `const p = process; p.getBuiltinModule("net").connect(${port}, "127.0.0.1")`,
        `const { constructor: Socket } = process.stdout; new Socket().connect(${port}, "127.0.0.1")`,
        `const { constructor: Pipe } = process.stdout._handle; new Pipe(0).bind("owned")`,
        `const p = process; p.kill(${sleeper.pid}, "SIGKILL")`,
        `RegExp.prototype.test = () => true; Array.prototype.some = () => true; String.prototype.startsWith = () => false; const load = require; load("http").get("${url}")`,
      ];
      const wrapped = attempts.map(
        (code, index) =>
          `try { ${code}; console.log(${index}, "done"); } catch (e) { console.log(${index}, e.message); }`,
      );
      const result = await rig.run(wrapped.map((code) => `await (async () => { ${code} })();`).join("\n"));
      const expected = attempts.map((_, index): unknown =>
        expect.stringMatching(new RegExp(`^${index} a script that was not approved may not (?:use|reach|load) `)),
      );
      expect(result.text.split("\n")).toEqual(expected);
      for (const code of [
        `import /**/ http from "node:http"; http.get("${url}")`,
        `export { connect } from "node:net"`,
      ])
        expect((await rig.run(code)).text).toContain("may not load");
      expect([rig.asked, requests, readdirSync(rig.work)]).toEqual([[], [], []]);
      expect([sleeper.exitCode, sleeper.signalCode]).toEqual([null, null]);
    } finally {
      sleeper.kill("SIGKILL");
      server.close();
    }
  });

  test("a held script may load what only computes or reads", async () => {
    await using rig = createRig();
    const result = await rig.run(`
      import { readdirSync } from "node:fs";
      import { join } from "path";
      import zlib from "node:zlib";
      import { setTimeout as wait } from "timers/promises";
      const os = await import("node:os");
      await wait(1);
      console.log(readdirSync(".").length, join("a", "b"), zlib.gunzipSync(zlib.gzipSync("x")).toString(), typeof os.platform(), await tools.read_file({ path: "a" }));
    `);
    expect(result).toEqual({ outcome: "ok", text: "0 a/b x string read_file says ok" });
    expect(rig.asked).toEqual([]);
  });

  test("forged frames are no calls: the script is ended", async () => {
    await using rig = createRig();
    const forge = (line: string) =>
      rig.run(
        `import fs from "node:fs"; await tools.read_file({path: "a"}); const put = fs["wr" + "iteSync"]; put(3, ${JSON.stringify(line)}); await new Promise(() => setInterval(() => {}, 1000));`,
      );
    const result = await forge("not json\n");
    expect(result.outcome).toBe("error");
    expect(result.text).toContain("something else than calls");
    await forge('{"id":9,"tool":"execute_code","args":{}}\n{"id":"x"}\n');
    expect(rig.calls.every(({ name }) => name === "read_file")).toBe(true);
  });

  test("arguments as large as a disk are not taken in", async () => {
    await using rig = createRig();
    const result = await rig.run(`await tools.write_file({ path: "a", content: "x".repeat(20_000_000) })`);
    expect(result.text).toContain("too large");
    expect(rig.calls).toEqual([]);
  });

  test("the time limit and an interruption end the whole tree, spinning or waiting", async () => {
    await using slow = createRig({ timeoutSeconds: 1, allow: true });
    const marker = `sleep 98${process.pid}`;
    const result = await slow.run(
      `import { spawn } from "node:child_process"; spawn("sh", ["-c", "${marker} & ${marker}"]); for (;;) {}`,
    );
    expect(result.text).toContain("ended after 1 s");
    const left = (await readProcessTable()).map(({ pid }) => pid);
    const commands = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(left.length).toBeGreaterThan(0);
    expect(commands).not.toContain(marker);

    const interruption = new AbortController();
    await using rig = createRig({
      signal: interruption.signal,
      answer: async (_name, _args, signal) => {
        interruption.abort();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return { outcome: "interrupted", text: "Interrupted." };
      },
    });
    const interrupted = await rig.run(`await tools.terminal({ command: "sleep 1000" })`);
    expect(interrupted.text).toContain("interrupted");
  });

  test("a script that leaves in the middle of a call takes the call with it", async () => {
    let ended = false;
    await using rig = createRig({
      answer: async (_name, _args, signal) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        ended = true;
        return { outcome: "interrupted", text: "" };
      },
    });
    const result = await rig.run(`tools.terminal({ command: "x" }); setTimeout(() => process.exit(7), 100);`);
    expect(result.text).toContain("exit code 7");
    expect(ended).toBe(true);
  });

  test("standard output is no channel of calls, and nothing of a script is left on disk", async () => {
    await using rig = createRig();
    const before = scriptFolders();
    const result = await rig.run(`console.log('{"id":1,"tool":"terminal","args":{"command":"x"}}')`);
    expect(result.text).toBe('{"id":1,"tool":"terminal","args":{"command":"x"}}');
    expect(rig.calls).toEqual([]);
    expect(scriptFolders().filter((name) => !before.includes(name))).toEqual([]);
  });

  test("strict mode works in an empty folder; project mode in the session's", async () => {
    const code = `import { readdirSync } from "node:fs"; console.log(process.cwd(), readdirSync(".").length)`;
    await using strict = createRig({ mode: "strict" });
    writeFileSync(join(strict.work, "a.txt"), "");
    expect((await strict.run(code)).text).toContain("hermes-script-");
    await using project = createRig();
    writeFileSync(join(project.work, "a.txt"), "");
    expect((await project.run(code)).text).toBe(`${project.work} 1`);
  });

  test("a mask in a script is refused, like an empty one", async () => {
    await using rig = createRig();
    expect((await rig.run("console.log('«secret:api_key:0123»')")).text).toContain("only stands for a secret");
    expect((await rig.run(" \n")).text).toBe("The script is empty.");
  });

  test("when this program is killed, a spinning script ends too", async () => {
    await using temp = createTempDirectory();
    const file = join(temp.path, "pid");
    const host = `
      import { runScript } from ${JSON.stringify(new URL("run-script.ts", import.meta.url).href)};
      import { systemClock } from ${JSON.stringify(new URL("../../base/clock.ts", import.meta.url).href)};
      await runScript({
        runtime: { language: "javascript", program: process.execPath },
        code: 'require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); for (;;) {}',
        cwd: ${JSON.stringify(temp.path)}, environment: { PATH: process.env.PATH }, held: false, timeoutMs: 600_000, maxCalls: 1,
        call: async () => ({ outcome: "ok", text: "" }), onStdout: () => {}, onStderr: () => {},
        signal: new AbortController().signal, clock: systemClock,
      });
    `;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", host], { stdio: "ignore" });
    const until = async (done: () => boolean): Promise<void> => {
      for (let tries = 0; !done() && tries < 600; tries += 1) await systemClock.sleep(50);
      expect(done()).toBe(true);
    };
    await until(() => existsSync(file) && readFileSync(file, "utf8") !== "");
    const pid = Number(readFileSync(file, "utf8"));
    const isRunning = (): boolean => {
      try {
        process.kill(pid, 0);
        return true;
      } catch {
        return false;
      }
    };
    expect(isRunning()).toBe(true);
    parent.kill("SIGKILL");
    await until(() => !isRunning());
  });
});

describe.skipIf(python === undefined)("Python", () => {
  test("a script calls tools by keyword, by mapping and through the module", async () => {
    await using rig = createRig({
      answer: async (name, args) => ({ outcome: "ok", text: `${name} ${JSON.stringify(args)}` }),
    });
    const result = await rig.run(
      `from hermes_tools import search_files
import json, math
print(tools.read_file(path="a"))
print(tools.terminal({"command": "ls"}))
print(search_files(pattern="x"), math.floor(2.5))
print(sum(1 for _ in range(3)), __name__)`,
      "python",
    );
    expect(result).toEqual({
      outcome: "ok",
      text: 'read_file {"path":"a"}\nterminal {"command":"ls"}\nsearch_files {"pattern":"x"} 2\n3 __main__',
    });
    expect(rig.asked).toEqual([]);
  });

  test.each([
    ["subprocess", `import subprocess\nsubprocess.run(["touch", "owned"])`],
    ["os.system", `import os\nos.system("touch owned")`],
    ["a file opened for writing", `open("owned", "w").write("x")`],
    ["a mode that is not plain", `m = "w"\nopen("owned", m)`],
    ["pathlib", `from pathlib import Path\nPath("owned").write_text("x")`],
    ["sockets", `import socket`],
    ["building code", `exec("x = 1")`],
  ])("%s is asked about first", async (_, code) => {
    await using rig = createRig();
    expect((await rig.run(code, "python")).outcome).toBe("denied");
    expect(rig.asked).toMatchObject([{ kind: "command", command: expect.stringMatching(/^python3 -c /) }]);
    expect(existsSync(join(rig.work, "owned"))).toBe(false);
  });

  test("what the word list overlooks fails when it is tried", async () => {
    await using rig = createRig();
    const result = await rig.run(
      `import pathlib, operator
try:
    operator.methodcaller("write_te" + "xt", "x")(pathlib.Path("owned"))
except PermissionError as e:
    print("held:", e)
try:
    operator.methodcaller("sys" + "tem", "touch owned")(pathlib.os)
except PermissionError as e:
    print("held:", e)
print(open("a.txt").read())`,
      "python",
    );
    expect(rig.asked).toEqual([]);
    expect(result.text.match(/held:/g)).toHaveLength(2);
    expect(existsSync(join(rig.work, "owned"))).toBe(false);
  });

  test.each([
    ["a call that no audit knows", `import random\nrandom._os.mkfifo("owned")`],
    [
      "replaced builtins",
      `import sys as s\ns.modules["builtins"].isinstance = lambda a, b: True\nf = open\nf("owned", chr(119))`,
    ],
    [
      "starting a program below the audit",
      `import sys as s
m = s.modules["_frozen_importlib"]._gcd_import("_posixsubprocess")
r, w = s.modules["posix"].pipe()
m.fork_exec([b"/bin/sh", b"-c", b"touch owned"], (b"/bin/sh",), True, (w,), None, [b"PATH=/bin:/usr/bin"], -1, -1, -1, -1, -1, -1, r, w, False, False, 0, None, None, None, -1, None, True)
s.modules["posix"].read(r, 1)`,
    ],
    [
      "the same module under another name",
      `import sys as s, pathlib
b = s.modules["_frozen_importlib"]
e = s.modules["_frozen_importlib_external"]
found = [str(p) for d in s.path for p in pathlib.Path(d).glob("_posixsubprocess*.so")] or ["/_posixsubprocess.so"]
spec = b.ModuleSpec("x._posixsubprocess", e.ExtensionFileLoader("x._posixsubprocess", found[0]), origin=found[0])
s.modules["_imp"].create_dynamic(spec)`,
    ],
    [
      "an interpreter without the hook",
      `import sys as s\ns.modules["_frozen_importlib"]._gcd_import("_xxsubinterpreters").create()`,
    ],
    [
      "the calls anew",
      `import sys as s\ns.modules["_imp"].create_builtin(s.modules["_frozen_importlib"].ModuleSpec("posix", None))`,
    ],
  ])("%s is no way around (R-SAFE-2)", async (_, code) => {
    await using rig = createRig();
    const result = await rig.run(code, "python");
    expect([result.outcome, result.text]).toEqual([
      "error",
      expect.stringContaining("PermissionError: a script that was not approved"),
    ]);
    expect([rig.asked, readdirSync(rig.work)]).toEqual([[], []]);
  });

  test("a held script may import everything that only computes", async () => {
    await using rig = createRig();
    const result = await rig.run(
      `import abc, array, base64, bisect, calendar, cmath, collections, colorsys, copy, csv, dataclasses, datetime, decimal, difflib, enum, fractions, functools, graphlib, hashlib, heapq, hmac, html, io, itertools, json, keyword, locale, math, numbers, operator, os, pathlib, pprint, random, re, secrets, statistics, string, struct, sys, textwrap, time, traceback, types, typing, unicodedata, uuid, zlib
print(decimal.Decimal("1.5") * 2, hashlib.sha256(b"x").hexdigest()[:4], uuid.uuid4().version, statistics.mean([1, 3]), random.random() < 1, collections.namedtuple("P", "a b")(1, 2))`,
      "python",
    );
    expect(result).toEqual({ outcome: "ok", text: "3.0 2d71 4 2 True P(a=1, b=2)" });
    expect(rig.asked).toEqual([]);
  });

  test("errors have the script's own lines, and the time limit ends a spinning one", async () => {
    await using rig = createRig({ timeoutSeconds: 1 });
    const failed = await rig.run(`x = 1\nraise ValueError("no")`, "python");
    expect(failed.text).toContain('File "script.py", line 2');
    expect((await rig.run("while True:\n    pass", "python")).text).toContain("ended after 1 s");
  });
});
