import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { asRedacted, createTempStore, startTestSession, userMessage } from "../testing/temp-store.ts";
import type { Message } from "../llm/message.ts";
import type { NewSession } from "./store.ts";

const child: NewSession = { source: "cli", provider: "p", model: "m", cwd: null, systemPrompt: asRedacted("new") };

test("a conversation is followed back over compressions; a copy stands for what it copied", async () => {
  const clock = createFakeClock({ now: 1_000_000 });
  await using temp = await createTempStore({ clock });
  const { sessions, conversations, messages } = temp.store;
  const first = await startTestSession(temp.store);
  await first.add("one");
  await clock.advance(1_000);
  const key = first.record.conversation;
  const second = await conversations.rotate({
    key,
    from: first.id,
    child,
    reason: "compression",
    messages: [{ message: asRedacted<Message>(userMessage("summary")), createdAt: clock.now() }],
  });
  await clock.advance(1_000);
  const undone = await sessions.create({ ...child, conversation: key, parent: second.id });
  await messages.copy(second.id, undone.id, 1);
  const third = await conversations.rotate({ key, from: undone.id, child, reason: "compression" });
  const helper = await startTestSession(temp.store, { parent: first.id });
  await clock.advance(1_000);
  await helper.add("a task of its own");

  const ids = async (id: (typeof helper)["id"]) => (await sessions.lineage(id)).map((session) => session.id);
  expect(await ids(third.id)).toEqual([first.id, undone.id, third.id]);
  expect(await ids(second.id)).toEqual([first.id, second.id]);
  expect(await ids(helper.id)).toEqual([helper.id]);
  expect(await ids("none" as never)).toEqual([]);
  expect(third).toMatchObject({ parent: undone.id, rotatedFrom: undone.id });
  expect(undone.rotatedFrom).toBe(null);
  expect(await sessions.children([first.id, second.id, third.id])).toEqual(
    new Map([
      [first.id, [second.id, helper.id]],
      [second.id, [undone.id]],
    ]),
  );
  await sessions.delete([helper.id]);
  expect(await sessions.children([first.id])).toEqual(new Map([[first.id, [second.id]]]));
});

test("a range of messages is what stands there, whatever is asked for", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  for (let n = 1; n <= 5; n += 1) await session.add(`m${n}`);
  const seqs = async (from: number, to: number) =>
    (await temp.store.messages.range(session.id, from, to)).map(({ seq }) => seq);
  expect(await seqs(2, 4)).toEqual([2, 3, 4]);
  expect(await seqs(-7, 2)).toEqual([1, 2]);
  expect(await seqs(4, 99)).toEqual([4, 5]);
  expect(await seqs(4, 3)).toEqual([]);
  await expect(temp.store.messages.range("none" as never, 1, 2)).rejects.toMatchObject({ code: "store.no_session" });
});
