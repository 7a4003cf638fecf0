import { expect, test } from "vitest";
import { createScriptedModel } from "../../testing/scripted-model.ts";
import { createTempApp } from "../../testing/temp-app.ts";
import { openConversation } from "./open-conversation.ts";

const never = new AbortController().signal;

test("a turn that its reader has left is interrupted, and the next one begins when it has ended", async () => {
  await using temp = createTempApp();
  const gate = Promise.withResolvers<void>();
  const model = createScriptedModel([{ text: "half", gate: gate.promise }, "whole"]);
  await using conversation = await openConversation(temp.app, temp.request(), { models: temp.models, model });
  const { turns } = conversation;
  for await (const event of turns.run("one", { signal: never })) if (event.type === "text") break;
  expect(turns.isRunning()).toBe(true);
  expect(turns.steer("too late")).toBe(false);
  const events = await Array.fromAsync(turns.run("two", { signal: never }));
  expect(events.at(-1)).toMatchObject({ type: "turn_finished", status: "completed", text: "whole" });
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(turns.isRunning()).toBe(false);
  gate.resolve();
});

test("a turn that is interrupted while it waits for the one before it sends nothing, and the one before keeps its place", async () => {
  await using temp = createTempApp();
  const slow = Promise.withResolvers<void>();
  const model = createScriptedModel(["second answer", "third answer"]);
  await using conversation = await openConversation(temp.app, temp.request(), { models: temp.models, model });
  const { turns } = conversation;
  // A call that takes its time to stop.
  const stubborn = {
    ...model,
    call: async function* () {
      await slow.promise;
      yield { type: "aborted" as const };
    },
  };
  conversation.useModel(stubborn);
  const first = turns.run("one", { signal: never })[Symbol.asyncIterator]();
  await first.next();
  await first.return?.();
  conversation.useModel(model);
  const stop = new AbortController();
  const waiting = Array.fromAsync(turns.run("two", { signal: stop.signal }));
  stop.abort();
  expect(await waiting).toMatchObject([{ type: "turn_finished", status: "interrupted", modelCalls: 0 }]);
  expect(turns.isRunning()).toBe(true);
  const third = Array.fromAsync(turns.run("three", { signal: never }));
  expect(model.requests).toHaveLength(0);
  slow.resolve();
  expect((await third).at(-1)).toMatchObject({ status: "completed", text: "second answer" });
  const said = await conversation.store.messages.load(conversation.record().id);
  expect(said.flatMap((message) => (message.role === "user" ? message.parts : []))).toMatchObject([
    { text: "one" },
    { text: "three" },
  ]);
});

test("the conversation is idle as soon as a turn's stream has ended", async () => {
  await using temp = createTempApp();
  const model = createScriptedModel(["a"]);
  await using conversation = await openConversation(temp.app, temp.request(), { models: temp.models, model });
  for await (const event of conversation.turns.run("one", { signal: never })) {
    if (event.type === "turn_finished") expect(conversation.turns.isRunning()).toBe(true);
  }
  expect(conversation.turns.isRunning()).toBe(false);
  expect(conversation.record().messageCount).toBe(2);
});

test("a message is steered into the running turn and none is taken while nothing runs", async () => {
  await using temp = createTempApp();
  const gate = Promise.withResolvers<void>();
  const model = createScriptedModel([{ text: "first", gate: gate.promise }, "second"]);
  await using conversation = await openConversation(temp.app, temp.request(), { models: temp.models, model });
  const { turns } = conversation;
  expect(turns.steer("nobody")).toBe(false);
  const reading = Array.fromAsync(turns.run("one", { signal: never }));
  await model.called(1);
  expect(turns.steer("also this")).toBe(true);
  gate.resolve();
  expect((await reading).filter(({ type }) => type === "steered")).toMatchObject([{ text: "also this" }]);
});

test("a turn that does not stop holds up the end only so long", async () => {
  await using temp = createTempApp();
  const model = createScriptedModel([]);
  const conversation = await openConversation(temp.app, temp.request(), { models: temp.models, model });
  const hanging = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  conversation.useModel({
    ...model,
    call: async function* () {
      begun.resolve();
      await hanging.promise;
      yield { type: "aborted" as const };
    },
  });
  const reading = Array.fromAsync(conversation.turns.run("one", { signal: never }));
  await begun.promise;
  await conversation.turns.stop(10);
  expect(conversation.turns.isRunning()).toBe(true);
  hanging.resolve();
  expect((await reading).at(-1)).toMatchObject({ status: "interrupted" });
  await conversation[Symbol.asyncDispose]();
});
