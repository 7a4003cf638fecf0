import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createTempApp } from "../testing/temp-app.ts";
import { startTestSession } from "../testing/temp-store.ts";
import { createConversationPort } from "./conversation/conversation-port.ts";
import { openConversation } from "./conversation/open-conversation.ts";
import { findStart } from "./find-start.ts";

describe("R-SESS-1, R-SESS-2: every form names the same session on the command line and after /resume", () => {
  const temp = createTempApp();
  let ids: { readonly titled: string; readonly untitled: string };
  beforeAll(async () => {
    const { sessions } = await temp.app.store();
    const make = async (title: string | undefined): Promise<string> => {
      const session = await startTestSession(await temp.app.store());
      await session.add("said");
      await session.lease.release();
      if (title !== undefined) await sessions.setTitle(session.id, title, "user");
      return session.id;
    };
    ids = { titled: await make("Tide tables"), untitled: await make(undefined) };
    await make("[draft");
  });
  afterAll(() => temp[Symbol.asyncDispose]());

  const wrap = (name: string): readonly string[] => [
    name,
    `[${name}]`,
    `<${name}>`,
    `"${name}"`,
    `'${name}'`,
    `  ${name} `,
  ];

  test.each(["titled", "untitled", "title", "case", "prefix"] as const)("%s", async (form) => {
    const names = {
      titled: ids.titled,
      untitled: ids.untitled,
      title: "Tide tables",
      case: "tide TABLES",
      prefix: ids.untitled.slice(0, -1),
    };
    const meant = form === "title" || form === "case" ? ids.titled : ids[form === "prefix" ? "untitled" : form];
    const store = await temp.app.store();
    const model = createScriptedModel([]);
    for (const text of wrap(names[form])) {
      expect(await findStart(store, { kind: "named", name: text })).toMatchObject({ session: { id: meant } });
      await using conversation = await openConversation(temp.app, temp.request(), { models: temp.models, model });
      const outcome = await createConversationPort(conversation).resume(text);
      expect(outcome).toMatchObject({ kind: "resumed", session: { id: meant } });
    }
  });

  test("a bracket without its partner is part of the name", async () => {
    const store = await temp.app.store();
    expect(await findStart(store, { kind: "named", name: "[draft" })).toMatchObject({ session: { title: "[draft" } });
    await expect(findStart(store, { kind: "named", name: "[Tide tables" })).rejects.toMatchObject({
      code: "session.not_found",
    });
    await expect(findStart(store, { kind: "named", name: "<Tide tables]" })).rejects.toMatchObject({
      code: "session.not_found",
    });
    await expect(findStart(store, { kind: "named", name: "20" })).rejects.toMatchObject({ code: "session.ambiguous" });
  });
});
