import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../agent/event.ts";
import { textOf } from "../llm/message.ts";
import { createScriptedModel, type ModelAnswerScript } from "../testing/scripted-model.ts";
import { createTempApp, type TempAppOptions } from "../testing/temp-app.ts";
import { createConversationPort } from "./conversation/conversation-port.ts";
import { openConversation } from "./conversation/open-conversation.ts";

const ON = "checkpoints:\n  enabled: true\n";

const call = (name: string, args: Readonly<Record<string, unknown>>): ModelAnswerScript => ({
  toolCalls: [{ name, arguments: args }],
});

const openRig = async (answers: readonly ModelAnswerScript[], options: TempAppOptions = { config: ON }) => {
  const temp = createTempApp(options);
  const model = createScriptedModel(answers);
  const conversation = await openConversation(temp.app, temp.request({ yolo: true }), { models: temp.models, model });
  const say = async (text: string): Promise<readonly AgentEvent[]> =>
    Array.fromAsync(conversation.turns.run(text, { signal: new AbortController().signal }));
  return {
    temp,
    model,
    conversation,
    checkpoints: createConversationPort(conversation).checkpoints,
    say,
    file: (name: string) => join(temp.cwd, name),
    [Symbol.asyncDispose]: async () => {
      await conversation[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
};

test("a turn that writes, patches and runs commands can be taken back with its words", async () => {
  await using rig = await openRig([
    "hello",
    call("write_file", { path: "made.txt", content: "made" }),
    call("patch", { path: "a.txt", old_string: "old", new_string: "new" }),
    call("terminal", { command: "rm -rf sub && echo done" }),
    "changed it",
    "again",
  ]);
  writeFileSync(rig.file("a.txt"), "old\n");
  await rig.say("good morning");
  mkdirSync(rig.file("sub"));
  writeFileSync(rig.file("sub/b.txt"), "b");
  const events = await rig.say("change everything");
  expect(events.filter(({ type }) => type === "notice")).toEqual([]);
  expect([
    existsSync(rig.file("made.txt")),
    existsSync(rig.file("sub")),
    readFileSync(rig.file("a.txt"), "utf8"),
  ]).toEqual([true, false, "new\n"]);

  const rows = await rig.checkpoints.list();
  expect(rows).toHaveLength(1);
  const touched = rows?.[0]?.touched.map((path) => path.slice(path.lastIndexOf("/") + 1)) ?? [];
  expect(touched).toEqual(expect.arrayContaining(["made.txt", "a.txt", "sub"]));
  const before = rig.conversation.record();
  const outcome = await rig.checkpoints.rollback(1, { file: undefined, deleteNew: false });
  expect(outcome).toMatchObject({ kind: "restored", blocked: [], undone: "change everything" });
  expect([existsSync(rig.file("made.txt")), readFileSync(rig.file("sub/b.txt"), "utf8")]).toEqual([false, "b"]);
  expect(readFileSync(rig.file("a.txt"), "utf8")).toBe("old\n");
  expect(rig.conversation.record().parent).toBe(before.id);

  await rig.say("and now?");
  const said = (rig.model.requests.at(-1)?.messages ?? []).filter(({ role }) => role === "user").map(textOf);
  expect(said.map((text) => text.split("\n")[0])).toEqual(["good morning", "and now?"]);
});

test("one file comes back without a word of the conversation", async () => {
  await using rig = await openRig([call("write_file", { path: "a.txt", content: "new" }), "done"]);
  writeFileSync(rig.file("a.txt"), "old");
  await rig.say("read it first, then write");
  writeFileSync(rig.file("b.txt"), "mine");
  const session = rig.conversation.record().id;
  const outcome = await rig.checkpoints.rollback(1, { file: "a.txt", deleteNew: false });
  expect(outcome).toMatchObject({ kind: "restored" });
  expect(outcome).not.toHaveProperty("undone");
  expect(rig.conversation.record().id).toBe(session);
  expect(await rig.checkpoints.diff(9, undefined)).toMatchObject({ kind: "failed" });
});

test("off by default: nothing is made in the home", async () => {
  await using rig = await openRig([call("write_file", { path: "a.txt", content: "x" }), "done"], {});
  await rig.say("write");
  expect(existsSync(rig.file("a.txt"))).toBe(true);
  expect(existsSync(join(rig.temp.app.home.path, "checkpoints"))).toBe(false);
  expect(rig.checkpoints.isOn()).toBe(false);
  expect(await rig.checkpoints.list()).toEqual([]);
});

test("without git there is one notice, and the work goes on", async () => {
  await using rig = await openRig(
    [call("write_file", { path: "a.txt", content: "1" }), call("write_file", { path: "b.txt", content: "2" }), "done"],
    { config: ON, environment: { PATH: "/nowhere" } },
  );
  const events = await rig.say("write both");
  const notices = events.flatMap((event) => (event.type === "notice" ? [event.code] : []));
  expect(notices).toEqual(["checkpoints_without_git"]);
  expect(readFileSync(rig.file("b.txt"), "utf8")).toBe("2");
  expect(await rig.checkpoints.list()).toBeUndefined();
});
