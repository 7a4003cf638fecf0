import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Message } from "../llm/message.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createTempApp } from "../testing/temp-app.ts";
import type { TempApp } from "../testing/temp-app.ts";
import { openConversation } from "./conversation/open-conversation.ts";
import { snapshotMessage } from "./session-snapshot-message.ts";

const never = new AbortController().signal;
const ON = "sessions:\n  write_json_snapshots: true\n";
const SECRET = "sk-proj-Zq81Zq81Zq81Zq81Zq81Zq81Zq81Zq81Zq81Zq81";

interface Snapshot {
  readonly session_id: string;
  readonly message_count: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const sessionsFolder = (temp: TempApp): string => join(temp.app.paths.home, "sessions");
const read = (temp: TempApp, id: string): Snapshot =>
  JSON.parse(readFileSync(join(sessionsFolder(temp), `session_${id}.json`), "utf8")) as Snapshot;

/** Says something in a new conversation and closes it; gives the session's id. */
const talk = async (temp: TempApp, ...said: string[]): Promise<string> => {
  const model = createScriptedModel(said.map((text) => `answer to ${text}`));
  await using conversation = await openConversation(temp.app, temp.request(), { models: temp.models, model });
  for (const text of said) await Array.fromAsync(conversation.turns.run(text, { signal: never }));
  return conversation.record().id;
};

test("compat 3.7, R-REDACT-1: after each turn the session stands in a file, masked, for its owner alone", async () => {
  await using temp = createTempApp({ config: ON });
  const id = await talk(temp, "one", `my key is ${SECRET}`);
  const snapshot = read(temp, id);
  expect(Object.keys(snapshot)).toEqual([
    "session_id",
    "model",
    "base_url",
    "platform",
    "session_start",
    "last_updated",
    "system_prompt",
    "tools",
    "message_count",
    "messages",
  ]);
  expect(snapshot.message_count).toBe(4);
  expect(snapshot.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(snapshot.messages[1]?.content).toBe("answer to one");
  expect(JSON.stringify(snapshot)).not.toContain("Zq81Zq81Zq81");
  expect(snapshot).toMatchObject({
    tools: expect.arrayContaining([{ type: "function", function: expect.objectContaining({ name: "read_file" }) }]),
  });
  expect(statSync(join(sessionsFolder(temp), `session_${id}.json`)).mode & 0o777).toBe(0o600);
  expect(readdirSync(sessionsFolder(temp))).toEqual([`session_${id}.json`]);
});

test("compat 3.7: a file that holds more messages is never replaced; half a file is", async () => {
  await using temp = createTempApp({ config: ON });
  const id = await talk(temp, "one");
  const path = join(sessionsFolder(temp), `session_${id}.json`);
  const more = JSON.stringify({
    session_id: id,
    messages: Array.from({ length: 5 }, () => ({ role: "user", content: "kept" })),
  });
  const goOn = async (text: string): Promise<void> => {
    const model = createScriptedModel(["again"]);
    const request = temp.request({ start: { kind: "named", name: id } });
    await using conversation = await openConversation(temp.app, request, { models: temp.models, model });
    await Array.fromAsync(conversation.turns.run(text, { signal: never }));
  };
  writeFileSync(path, more);
  await goOn("two");
  expect(readFileSync(path, "utf8")).toBe(more);
  await goOn("three");
  expect(read(temp, id).message_count).toBe(6);
  writeFileSync(path, more.slice(0, 40));
  await goOn("four");
  expect(read(temp, id).message_count).toBe(8);
});

test("without the setting nothing is written, and where nothing can be written the turn goes on", async () => {
  await using silent = createTempApp();
  await talk(silent, "one");
  expect(existsSync(sessionsFolder(silent))).toBe(false);
  await using blocked = createTempApp({
    config: ON,
    prepare: (home) => writeFileSync(join(home, "sessions"), "a file"),
  });
  const id = await talk(blocked, "one", "two");
  expect((await (await blocked.app.store()).messages.load(id as never)).length).toBe(4);
});

test("calls, results, reasoning and images have the shape of chat completions", async () => {
  const image = { type: "image", hash: "h", mediaType: "image/png", byteLength: 3 } as const;
  const readImage = async (hash: string) => (hash === "h" ? Buffer.from("png") : undefined);
  const messages: Message[] = [
    {
      role: "user",
      parts: [{ type: "text", text: "look" }, image, { ...image, hash: "gone" }],
      origin: { surface: "cli" },
    },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "tool_call", id: "c", name: "t", arguments: "{}" },
      ],
      provider: "p",
      model: "m",
      finish: "tool_calls",
    },
    {
      role: "tool",
      parts: [
        { type: "tool_result", callId: "c", name: "t", outcome: "ok", content: [{ type: "text", text: "done" }] },
      ],
    },
  ];
  expect(await Promise.all(messages.map((message) => snapshotMessage(message, readImage)))).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url: "data:image/png;base64,cG5n" } },
        { type: "text", text: "[image image/png]" },
      ],
    },
    {
      role: "assistant",
      content: "",
      reasoning: "hm",
      tool_calls: [{ id: "c", type: "function", function: { name: "t", arguments: "{}" } }],
      finish_reason: "tool_calls",
    },
    { role: "tool", tool_call_id: "c", tool_name: "t", content: "done" },
  ]);
});

test("an imported session, which has no prompt of its own, goes on with this program's", async () => {
  await using temp = createTempApp();
  const store = await temp.app.store();
  const imported = await store.sessions.create({
    source: "cli",
    provider: "p",
    model: "m",
    cwd: null,
    systemPrompt: "" as never,
  });
  const model = createScriptedModel(["yes"]);
  const request = temp.request({ start: { kind: "named", name: imported.id } });
  await using conversation = await openConversation(temp.app, request, { models: temp.models, model });
  await Array.fromAsync(conversation.turns.run("still there?", { signal: never }));
  expect(model.requests[0]?.system.length).toBeGreaterThan(200);
});
