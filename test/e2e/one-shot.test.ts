import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentEventSchema } from "../../src/agent/event-schema.ts";
import type { RecordedRequest } from "../../src/testing/scripted-provider/scripted-provider.ts";
import { createTempDirectory } from "../../src/testing/temp-home.ts";
import { runCli, startCli } from "../support/cli.ts";
import { createScriptedHome } from "../support/scripted-home.ts";

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** What the provider was sent. */
const bodyOf = (request: RecordedRequest | undefined): ChatBody =>
  (request?.body ?? { messages: [] }) as unknown as ChatBody;

test("-z prints the answer alone, byte for byte, with one request", async () => {
  await using home = await createScriptedHome([{ text: ["  Grüße ", "日🦜\n\n"] }]);
  const result = await home.run(["-z", "hi"]);
  expect(result).toEqual({ code: 0, signal: null, stdout: "  Grüße 日🦜\n\n", stderr: "" });
  expect(home.provider.requests).toHaveLength(1);
});

test("piped input stands after the prompt", async () => {
  await using home = await createScriptedHome([{ text: "ok" }, { text: "ok" }]);
  await home.run(["-z", "explain"], { stdin: "line 1\nline 2\n" });
  expect(bodyOf(home.provider.requests[0]).messages.at(-1)?.content).toContain("explain\n\nline 1\nline 2\n");
  await home.run(["-z", "explain"], { stdin: "" });
  expect(bodyOf(home.provider.requests[1]).messages.at(-1)?.content).not.toContain("\n\n\n");
});

test("-c -z goes on in the newest session; -r takes the beginning of an id, and brackets", async () => {
  await using home = await createScriptedHome([{ text: "one" }, { text: "two" }, { text: "three" }]);
  await home.run(["-z", "first"]);
  await home.run(["-c", "-z", "second"]);
  const [session] = JSON.parse((await home.run(["sessions", "list", "--json"])).stdout) as {
    id: string;
    messages: number;
  }[];
  expect(session?.messages).toBe(4);
  expect((await home.run(["-r", `[${session?.id.slice(0, 17)}]`, "-z", "third"])).stdout).toBe("three");
  const asked = bodyOf(home.provider.requests[2]).messages.map(({ role }) => role);
  expect(asked).toEqual(["system", "user", "assistant", "user", "assistant", "user"]);
});

test("a tool runs and its result goes back; -t lean sends the small toolset", async () => {
  await using home = await createScriptedHome([
    { toolCalls: [{ name: "terminal", arguments: { command: "echo $((6*7))" } }] },
    { text: "42" },
    { text: "x" },
  ]);
  expect((await home.run(["-z", "compute"])).stdout).toBe("42");
  const [first, second] = home.provider.requests;
  expect(bodyOf(second).messages.at(-1)).toMatchObject({ role: "tool", content: "42" });
  expect(bodyOf(first).tools?.map((tool) => tool.function.name)).toContain("search_files");
  await home.run(["-t", "lean", "-z", "x"]);
  expect(bodyOf(home.provider.requests[2]).tools?.map((tool) => tool.function.name)).toEqual([
    "read_file",
    "write_file",
    "patch",
    "terminal",
  ]);
});

test("--json prints every event as a line: start first, numbered, turn_finished last", async () => {
  await using home = await createScriptedHome([
    { toolCalls: [{ name: "todo", arguments: { todos: [] } }] },
    { text: "done" },
  ]);
  const { stdout, code } = await home.run(["-z", "go", "--json"]);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => agentEventSchema.parse(JSON.parse(line)));
  expect(code).toBe(0);
  expect(events[0]).toMatchObject({
    type: "start",
    version: 1,
    provider: "custom",
    model: "scripted-model",
    resumed: false,
  });
  expect(events.at(-1)).toMatchObject({ type: "turn_finished", status: "completed", text: "done" });
  expect(events.map(({ sequence }) => sequence)).toEqual([...events.keys()]);
});

test("a dangerous command is refused without anyone to ask, and runs with --yolo; what is always blocked stays blocked", async () => {
  const script = (command: string) => [{ toolCalls: [{ name: "terminal", arguments: { command } }] }, { text: "done" }];
  await using home = await createScriptedHome([
    ...script("rm -r doomed"),
    ...script("rm -r doomed"),
    ...script("rm -rf /"),
  ]);
  await mkdir(join(home.home, "doomed"));
  await home.run(["-z", "remove it"]);
  expect(bodyOf(home.provider.requests[1]).messages.at(-1)?.content).toMatch(/not run|refused|denied|nobody/i);
  await readFile(join(home.home, ".hermes", "config.yaml"));
  expect((await home.run(["--yolo", "-z", "remove it"], { cwd: home.home })).code).toBe(0);
  expect(bodyOf(home.provider.requests[3]).messages.at(-1)?.content).not.toMatch(/refused|denied/i);
  await home.run(["--yolo", "-z", "remove everything"]);
  expect(bodyOf(home.provider.requests[5]).messages.at(-1)?.content).toMatch(/block|never|refus/i);
});

test("R-SAFE-5 commands see no provider key", async () => {
  await using home = await createScriptedHome([
    { toolCalls: [{ name: "terminal", arguments: { command: "env" } }] },
    { text: "done" },
  ]);
  await home.run(["-z", "env"], {
    environment: { OPENROUTER_API_KEY: "sk-or-v1-0123456789abcdef0123456789abcdef", GREETING: "hello" },
  });
  const seen = bodyOf(home.provider.requests[1]).messages.at(-1)?.content ?? "";
  expect(seen).toContain("GREETING=hello");
  expect(seen).not.toContain("OPENROUTER");
});

