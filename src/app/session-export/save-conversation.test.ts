import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempStore, startTestSession } from "../../testing/temp-store.ts";
import { saveConversation } from "./save-conversation.ts";

test("a conversation is saved where it is told, for its owner alone, and never over another file", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  await session.add("high tide?");
  const folder = join(temp.home, "sessions", "saved");
  const save = (file?: string) =>
    saveConversation({
      store: temp.store,
      session: session.record,
      lineage: [session.record],
      timeZone: "UTC",
      folder,
      file,
      cwd: temp.home,
    });
  const own = join(folder, `${session.id}.md`);
  expect(await save()).toEqual({ kind: "saved", path: own });
  expect(readFileSync(own, "utf8")).toContain("high tide?");
  expect(statSync(own).mode & 0o777).toBe(0o600);
  await session.add("and ebb?");
  expect(await save()).toEqual({ kind: "saved", path: own });
  expect(readFileSync(own, "utf8")).toContain("and ebb?");

  const page = join(temp.home, "tide.html");
  expect(await save("tide.html")).toEqual({ kind: "saved", path: page });
  expect(readFileSync(page, "utf8")).toContain("<!doctype html>");
  writeFileSync(join(temp.home, "mine.txt"), "mine");
  expect(await save("mine.txt")).toMatchObject({ kind: "failed", why: "it is there already" });
  expect(readFileSync(join(temp.home, "mine.txt"), "utf8")).toBe("mine");
  mkdirSync(join(temp.home, "folder.md"));
  expect(await save("folder.md")).toMatchObject({ kind: "failed" });
  expect(await save("no/such/folder.md")).toMatchObject({ kind: "failed", why: expect.stringContaining("ENOENT") });
});
