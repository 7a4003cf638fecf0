import { expect, test } from "vitest";
import { createScriptedModel, type ModelAnswerScript } from "../../testing/scripted-model.ts";
import { createTempApp } from "../../testing/temp-app.ts";
import { openConversation } from "./open-conversation.ts";

const never = new AbortController().signal;

/** One turn of a conversation whose titles come from this answer; the title, and what the title's model was asked. */
const titleAfter = async (answer: ModelAnswerScript, said = "How do I bake bread?") => {
  await using temp = createTempApp();
  const titles = createScriptedModel([answer], { model: "small" });
  const model = createScriptedModel(["With flour.", "And water."]);
  const models = { ...temp.models, auxiliary: () => titles };
  const conversation = await openConversation(temp.app, temp.request(), { models, model });
  await Array.fromAsync(conversation.turns.run(said, { signal: never }));
  await titles.called(1);
  await expect
    .poll(async () => (await conversation.store.sessions.get(conversation.record().id))?.messageCount)
    .toBe(2);
  // A second turn asks for no second title, whatever became of the first.
  const { id } = conversation.record();
  const { store } = conversation;
  await conversation[Symbol.asyncDispose]();
  return {
    title: (await store.sessions.get(id))?.title,
    asked: JSON.stringify(titles.requests),
    requests: titles.requests,
  };
};

test("a first answer gives the session a title, of which quotes and a full stop are taken off", async () => {
  const { title, asked } = await titleAfter('"Baking bread at home."');
  expect(title).toBe("Baking bread at home");
  expect(asked).toContain("How do I bake bread?");
  expect(asked).toContain("With flour.");
});

test.each([
  ["two lines are no title", "Baking bread\nat home"],
  ["nor is a long answer", "x".repeat(81)],
  ["nor nothing", ""],
  ["a call that fails leaves the session without", { failure: { kind: "server", message: "down" } }],
] as const)("%s", async (_name, answer) => {
  expect((await titleAfter(answer)).title).toBeNull();
});

test("R-REDACT-1 the model that writes titles sees no secret", async () => {
  const key = `sk-proj-${"Ab3dE6gH9".repeat(5)}`;
  expect((await titleAfter("A title", `my key is ${key}`)).asked).not.toContain(key);
});

test("without a model for it no title is asked for", async () => {
  await using temp = createTempApp();
  const model = createScriptedModel(["With flour."]);
  const models = { ...temp.models, auxiliary: () => model };
  await using conversation = await openConversation(temp.app, temp.request(), { models, model });
  await Array.fromAsync(conversation.turns.run("How?", { signal: never }));
  expect([model.requests.length, conversation.record().title]).toEqual([1, null]);
});

test("B29 a title of the owner's stays", async () => {
  await using temp = createTempApp();
  const titles = createScriptedModel(["Another"]);
  const model = createScriptedModel(["With flour."]);
  const models = { ...temp.models, auxiliary: () => titles };
  await using conversation = await openConversation(temp.app, temp.request(), { models, model });
  await conversation.store.sessions.setTitle(conversation.record().id, "Mine", "user");
  await conversation.refresh();
  await Array.fromAsync(conversation.turns.run("How?", { signal: never }));
  expect([titles.requests.length, conversation.record().title]).toEqual([0, "Mine"]);
});