test("without a model: exit 1 and what to do; the practice model only if it is named", async () => {
  await using home = createTempDirectory();
  const result = await runCli(["-z", "hi"], { home: home.path });
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(/no model configured/);
  expect(result.stderr).toMatch(/hermes auth add PROVIDER[\s\S]*hermes model/);
  expect((await runCli(["chat", "-q", "hi"], { home: home.path })).code).toBe(1);
  const practice = await runCli(["-z", "hello", "--provider", "practice"], { home: home.path });
  expect(practice.code).toBe(0);
  expect(practice.stdout).toMatch(/practice model/);
});

test("a provider that refuses: exit 1, one clear line on stderr, nothing on stdout, no stack; --json gives an object", async () => {
  const refusal = {
    status: 401,
    body: JSON.stringify({ error: { message: "Incorrect API key provided", code: "invalid_api_key" } }),
  };
  await using home = await createScriptedHome([refusal, refusal]);
  const result = await home.run(["-z", "hi"]);
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(/^✗ .*Incorrect API key/);
  expect(result.stderr).not.toMatch(/at .*\.js/);
  expect(home.provider.requests).toHaveLength(1);
});

test("usage errors exit 2 and say what is wrong; what is not built is refused", async () => {
  await using home = createTempDirectory();
  const run = (...args: string[]) => runCli(args, { home: home.path });
  expect(await run("--nonsense")).toMatchObject({ code: 2, stderr: expect.stringContaining("--nonsense") });
  expect(await run("sesions")).toMatchObject({ code: 2, stderr: expect.stringContaining("sessions") });
  expect(await run("gateway", "run", "-v")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not in this version"),
  });
  expect(await run("--tui")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--tui is not in this version"),
  });
  expect(await run("--max-turns", "0", "-z", "x")).toMatchObject({ code: 2 });
  expect(await run("-r", "a", "-c", "-z", "x")).toMatchObject({ code: 2 });
  expect(await run("config", "show", "-m", "x")).toMatchObject({ code: 2, stderr: expect.stringContaining("--model") });
  expect(await run("-z", " ", "--provider", "practice")).toMatchObject({ code: 2 });
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining("terminal") });
  expect(await run("-t", "web", "-z", "x", "--provider", "practice")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"web"'),
  });
  expect((await run("sessions", "list", "--json")).stdout.trim()).toBe("[]");
  const json = await run("sessions", "show", "nothing", "--json");
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "session.not_found" } });
});

test("a reader that goes away ends the program quietly", async () => {
  await using home = await createScriptedHome([{ text: Array.from({ length: 2_000 }, () => "word ".repeat(20)) }]);
  const child = startCli(["-z", "talk", "--json"], { home: home.home });
  const errors: Buffer[] = [];
  child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
  child.stdout?.once("data", () => child.stdout?.destroy());
  const [code] = (await once(child, "exit")) as [number | null];
  expect(Buffer.concat(errors).toString()).toBe("");
  expect(code).toBe(0);
});

test("Ctrl+C ends the turn: exit 130, what was said is kept", async () => {
  await using home = await createScriptedHome([{ text: "thinking", misbehave: { kind: "hang_in_stream" } }]);
  const child = startCli(["-z", "hi"], { home: home.home });
  await home.provider.waitForRequests(1);
  child.kill("SIGINT");
  const [code] = (await once(child, "exit")) as [number | null];
  expect(code).toBe(130);
  const [session] = JSON.parse((await home.run(["sessions", "list", "--json"])).stdout) as { messages: number }[];
  expect(session?.messages).toBe(2);
});

test("the demonstration runs real tools in a scratch folder, is stored, and exits 0", async () => {
  await using home = createTempDirectory();
  const result = await runCli(["demo"], { home: home.path });
  expect(result.code).toBe(0);
  for (const tool of ["search_files", "write_file", "read_file", "terminal"])
    expect(result.stdout).toContain(`• ${tool}`);
  expect(result.stdout).toContain("Hello from Hermes");
  const [session] = JSON.parse((await runCli(["sessions", "list", "--json"], { home: home.path })).stdout) as {
    source: string;
    tool_calls: number;
  }[];
  expect(session).toMatchObject({ source: "demo", tool_calls: 4 });
});

test("a broken config.yaml stops what reads it, with file and line, and is never written over (B64)", async () => {
  await using home = await createScriptedHome();
  const file = join(home.hermesHome, "config.yaml");
  const broken = "model: m1\nlist: [a, b\n";
  await writeFile(file, broken);
  const result = await home.run(["-z", "hi"]);
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(/config\.yaml:\d/);
  expect((await home.run(["config", "set", "model.default", "x"])).code).toBe(1);
  expect(await readFile(file, "utf8")).toBe(broken);
  expect((await home.run(["--ignore-user-config", "-z", "hello", "--provider", "practice"])).code).toBe(0);
});

test("a background process goes on after the program, and is named on stderr", async () => {
  const start = { toolCalls: [{ name: "terminal", arguments: { command: "exec sleep 300", background: true } }] };
  await using home = await createScriptedHome([start, { text: "started" }, { text: "later" }]);
  const result = await home.run(["-z", "start it"]);
  expect(result).toMatchObject({ code: 0, stdout: "started" });
  const pid = Number(/pid (\d+)/.exec(result.stderr)?.[1]);
  expect(() => process.kill(pid, 0)).not.toThrow();
  process.kill(pid, "SIGKILL");
  expect((await home.run(["-z", "anything"])).stderr).toBe("");
});
