import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTempDirectory } from "../temp-home.ts";
import { startScriptedProvider, type ScriptedProvider } from "./scripted-provider.ts";

const post = (provider: Pick<ScriptedProvider, "baseUrl">, body: object): Promise<Response> =>
  fetch(`${provider.baseUrl}/chat/completions`, { method: "POST", body: JSON.stringify(body) });

describe("the scripted provider", () => {
  test("answers in the queue's order, then with what always holds, then says that the script is over", async () => {
    await using provider = await startScriptedProvider({ text: "one" });
    provider.enqueue((request) => ({ text: `two for ${JSON.stringify(request.body.model)}` }));
    const texts: string[] = [];
    for (let turn = 0; turn < 2; turn += 1) texts.push(await (await post(provider, { model: "m" })).text());
    expect(texts[0]).toContain('"one"');
    expect(texts[1]).toContain("two for");
    const over = await post(provider, {});
    expect([over.status, await over.text()]).toEqual([500, expect.stringContaining("no answer left")]);
    provider.answerAlways({ text: "always" });
    expect(await (await post(provider, {})).text()).toContain("always");
    expect(provider.requests).toHaveLength(4);
  });

  test("streams when asked to, with usage only when asked for it, and the end mark last", async () => {
    await using provider = await startScriptedProvider({ text: "a b" }, { text: "a b" });
    const bare = await (await post(provider, { stream: true })).text();
    const counted = await (await post(provider, { stream: true, stream_options: { include_usage: true } })).text();
    expect(bare).not.toContain("prompt_tokens");
    expect(counted).toContain("prompt_tokens");
    for (const body of [bare, counted]) expect(body.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("counts what an earlier request began with as read from the cache", async () => {
    await using provider = await startScriptedProvider();
    provider.answerAlways({ text: "x" });
    const cached = async (content: string): Promise<number> => {
      const answer = (await (await post(provider, { messages: [{ role: "user", content }] })).json()) as {
        usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
      };
      return answer.usage.prompt_tokens_details.cached_tokens;
    };
    expect(await cached("a".repeat(400))).toBe(0);
    expect(await cached("a".repeat(400) + "b")).toBeGreaterThan(95);
    expect(await cached("b".repeat(400))).toBeLessThan(20);
  });

  test("a gate decides when a piece is sent", async () => {
    const open = Promise.withResolvers<void>();
    await using provider = await startScriptedProvider({
      text: "late",
      gate: (piece) => (piece === 0 ? Promise.resolve() : open.promise),
    });
    const answer = await post(provider, { stream: true });
    const reader = answer.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).not.toContain("late");
    open.resolve();
    let rest = "";
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      rest += new TextDecoder().decode(next.value);
    expect(rest).toContain("late");
  });

  test("a script that throws is told to the client", async () => {
    await using provider = await startScriptedProvider(() => {
      throw new Error("my script is wrong");
    });
    const answer = await post(provider, {});
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("my script is wrong")]);
  });

  test("a member that it does not know is refused, not ignored", async () => {
    const answer = { txet: "x" };
    await using provider = await startScriptedProvider(answer as object);
    expect((await post(provider, {})).status).toBe(500);
  });
});

test("as a program: prints where it listens, plays its file, records requests, repeats the last answer, ends on SIGTERM", async () => {
  await using directory = createTempDirectory();
  const [script, record] = [join(directory.path, "script.json"), join(directory.path, "requests.jsonl")];
  writeFileSync(script, JSON.stringify([{ text: "first" }, { toolCalls: [{ name: "t", arguments: { a: 1 } }] }]));
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), script, record], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { baseUrl } = JSON.parse(line.toString()) as { baseUrl: string };
  const texts: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) texts.push(await (await post({ baseUrl }, { turn })).text());
  expect(texts[0]).toContain("first");
  expect(texts[1]).toContain(String.raw`{\"a\":1}`);
  expect(texts[2]).toContain(String.raw`{\"a\":1}`);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  const recorded = readFileSync(record, "utf8")
    .trim()
    .split("\n")
    .map((one) => (JSON.parse(one) as { body: unknown }).body);
  expect(recorded).toEqual([{ turn: 0 }, { turn: 1 }, { turn: 2 }]);
});
