import { expect, test } from "vitest";
import type { ConversationKey } from "../base/ids.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { Message } from "../llm/message.ts";
import { asRedacted, createTempStore, startTestSession, userMessage } from "../testing/temp-store.ts";
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
  const next = await conversations.rotate({ key: key, from: old.id, child, reason: "compression" });
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
  const rotate = () => conversations.rotate({ key: key, from: old.id, child, reason: "compression" });
  const outcomes = await Promise.allSettled([rotate(), rotate()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  await expect(rotate()).rejects.toMatchObject({ code: "store.conversation_moved" });
  expect(await sessions.list({})).toHaveLength(2);
  await expect(
    conversations.rotate({ key: "cli:none" as ConversationKey, from: old.id, child, reason: "compression" }),
  ).rejects.toMatchObject({ code: "store.conversation_moved" });
});

test("a session that was not compressed keeps its title to itself", async () => {
  await using temp = await createTempStore();
  const old = await startTestSession(temp.store);
  await temp.store.sessions.setTitle(old.id, "Harbour", "user");
  const next = await temp.store.conversations.rotate({
    key: old.record.conversation,
    from: old.id,
    child,
    reason: "new_session",
  });
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
  const next = await conversations.rotate({ key: key, from: session.id, child, reason: "compression" });
  expect(await conversations.current(key)).toBe(next.id);
});

const said = (text: string) => ({
  message: asRedacted<Message>(userMessage(text)),
  createdAt: 5_000,
});

test("decision 12: the child has its messages and the lease in the commit that makes it current", async () => {
  const clock = createFakeClock({ now: 10_000 });
  await using temp = await createTempStore({ clock });
  const { sessions, conversations, messages, leases, search } = temp.store;
  const old = await startTestSession(temp.store);
  const key = old.record.conversation;
  const { lease } = old;
  const texts = Array.from({ length: 120 }, (_, at) => `barnacle ${at}`);
  const compression = { before: 9_000, after: 1_000 };
  const rotation = { key, from: old.id, child, reason: "compression", messages: texts.map(said), lease } as const;
  const next = await conversations.rotate({ ...rotation, compression });
  expect(next).toMatchObject({ messageCount: 120, compression });
  expect(await sessions.get(next.id)).toEqual(next);
  const loaded = await messages.load(next.id);
  expect(loaded.map(({ seq, createdAt, parts }) => [seq, createdAt, parts])).toEqual(
    texts.map((text, at) => [at + 1, 5_000, [{ type: "text", text }]]),
  );
  expect((await search.query({ text: "barnacle", session: next.id, limit: 200 })).hits).toHaveLength(120);
  // The same lease goes on in the child, and the session before is free of it.
  expect(await leases.holder(next.id)).toBeDefined();
  expect(await leases.holder(old.id)).toBe(undefined);
  await messages.append(next.id, said("next").message, { lease });
  await expect(messages.append(old.id, said("late").message, { lease })).rejects.toMatchObject({
    code: "store.lease_lost",
  });
});

test("R-COMP-3: a rotation that comes too late, or without the right to the session, leaves nothing behind", async () => {
  await using temp = await createTempStore();
  const { sessions, conversations, leases, search } = temp.store;
  const old = await startTestSession(temp.store);
  const key = old.record.conversation;
  const messages = Array.from({ length: 60 }, () => said("limpet"));
  const rotate = () => conversations.rotate({ key, from: old.id, child, reason: "compression", messages });
  const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()]);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await expect(rotate()).rejects.toMatchObject({ code: "store.conversation_moved" });
  expect(await sessions.list({})).toHaveLength(2);
  expect((await search.query({ text: "limpet", limit: 200 })).hits).toHaveLength(60);

  const current = await conversations.current(key);
  if (current === undefined) throw new Error("no session");
  const lease = { session: current, token: "somebody else's", renew: async () => true, release: async () => undefined };
  await leases.acquire(current, "cli");
  await expect(
    conversations.rotate({ key, from: current, child, reason: "compression", messages, lease }),
  ).rejects.toMatchObject({ code: "store.lease_lost" });
  expect(await conversations.current(key)).toBe(current);
});
