import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../agent/event.ts";
import { createScriptedModel, type ModelAnswerScript } from "../testing/scripted-model.ts";
import { createTempApp } from "../testing/temp-app.ts";
import { createConversationPort } from "./conversation/conversation-port.ts";
import { openConversation } from "./conversation/open-conversation.ts";

const script = (code: string): ModelAnswerScript => ({
  toolCalls: [{ name: "use", arguments: { tool: "execute_code", arguments: { code } } }],
});

const openRig = async (answers: readonly ModelAnswerScript[], toolsets?: readonly string[]) => {
  const temp = createTempApp({
    config: "checkpoints:\n  enabled: true\n",
    environment: {
      OPENAI_API_KEY: "sk-abcdefghijklmnop",
      MY_TOKEN: "t0ken",
      PLAIN: "seen",
      NODE_OPTIONS: "--require=/nowhere.js",
    },
  });
  const model = createScriptedModel(answers);
  const request = temp.request({ interactive: false, ...(toolsets === undefined ? {} : { toolsets }) });
  const conversation = await openConversation(temp.app, request, { models: temp.models, model });
  return {
    temp,
    conversation,
    file: (name: string) => join(temp.cwd, name),
    say: async (text: string): Promise<readonly AgentEvent[]> =>
      Array.fromAsync(conversation.turns.run(text, { signal: new AbortController().signal })),
    [Symbol.asyncDispose]: async () => {
      await conversation[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
};

const finished = (events: readonly AgentEvent[]) => events.filter((event) => event.type === "tool_finished");

test("calls of a script go through the gate, the checkpoints and the masks, with events of their own", async () => {
  await using rig = await openRig([
    script(`
      console.log(await tools.read_file({ path: "a.txt" }));
      await tools.write_file({ path: "made.txt", content: "by a script" });
      try { await tools.terminal({ command: "rm -rf /etc" }) } catch (error) { console.log("refused:", error.message.slice(0, 30)) }
      console.log(Object.keys(process.env).filter((name) => /KEY|TOKEN|NODE_OPTIONS/.test(name)).length, process.env.PLAIN);
    `),
    "done",
  ]);
  const secret = `ghp_${"x7Qz".repeat(9)}`;
  writeFileSync(rig.file("a.txt"), `token=${secret}\n`);
  const events = await rig.say("work");
  const results = finished(events);
  expect(results.map(({ tool, outcome }) => [tool, outcome])).toEqual([
    ["read_file", "ok"],
    ["write_file", "ok"],
    ["terminal", "denied"],
    ["execute_code", "ok"],
  ]);
  expect(new Set(results.map(({ callId }) => callId)).size).toBe(4);
  const text = results.at(-1)?.text ?? "";
  expect(text).toContain("«secret:");
  expect(text).toContain("refused: This ");
  expect(text).toContain("0 seen");
  expect(JSON.stringify(events)).not.toContain(secret);
  expect(readFileSync(rig.file("made.txt"), "utf8")).toBe("by a script");

  const { checkpoints } = createConversationPort(rig.conversation);
  expect(await checkpoints.rollback(1, { file: undefined, deleteNew: false })).toMatchObject({ kind: "restored" });
  expect(existsSync(rig.file("made.txt"))).toBe(false);
});

test("a script can call only what is granted to the agent", async () => {
  await using rig = await openRig(
    [
      script(`try { await tools.terminal({ command: "touch made" }) } catch (error) { console.log(error.message) }`),
      "done",
    ],
    ["file", "code_execution"],
  );
  const results = finished(await rig.say("work"));
  expect(results.at(-1)?.text).toContain('There is no tool "terminal"');
  expect(existsSync(rig.file("made"))).toBe(false);
});

test("decision 18: without anybody to ask, a script that starts programs is refused", async () => {
  await using rig = await openRig([
    script(`import { execSync } from "node:child_process"; execSync("touch made")`),
    "done",
  ]);
  const results = finished(await rig.say("work"));
  expect(results.at(-1)).toMatchObject({ tool: "execute_code", outcome: "denied" });
  expect(existsSync(rig.file("made"))).toBe(false);
});
