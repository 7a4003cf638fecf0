import { expect, test } from "vitest";
import { clientOf } from "../../testing/client-rig.ts";
import { createAgentRig, said } from "../../testing/agent-rig.ts";
import { targetOf } from "../../testing/scripted-provider/read-call.ts";
import { startScriptedProvider } from "../../testing/scripted-provider/scripted-provider.ts";
import { createHttpClient } from "../../llm/http.ts";
import type { ModelClient } from "../../llm/model-client.ts";
import { createPracticeModel } from "../../llm/practice/practice-model.ts";

test("B16 an image that the provider refuses ends no turn: it goes on without, which is told, and the next one too", async () => {
  const error = { message: "image dimensions exceed max allowed size: 8000 pixels", type: "invalid_request_error" };
  await using provider = await startScriptedProvider(
    { status: 400, body: JSON.stringify({ error }) },
    { text: "I cannot see it." },
    { text: "Still not." },
  );
  await using http = createHttpClient({
    forceIpv4: false,
    proxy: { http: undefined, https: undefined, none: undefined },
  });
  const model = clientOf(targetOf(provider.baseUrl), { http, loadImage: () => Promise.resolve(Buffer.from("bytes")) });
  await using rig = await createAgentRig({ model });
  const image = await rig.store.blobs.put(Buffer.from("bytes"));
  const { signal } = new AbortController();
  const parts = [
    { type: "text", text: "what is this?" },
    { type: "image", hash: image, mediaType: "image/png", byteLength: 5 },
  ] as const;
  const events = await Array.fromAsync(rig.agent.run({ parts, origin: { surface: "test" } }, { signal }));
  expect(events.find(({ type }) => type === "retrying")).toMatchObject({
    delayMs: 0,
    message: error.message,
    moved: { to: "less", without: "the images" },
  });
  expect(events.at(-1)).toMatchObject({ status: "completed", text: "I cannot see it.", modelCalls: 2 });
  const again = await Array.fromAsync(rig.agent.run(said("and now?"), { signal }));
  expect(again.at(-1)).toMatchObject({ status: "completed", modelCalls: 1 });
});

test("R-TIME-3 a hop to another model says which one failed", async () => {
  const practice = createPracticeModel();
  const [from, to] = [
    { provider: "den", model: "main-model" },
    { provider: "alt", model: "other" },
  ];
  const model: ModelClient = {
    info: practice.info,
    async *call(request, options) {
      yield { type: "fell_back", from, to, error: { kind: "network", message: "nothing answers" } };
      yield* practice.call(request, options);
    },
  };
  await using rig = await createAgentRig({ model });
  const events = await Array.fromAsync(rig.agent.run(said("hello"), { signal: new AbortController().signal }));
  expect(events.find(({ type }) => type === "retrying")).toMatchObject({ moved: { to: "model", ...to, from } });
});

test("what ends a turn is explained as `hermes model test` explains it", async () => {
  await using provider = await startScriptedProvider(
    { status: 403, body: JSON.stringify({ error: { message: "this model is not for your plan" } }) },
    { text: ["a", "b"], misbehave: { kind: "cut", afterPieces: 2 } },
    { status: 200, body: "<html>welcome</html>" },
  );
  await using http = createHttpClient({
    forceIpv4: false,
    proxy: { http: undefined, https: undefined, none: undefined },
  });
  const model = clientOf({ ...targetOf(provider.baseUrl), maxAttempts: 1 }, { http });
  await using rig = await createAgentRig({ model });
  const failure = async () => {
    const events = await Array.fromAsync(rig.agent.run(said("hello"), { signal: new AbortController().signal }));
    const end = events.at(-1);
    return end?.type === "turn_finished" ? end.error : undefined;
  };
  const forbidden = await failure();
  expect(forbidden?.message).toContain("not for your plan");
  expect(forbidden?.hint).toMatch(/does not allow this.*another model/);
  const broken = await failure();
  expect(broken?.message).toContain("broke off");
  expect(broken?.hint).toMatch(/in the middle of the answer/);
  expect((await failure())?.hint).toMatch(/not of the format chat_completions.*web page/);
});
