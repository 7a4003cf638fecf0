import { expect, test } from "vitest";
import type { ConversationKey } from "../base/ids.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { asRedacted, createTempStore, startTestSession } from "../testing/temp-store.ts";
import type { NewSession } from "./store.ts";

const child: NewSession = { source: "cli", provider: "p", model: "m", cwd: null, systemPrompt: asRedacted("new") };

test("decision 12, R-COMP-2: a rotation ends the old session, makes its child and moves the conversation at once", async () => {
  const clock = createFakeClock({ now: 10_000 });
  await using temp = await createTempStore({ clock });
  const { sessions, conversations } = temp.store;
  const old = await startTestSession(temp.store);
  await sessions.setTitle(old.id, "Tide tables", "auto");
  const key = old.record.conversation;
  clock.jumpWall(5_000);
  const next = await conversations.rotate(key, old.id, child, "compression");
  expect(next).toMatchObject({ conversation: key, parent: old.id, title: "Tide tables #2", titleFrom: "auto" });
  expect(await sessions.get(next.id)).toEqual(next);
  expect(await sessions.systemPrompt(next.id)).toBe("new");
  expect(await sessions.get(old.id)).toMatchObject({ endedAt: 15_000, endReason: "compression", title: "Tide tables" });
  // What a later start of the program sees.
  await temp.store.close();
  expect(await (await temp.open()).conversations.current(key)).toBe(next.id);
});

test("R-COMP-3 of two rotations of one session only one happens, and the loser changes nothing", async () => {
  await using temp = await createTempStore();
  const { sessions, conversations } = temp.store;
  const old = await startTestSession(temp.store);
  const key = old.record.conversation;
  const rotate = () => conversations.rotate(key, old.id, child, "compression");
  const outcomes = await Promise.allSettled([rotate(), rotate()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  await expect(rotate()).rejects.toMatchObject({ code: "store.conversation_moved" });
  expect(await sessions.list({})).toHaveLength(2);
  await expect(conversations.rotate("cli:none" as ConversationKey, old.id, child, "compression")).rejects.toMatchObject(
    { code: "store.conversation_moved" },
  );
});

test("a session that was not compressed keeps its title to itself", async () => {
  await using temp = await createTempStore();
  const old = await startTestSession(temp.store);
  await temp.store.sessions.setTitle(old.id, "Harbour", "user");
  const next = await temp.store.conversations.rotate(old.record.conversation, old.id, child, "new_session");
  expect(next.title).toBe(null);
  expect(await temp.store.sessions.lookup("Harbour")).toMatchObject({ session: { id: old.id } });
});

test("a conversation whose session was deleted is in none, until the session is restored", async () => {
  await using temp = await createTempStore();
  const { sessions, conversations } = temp.store;
  const session = await startTestSession(temp.store);
  const key = session.record.conversation;
  await sessions.delete([session.id]);
  expect(await conversations.current(key)).toBe(undefined);
  await sessions.restore([session.id]);
  expect(await conversations.current(key)).toBe(session.id);
  await sessions.delete([session.id]);
  const next = await conversations.rotate(key, session.id, child, "compression");
  expect(await conversations.current(key)).toBe(next.id);
});
