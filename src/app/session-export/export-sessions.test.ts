import * as fc from "fast-check";
import { marked } from "marked";
import { expect, test } from "vitest";
import { summaryMessage } from "../../agent/compression/summary-message.ts";
import type { Message } from "../../llm/message.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { asRedacted, createTempStore, startTestSession, userMessage } from "../../testing/temp-store.ts";
import type { TempStore } from "../../testing/temp-store.ts";
import { closeFence, fenced } from "./export-markdown.ts";
import { exportSessions, formatOf } from "./export-sessions.ts";
import type { ExportFormat } from "./export-sessions.ts";
import type { SessionRecord } from "../../store/store.ts";
import { wholeConversation } from "./whole-conversation.ts";

const exported = async ({ store }: TempStore, format: ExportFormat): Promise<string> => {
  const sessions = (async function* () {
    yield* await store.sessions.list({});
  })();
  const messagesOf = ({ id }: SessionRecord) => store.messages.stream(id);
  return (await Array.fromAsync(exportSessions(format, { store, sessions, messagesOf, timeZone: "UTC" }))).join("");
};

const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "</pre></details></article><iframe src=//evil.invalid>",
  "</title><svg onload=alert(1)>",
  "javascript:alert(1) <a href='javascript:alert(1)'>x</a>",
  "<style>@import url(//evil.invalid)</style><link rel=stylesheet href=//evil.invalid>",
  '<meta http-equiv="refresh" content="0;url=//evil.invalid">',
  "<!-- <base href=//evil.invalid> --!><![CDATA[ &lt;script&gt;",
  "```html\n<script>alert(1)</script>\n```\nafter",
  "\u202Egnp.exe \u0000\u0007\uD800 end",
];

const hostileMessages = (text: string): readonly Message[] => [
  userMessage(text),
  {
    role: "assistant",
    parts: [
      { type: "reasoning", text },
      { type: "text", text },
      { type: "tool_call", id: text, name: text, arguments: text },
    ],
    provider: "p",
    model: "m",
    finish: "tool_calls",
  },
  {
    role: "tool",
    parts: [{ type: "tool_result", callId: text, name: text, outcome: "ok", content: [{ type: "text", text }] }],
  },
];

/** Every tag of a page, read as a browser reads it: no text of a page can hold `<` but in the one style sheet. */
const tagsOf = (page: string): readonly string[] => page.match(/<[^>]*>/g) ?? [];

const KNOWN_TAG =
  /^<(!doctype html|html lang="en"|\/?head|meta charset="utf-8"|meta http-equiv="Content-Security-Policy" content="[^"]*"|meta name="(viewport|referrer)" content="[a-z0-9=,-]*"|\/?title|\/?style|\/?body|\/?section|\/?h[12]|\/?p|p class="facts"|\/?time|\/?article|article class="(user|assistant|tool)"|div class="text" dir="auto"|\/div|\/?details|\/?summary|pre dir="auto"|\/pre|img alt="" src="data:image\/png;base64,[A-Za-z0-9+/=]*"|\/html)>$/;

test("a page runs and loads nothing, whatever was said", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  for (const text of HOSTILE) for (const message of hostileMessages(text)) await session.add(message);
  await temp.store.sessions.setTitle(session.id, "</title><script>alert(1)</script>", "user");
  const page = await exported(temp, "html");
  for (const tag of tagsOf(page)) expect(tag).toMatch(KNOWN_TAG);
  expect(page).toContain("default-src 'none'");
  // Each opened element is closed, so that no message reaches into the next.
  for (const name of ["article", "details", "summary", "pre", "div", "section", "h1", "h2"]) {
    expect(page.match(new RegExp(`<${name}[ >]`, "g"))?.length).toBe(page.match(new RegExp(`</${name}>`, "g"))?.length);
  }
  expect(page.match(/<article /g)).toHaveLength(3 * HOSTILE.length);
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(page).toContain("⟦U+202E⟧gnp.exe ⟦U+0000⟧⟦U+0007⟧\uFFFD end");
  expect(page.isWellFormed()).toBe(true);
});

test("no text whatever makes a tag of its own", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  const piece = fc.oneof(
    fc.constantFrom("<", ">", '"', "'", "&", "```\n", "script", "=", "/", "&#60;"),
    fc.string({ unit: "binary", maxLength: 4 }),
  );
  const texts = fc.sample(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
    { numRuns: 60, seed: 7 },
  );
  for (const text of texts) await session.add(userMessage(text));
  const page = await exported(temp, "html");
  for (const tag of tagsOf(page)) expect(tag).toMatch(KNOWN_TAG);
  expect(page.match(/<article /g)).toHaveLength(texts.length);
});

