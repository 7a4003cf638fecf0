import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, open, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../../src/testing/temp-home.ts";
import { cliEnvironment, LAUNCHER, runCli } from "../support/cli.ts";
import { createScriptedHome } from "../support/scripted-home.ts";

/** A stack trace's line. */
const STACK = /^\s+at /mu;

test.skipIf(!existsSync("/dev/full")).each([
  ["the version", ["--version"]],
  ["help", ["--help"]],
  ["a list", ["config", "show"]],
  ["an answer", ["-z", "hello", "--provider", "practice"]],
])("a full disk under %s is one line and a failure", async (_, args) => {
  await using temp = createTempDirectory();
  await using full = await open("/dev/full", "w");
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: temp.path,
    env: cliEnvironment({ home: temp.path }),
    stdio: ["ignore", full.fd, "pipe"],
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = await once(child, "close");
  expect(stderr).toMatch(/^✗ Standard output cannot be written: ENOSPC[^\n]*\n$/u);
  expect(code).toBe(1);
});

test.skipIf(!existsSync("/dev/full"))("a lost standard error changes no exit code", async () => {
  await using temp = createTempDirectory();
  await using full = await open("/dev/full", "w");
  const child = spawn(process.execPath, [LAUNCHER, "no-such-command"], {
    cwd: temp.path,
    env: cliEnvironment({ home: temp.path }),
    stdio: ["ignore", "ignore", full.fd],
  });
  expect((await once(child, "close"))[0]).toBe(2);
});

test.skipIf(process.platform === "win32")("a reader of both outputs that goes away ends the turn", async () => {
  const run = (command: string) => ({ name: "terminal", arguments: { command } });
  await using home = await createScriptedHome([{ toolCalls: [run("true"), run("sleep 600")] }, { text: "done" }]);
  // `head` leaves after the line that names the first command; the one of the second finds nobody.
  const child = spawn("sh", ["-c", '"$@" 2>&1 | head -n 1', "sh", process.execPath, LAUNCHER, "chat", "-q", "wait"], {
    cwd: home.home,
    env: cliEnvironment({ home: home.home }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  await once(child, "close");
  expect(stdout).toBe("• terminal run true\n");
  const [session] = JSON.parse((await home.run(["sessions", "list", "--json"])).stdout) as { tool_calls: number }[];
  expect(session?.tool_calls).toBe(2);
});

test.skipIf(process.platform === "win32")(
  "a working directory that is gone is said before anything begins",
  async () => {
    await using temp = createTempDirectory();
    const inGoneFolder = async (...args: string[]): Promise<{ readonly code: unknown; readonly stderr: string }> => {
      const gone = join(temp.path, "gone");
      await mkdir(gone);
      const child = spawn("sh", ["-c", 'rmdir ../gone; exec "$@"', "sh", process.execPath, LAUNCHER, ...args], {
        cwd: gone,
        env: cliEnvironment({ home: temp.path }),
        stdio: ["ignore", "ignore", "pipe"],
      });
      let stderr = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      const [code] = await once(child, "close");
      return { code, stderr };
    };
    for (const args of [["sessions", "list"], ["doctor"], ["-z", "hello", "--provider", "practice"]])
      expect(await inGoneFolder(...args)).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^✗ The folder that this was started in does not exist any more\.\n/u),
      });
    expect(await inGoneFolder("--version")).toEqual({ code: 0, stderr: "" });
  },
);

test.skipIf(process.platform === "win32")(
  "a HOME that is set to nothing is the account's, not the root folder",
  async () => {
    await using temp = createTempDirectory();
    const { stdout } = await runCli(["config", "path"], {
      home: temp.path,
      environment: { HOME: "", HERMES_HOME: "" },
    });
    expect(stdout).toBe(`${join(userInfo().homedir, ".hermes", "config.yaml")}\n`);
  },
);

test.skipIf(process.platform !== "linux")("a home that cannot be made ends every command with the reason", async () => {
  await using temp = createTempDirectory();
  const environment = { HERMES_HOME: "/proc/no-such-home" };
  for (const args of [
    ["sessions", "list"],
    ["-z", "hello", "--provider", "practice"],
    ["config", "set", "model.default", "x"],
  ]) {
    const { code, stderr } = await runCli(args, { home: temp.path, environment });
    expect(stderr, args.join(" ")).toMatch(/^✗ the home \/proc\/no-such-home cannot be used: ENOENT/u);
    expect(stderr).not.toMatch(STACK);
    expect(code).toBe(1);
  }
});

test("doctor says of a home that cannot be one why, and of a missing one whether it can be made", async () => {
  await using temp = createTempDirectory();
  const file = join(temp.path, "a-file");
  await writeFile(file, "");
  const homeFinding = async (home: string): Promise<unknown> => {
    const { stdout } = await runCli(["doctor", "--json"], { home: temp.path, environment: { HERMES_HOME: home } });
    return (JSON.parse(stdout) as { findings: { check: string }[] }).findings.find(({ check }) => check === "home");
  };
  expect(await homeFinding(file)).toMatchObject({ status: "error", message: expect.stringContaining("no directory") });
  expect(await homeFinding(join(file, "home"))).toMatchObject({ status: "error" });
  expect(await homeFinding(join(temp.path, "new"))).toMatchObject({
    status: "ok",
    message: expect.stringContaining("does not exist yet"),
  });
});

test("a setting with a wrong name is spoken of where progress is shown, and only there", async () => {
  await using home = await createScriptedHome([{ text: "one" }, { text: "two" }], "modle: x\n");
  expect((await home.run(["chat", "-q", "hello"])).stderr).toBe(
    "! 1 problem in the settings: see `hermes config check`.\n",
  );
  expect(await home.run(["-z", "hello"])).toMatchObject({ code: 0, stdout: "two", stderr: "" });
});

test("wrong words are answered with the right ones", async () => {
  await using temp = createTempDirectory();
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCli(args, { home: temp.path });
    expect([code, stdout], args.join(" ")).toEqual([2, ""]);
    return stderr;
  };
  expect(await run("sessions", "lst")).toBe(
    '✗ There is no command "sessions lst".\n  Did you mean `hermes sessions list`?\n',
  );
  expect(await run("sessions", "bogus")).toContain("`hermes sessions --help` lists them.");
  expect(await run("config", "migrate")).toContain("`hermes config migrate` is not in this version.");
  expect(await run("config")).not.toContain("migrate");
  expect(await run("doctor", "surplus")).toContain("too many arguments for 'doctor'");
  expect(await run("chat", "hello")).toContain("too many arguments for 'chat'");
  expect(await run("help", "sesions")).toContain("Did you mean `hermes sessions`?");
});

test("`help` shows what --help shows", async () => {
  await using temp = createTempDirectory();
  const helpOf = async (...args: string[]): Promise<string> => {
    const { code, stdout } = await runCli(args, { home: temp.path });
    expect(code).toBe(0);
    return stdout;
  };
  expect(await helpOf("help")).toBe(await helpOf("--help"));
  expect(await helpOf("help", "sessions", "list")).toBe(await helpOf("sessions", "list", "--help"));
});
