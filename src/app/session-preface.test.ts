import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Agent } from "../agent/agent.ts";
import { listPersonalities } from "../agent/prompt/personalities.ts";
import { startScriptedProvider, type ScriptedProvider } from "../testing/scripted-provider/scripted-provider.ts";
import { createTempApp } from "../testing/temp-app.ts";
import { contextParts } from "./context-report.ts";
import { createModelPort } from "./conversation/model-port.ts";
import { openConversation } from "./conversation/open-conversation.ts";
import { openSession } from "./open-session.ts";

const configFor = (provider: ScriptedProvider, more = ""): string =>
  `model:\n  provider: custom\n  base_url: ${provider.baseUrl}\n  default: m\n  context_length: 64000\nauxiliary:\n  title_generation:\n    provider: practice\n${more}`;

const say = (agent: Agent, text: string) =>
  Array.fromAsync(
    agent.run(
      { parts: [{ type: "text", text }], origin: { surface: "cli" } },
      { signal: new AbortController().signal },
    ),
  );

interface SentMessage {
  readonly role: string;
  readonly content: string;
}

const sentBy = (provider: ScriptedProvider): readonly (readonly SentMessage[])[] =>
  provider.requests.map(({ body }) => body["messages"] as readonly SentMessage[]);

const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

test("the ephemeral prompt and prefill messages are sent with each request, masked, and stored nowhere", async () => {
  await using provider = await startScriptedProvider();
  provider.answerAlways({ text: "ok" });
  await using temp = createTempApp({
    config: configFor(provider, "prefill_messages_file: shots.json\n"),
    environment: { HERMES_EPHEMERAL_SYSTEM_PROMPT: `Only today: be brief. ${SECRET}` },
    prepare: (home) =>
      writeFileSync(
        join(home, "shots.json"),
        JSON.stringify([
          { role: "system", content: "A system text." },
          { role: "user", content: "ping" },
          { role: "user", content: "ping?" },
          { role: "assistant", content: "pong" },
        ]),
      ),
  });
  await using session = await openSession(temp.app, temp.request({ practiceAllowed: false, interactive: false }));
  await say(session.agent, "one");
  await say(session.agent, "two");
  expect(session.notices).toEqual([]);
  const [first = [], second = []] = sentBy(provider);
  expect(first[0]?.content.startsWith(session.systemPrompt)).toBe(true);
  expect(first[0]?.content).toMatch(/Only today: be brief\. «secret:[^]*A system text\.$/u);
  expect(first.slice(1, 3)).toEqual([
    { role: "user", content: "ping\n\nping?" },
    { role: "assistant", content: "pong" },
  ]);
  // R-PROMPT-3: the second request begins with the first.
  expect(JSON.stringify(second).startsWith(JSON.stringify(first).slice(0, -1))).toBe(true);
  const { systemPrompt, grant, models, agent } = session;
  const about = { systemPrompt, preface: agent.preface(), grant, messages: [], estimator: models.estimator };
  const counted = contextParts(about).find(({ name }) => name === "prompt: sent, not stored");
  expect(counted?.tokens).toBeGreaterThan(10);
  const store = await temp.app.store();
  const stored = JSON.stringify([
    await store.messages.load(session.record.id),
    await store.sessions.systemPrompt(session.record.id),
  ]);
  expect(stored).not.toMatch(/Only today|pong|A system text/u);
});

test.each([
  ["not there", undefined, /is not there/u],
  ["no JSON", "[{", /no JSON list/u],
  ["of another shape", '[{"role":"tool","content":"x"}]', /no JSON list/u],
  ["begun by the assistant", '[{"role":"assistant","content":"x"}]', /does not begin with the user/u],
  ["without an answer", '[{"role":"user","content":"x"}]', /end with the assistant/u],
])("a prefill file that is %s is told and not sent", async (_, content, why) => {
  await using provider = await startScriptedProvider({ text: "ok" });
  await using temp = createTempApp({
    config: configFor(provider),
    environment: { HERMES_PREFILL_MESSAGES_FILE: "~/shots.json" },
  });
  if (content !== undefined) writeFileSync(join(temp.directory, "shots.json"), content);
  await using session = await openSession(temp.app, temp.request({ practiceAllowed: false, interactive: false }));
  expect(session.notices).toEqual([{ code: "prompt.file_unusable", message: expect.stringMatching(why) }]);
  await say(session.agent, "hi");
  expect(sentBy(provider)[0]?.map(({ role }) => role)).toEqual(["system", "user"]);
});

test("/personality changes what is sent from the next turn on, over /new too, and nothing that is stored", async () => {
  await using provider = await startScriptedProvider();
  provider.answerAlways({ text: "ok" });
  await using temp = createTempApp({
    config: configFor(provider, "agent:\n  personalities:\n    butler: Speak like a butler.\n    broken: 7\n"),
  });
  await using conversation = await openConversation(temp.app, temp.request({ practiceAllowed: false }));
  const port = createModelPort(conversation);
  const systemOf = async (text: string): Promise<string> => {
    await say(conversation.session().agent, text);
    return sentBy(provider).findLast((messages) => messages.at(-1)?.content.startsWith(text))?.[0]?.content ?? "";
  };
  const plain = await systemOf("one");
  const { choices, unusable } = await port.personalities();
  expect(unusable).toEqual(["broken"]);
  port.usePersonality(choices.find(({ name }) => name === "butler"));
  expect(await systemOf("two")).toBe(`${plain}\n\nSpeak like a butler.`);
  expect((await port.personalities()).choices.filter(({ current }) => current).map(({ name }) => name)).toEqual([
    "butler",
  ]);
  await conversation.moveTo(await conversation.open({ kind: "new" }), { reason: "new_session" });
  expect(await systemOf("three")).toMatch(/Speak like a butler\.$/u);
  port.usePersonality(undefined);
  expect(await systemOf("four")).not.toContain("butler");
  const store = await temp.app.store();
  expect(await store.sessions.systemPrompt(conversation.record().id)).not.toContain("butler");
});

test("the owner's personalities are texts or mappings, and stand before the built-in ones of their name", () => {
  const { all, unusable } = listPersonalities({
    Pirate: "Arr, softly.",
    ada: { description: "calm", system_prompt: "Be calm.", tone: "low", style: "short" },
    empty: { tone: " " },
    list: ["x"],
    " ": "x",
  });
  const promptOf = (name: string) => all.find((each) => each.name === name);
  expect(promptOf("pirate")).toEqual({ name: "pirate", description: "your own", prompt: "Arr, softly." });
  expect(promptOf("ada")).toEqual({
    name: "ada",
    description: "calm",
    prompt: "Be calm.\nTone: low\nStyle: short",
  });
  expect(unusable).toEqual(["empty", "list", " "]);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(promptOf("concise")).toBeDefined();
});