test("images stand in the page; one that browsers could run, or that is gone, is only named", async () => {
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  const hash = await temp.store.blobs.put(Buffer.from("picture"));
  const image = { type: "image", hash, mediaType: "image/png", byteLength: 7 } as const;
  await session.add({
    ...userMessage(""),
    parts: [
      image,
      { ...image, mediaType: "image/svg+xml" },
      { ...image, hash: "0".repeat(64) },
      { ...image, mediaType: '"><script>' },
    ],
  });
  const page = await exported(temp, "html");
  expect(page).toContain(`src="data:image/png;base64,${Buffer.from("picture").toString("base64")}"`);
  expect(page.match(/<img/g)).toHaveLength(1);
  expect(page).toContain("[image image/svg+xml]");
  expect(page).toContain("[image image/png]");
  for (const tag of tagsOf(page)) expect(tag).toMatch(KNOWN_TAG);
});

test("nothing in a fence ends it, and a fence that a message left open does not swallow the next", () => {
  const piece = fc.constantFrom("`", "```", "~~~", "````", "\n", "\r\n", "text", " ", "    ", "js", "\r");
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, (content) => {
      const [block, ...rest] = marked.lexer(`${fenced(content)}\n\nafter`).filter(({ type }) => type !== "space");
      expect(block?.type).toBe("code");
      expect(rest.map(({ raw }) => raw.trim())).toEqual(["after"]);
      const closed = marked.lexer(`${closeFence(content)}\n\n## next\n`);
      expect(closed.at(-1)).toMatchObject({ type: "heading", text: "next" });
    }),
    { numRuns: 500 },
  );
});

test("Markdown and JSON lines hold everything, in order", async () => {
  const clock = createFakeClock({ now: Date.UTC(2026, 10, 30, 10, 15) });
  await using temp = await createTempStore({ clock });
  const session = await startTestSession(temp.store);
  await temp.store.sessions.setTitle(session.id, "*Tide* tables", "user");
  for (const message of hostileMessages("say ``` it")) await session.add(message);
  const markdown = await exported(temp, "markdown");
  expect(markdown).toContain("# \\*Tide\\* tables\n\n- Session: ");
  expect(markdown.split("\n").filter((line) => line.startsWith("## "))).toEqual([
    "## You, 2026-11-30 10:15",
    "## Hermes, 2026-11-30 10:15",
    "## Tool, 2026-11-30 10:15",
  ]);
  expect(markdown).toContain("````json\nsay ``` it\n````");
  const lines = (await exported(temp, "jsonl"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines).toEqual([
    expect.objectContaining({
      id: session.id,
      parent: null,
      rotated_from: null,
      messages: 3,
      transcript: [
        expect.objectContaining({ role: "user", seq: 1, created_at: "2026-11-30T10:15:00.000Z" }),
        expect.objectContaining({ role: "assistant", seq: 2 }),
        expect.objectContaining({ role: "tool", seq: 3 }),
      ],
    }),
  ]);
});

test("no session at all is an export as well", async () => {
  await using temp = await createTempStore();
  expect(await exported(temp, "jsonl")).toBe("");
  expect(await exported(temp, "markdown")).toBe("");
  expect(await exported(temp, "html")).toMatch(/<title>No sessions<\/title>[\s\S]*<\/html>\n$/);
});

test.each([
  ["a.HTML", "html"],
  ["b.md", "markdown"],
  ["dir/c.jsonl", "jsonl"],
  ["d.txt", undefined],
])("%s means %s", (name, format) => {
  expect(formatOf(name)).toBe(format);
});

test("a conversation is told once over its sessions", async () => {
  const clock = createFakeClock({ now: 1_000_000 });
  await using temp = await createTempStore({ clock });
  const { store } = temp;
  const first = await startTestSession(store);
  for (const text of ["one", "two", "two"]) {
    await first.add(text);
    if (text === "one") await clock.advance(1_000);
  }
  await clock.advance(1_000);
  const copies = (await store.messages.load(first.id))
    .slice(1)
    .map(({ createdAt }) => ({ message: asRedacted<Message>(userMessage("two")), createdAt }));
  const summary = {
    message: asRedacted<Message>(summaryMessage({ body: "what was said", quotes: [] })),
    createdAt: clock.now(),
  };
  const next = await store.conversations.rotate({
    key: first.record.conversation,
    from: first.id,
    child: { source: "cli", provider: "p", model: "m", cwd: null, systemPrompt: asRedacted("") },
    reason: "compression",
    messages: [summary, ...copies],
    lease: first.lease,
  });
  await clock.advance(1_000);
  await store.messages.append(next.id, asRedacted<Message>(userMessage("three")), { lease: first.lease });
  const told = await Array.fromAsync(wholeConversation(store, await store.sessions.lineage(next.id)));
  expect(told.map(({ parts }) => (parts[0]?.type === "text" ? parts[0].text : ""))).toEqual([
    "one",
    "two",
    "two",
    "three",
  ]);
});
