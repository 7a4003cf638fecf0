import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelClient } from "../llm/model-client.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createTempApp, type TempApp } from "../testing/temp-app.ts";
import { asRedacted } from "../testing/temp-store.ts";
import { openMemory } from "./memory.ts";
import { tidyMemory } from "./memory-upkeep.ts";

const NOTES = ["Anna likes green tea in the morning", "In the morning Anna likes tea", "Server atlas has port 8443"];

const tidy = async (temp: TempApp, model: ModelClient): Promise<void> => {
  const store = await temp.app.store();
  const record = await store.sessions.create({
    source: "cli",
    provider: "practice",
    model: "small",
    cwd: null,
    systemPrompt: asRedacted(""),
  });
  const signal = new AbortController().signal;
  await tidyMemory(temp.app, { record, model, models: { auxiliary: () => model }, signal });
};

const openFull = async (limit: number): Promise<TempApp & { texts: () => Promise<readonly string[]> }> => {
  const temp = createTempApp({ config: `memory:\n  memory_char_limit: ${limit}\n` });
  const { book } = await openMemory(temp.app);
  for (const content of NOTES)
    await book.change("memory", { action: "add", content }, { source: "tool", session: null });
  const texts = async (): Promise<readonly string[]> => (await book.list("memory")).entries.map(({ text }) => text);
  return { ...temp, texts };
};

const MERGED = '```json\n{"merges":[{"from":[1,2],"text":"Anna likes green tea in the morning"}]}\n```';

test("a file that is nearly full is tidied by one change, which can be undone", async () => {
  await using temp = await openFull(110);
  await tidy(temp, createScriptedModel([MERGED]));
  expect(await temp.texts()).toEqual(["Anna likes green tea in the morning", "Server atlas has port 8443"]);
  const { book, store } = await openMemory(temp.app);
  const [record] = await store.changes({ limit: 1 });
  expect(record).toMatchObject({ kind: "merge", source: "model" });
  await book.change("memory", { action: "undo", record: record! }, { source: "command", session: null });
  expect(await temp.texts()).toEqual(NOTES);
});

test("a file with room costs no call, and an answer that says something new changes nothing", async () => {
  await using roomy = await openFull(2_200);
  const unused = createScriptedModel([]);
  await tidy(roomy, unused);
  expect(unused.requests).toHaveLength(0);
  await using temp = await openFull(110);
  await tidy(temp, createScriptedModel([MERGED.replace("green tea", "green tea and gin")]));
  await tidy(temp, createScriptedModel(["I would merge the first two."]));
  expect(await temp.texts()).toEqual(NOTES);
});

test("nothing is done to a file that somebody changed while the model thought", async () => {
  await using temp = await openFull(110);
  const scripted = createScriptedModel([MERGED]);
  const slow: ModelClient = {
    ...scripted,
    call: async function* (request, options) {
      await writeFile(join(temp.app.paths.memories, "MEMORY.md"), [...NOTES, "by hand"].join("\n§\n"));
      yield* scripted.call(request, options);
    },
  };
  await tidy(temp, slow);
  expect(await temp.texts()).toEqual([...NOTES, "by hand"]);
});
