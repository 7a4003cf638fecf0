import { EventEmitter, once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";

/** A chat whose `/throw` command brings the whole process down, and whose turns never end. */
const PROGRAM = `
import { runChat } from "./run-chat.ts";
import { suspendProcess } from "./suspend-process.ts";
import { systemClock } from "../../base/clock.ts";
import { CHAT_CONFIG, createScriptedChat } from "../../testing/scripted-chat.ts";
const chat = createScriptedChat();
chat.infos = [];
chat.onCommand = (line) => {
  if (line === "/throw") queueMicrotask(() => { throw new Error("out of the blue"); });
  return line === "/quit" ? { kind: "exit" } : { kind: "text", text: "ran " + line };
};
const stop = new AbortController();
if (process.argv[2] === "handled") process.on("SIGTERM", () => stop.abort());
const history = { load: async () => [], append: async () => undefined };
process.exitCode = await runChat({
  session: chat, stdin: process.stdin, stdout: process.stdout, config: CHAT_CONFIG, clock: systemClock, history, userHome: "/home/me",
  signal: stop.signal, suspendProcess,
});
process.stdin.unref();
`;

const POSIX = process.platform !== "win32";
let folder = "";
let program = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-tty-"));
  program = join(folder, "chat.mjs");
  await symlink(resolve(import.meta.dirname, "../../../node_modules"), join(folder, "node_modules"));
  await build({
    stdin: { contents: PROGRAM, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    splitting: false,
    packages: "external",
    platform: "node",
    format: "esm",
    jsx: "automatic",
    outfile: program,
  });
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

const shells: IPty[] = [];

afterEach(() => {
  for (const shell of shells.splice(0)) shell.kill("SIGKILL");
});

interface Shell {
  type(text: string): void;
  /** Resolves when what came since the last wait holds `text`; gives all of it. */
  waitFor(text: string | RegExp): Promise<string>;
}

/** An interactive bash on a real terminal. */
const openShell = (): Shell => {
  const pty = spawn("bash", ["--norc", "--noprofile", "-i"], {
    cols: 80,
    rows: 24,
    env: {
      PATH: `${process.execPath.replace(/\/node$/u, "")}:/usr/bin:/bin`,
      TERM: "xterm-256color",
      PS1: "ready$ ",
      HOME: folder,
    },
  });
  shells.push(pty);
  const changed = new EventEmitter();
  let output = "";
  let seen = 0;
  pty.onData((data) => {
    output += data;
    changed.emit("data");
  });
  return {
    type: (text) => pty.write(text),
    waitFor: async (text) => {
      using deadline = systemClock.deadline(15_000);
      for (;;) {
        const fresh = output.slice(seen);
        const match = typeof text === "string" ? text : (text.exec(fresh)?.[0] ?? "\0");
        if (fresh.includes(match)) {
          seen += fresh.indexOf(match) + match.length;
          return fresh;
        }
        try {
          await once(changed, "data", { signal: deadline.signal });
        } catch {
          throw new Error(`The terminal did not show ${String(text)}:\n${JSON.stringify(fresh)}`);
        }
      }
    },
  };
};

/** The terminal's modes as the shell sees them afterwards. */
const expectSaneTerminal = async (shell: Shell): Promise<void> => {
  shell.type("stty -a; echo done-$?\r");
  const modes = await shell.waitFor("done-0");
  expect(modes).toMatch(/[^-]icanon/u);
  expect(modes).toMatch(/[^-]echo /u);
};

describe.skipIf(!POSIX)("R-TUI-1 on a real terminal (not on Windows: no bash job control)", { timeout: 60_000 }, () => {
  test("R-TUI-1 /quit leaves the terminal as it was and ends the process", async () => {
    const shell = openShell();
    await shell.waitFor("ready$ ");
    shell.type(`node ${program}; echo code=$?\r`);
    await shell.waitFor("/help lists commands");
    await shell.waitFor("❯");
    shell.type("/quit\r");
    const rest = await shell.waitFor("code=0");
    expect(rest).toContain("\u001B[?2004l");
    expect(rest).toContain("\u001B[?25h");
    await expectSaneTerminal(shell);
  });

  test.each(["handled", "unhandled"])("R-TUI-1 SIGTERM (%s) restores the terminal", async (how) => {
    const shell = openShell();
    await shell.waitFor("ready$ ");
    const go = join(folder, `go-${how}`);
    // The program is in the foreground; a background job ends it as soon as the test says so.
    const killer = `(while ! [ -e ${go} ]; do sleep 0.05; done; kill -TERM $pid) &`;
    shell.type(`node ${program} ${how} & pid=$!; ${killer} fg %1 > /dev/null; echo code=$?\r`);
    await shell.waitFor("/help lists commands");
    await shell.waitFor("❯");
    shell.type("text\r");
    await shell.waitFor("Working");
    await writeFile(go, "");
    const rest = await shell.waitFor(/code=\d+/u);
    expect(rest).toMatch(how === "handled" ? /code=130/u : /code=143/u);
    expect(rest).toContain("\u001B[?2004l");
    expect(rest).toContain("\u001B[?25h");
    await expectSaneTerminal(shell);
  });

  test("R-TUI-1 an error that nobody catches restores the terminal before the process dies", async () => {
    const shell = openShell();
    await shell.waitFor("ready$ ");
    shell.type(`node ${program}; echo code=$?\r`);
    await shell.waitFor("/help lists commands");
    await shell.waitFor("❯");
    shell.type("/throw\r");
    const rest = await shell.waitFor("code=1");
    expect(rest).toContain("out of the blue");
    expect(rest).toContain("\u001B[?2004l");
    expect(rest).toContain("\u001B[?25h");
    await expectSaneTerminal(shell);
  });

  test("R-TUI-1 Ctrl+Z gives the shell back, fg goes on", async () => {
    const shell = openShell();
    await shell.waitFor("ready$ ");
    shell.type(`node ${program}\r`);
    await shell.waitFor("/help lists commands");
    await shell.waitFor("❯");
    shell.type("half a mess");
    await shell.waitFor("half a mess");
    shell.type("\u001A");
    await shell.waitFor("Stopped");
    await shell.waitFor("ready$ ");
    await expectSaneTerminal(shell);
    shell.type("fg\r");
    await shell.waitFor("half a mess");
    shell.type("age\r");
    await shell.waitFor("❯ half a message");
    await shell.waitFor("Working");
  });
});
