import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { CallEvent } from "../../llm/event.ts";
import { textOf, toolCallsOf, type AssistantMessage, type Message } from "../../llm/message.ts";
import type { ModelClient } from "../../llm/model-client.ts";
import type { LlmRequest } from "../../llm/request.ts";
import { loadWire } from "../../llm/wires/load-wire.ts";
import type { SessionId } from "../../base/ids.ts";
import { missingMessages } from "../../agent/history.ts";
import type { SessionRecord, StoredMessage } from "../../store/store.ts";
import { loadAnswerTemplates, targetOfWire, type AnswerTemplates } from "../../testing/random-conversation.ts";
import { createTempApp, type TempApp } from "../../testing/temp-app.ts";
import { WIRE_BODIES } from "../../testing/wire-bodies.ts";
import { illegalIn } from "../../testing/wire-legality.ts";
import { createMessageRedactor } from "../../llm/redact-message.ts";
import { branchSession, resumeSession, undoLast } from "./change-session.ts";
import type { Conversation } from "./conversation.ts";
import { isFromPerson } from "./history-entries.ts";
import { openConversation } from "./open-conversation.ts";

/** What can happen to a conversation. `crash` = a process ended in the middle of a turn, after so many of its messages. */
type Happening =
  | { readonly kind: "say"; readonly words: string; readonly answers: readonly number[] }
  | { readonly kind: "compress" | "undo" | "branch" | "reopen" | "resume_first" }
  | { readonly kind: "crash"; readonly words: string; readonly after: 1 | 2 | 3 };

const words = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).map((text) => text.repeat(20)),
  fc.constantFrom("«secret:token:1a2b»", "[CONTEXT COMPACTION — REFERENCE ONLY]", "</summary>", "a".repeat(9_000)),
);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("say"), words, answers: fc.array(fc.nat(), { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "compress" } as const) },
  {
    weight: 3,
    arbitrary: fc.constantFrom("undo", "branch", "reopen", "resume_first").map((kind) => ({ kind })),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("crash"), words, after: fc.constantFrom(1, 2, 3) }),
  },
);

const SUMMARY = ["Active Task", "Goal", "Constraints & Preferences", "Completed Actions", "Active State", "In Progress"]
  .map((heading) => `## ${heading}\nBoats.`)
  .join("\n");

let templates: AnswerTemplates;
beforeAll(async () => {
  templates = await loadAnswerTemplates();
});

const pick = <T>(items: readonly T[], at: number): T => {
  const item = items[at % items.length];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
};

/** Calls tools as often as it is told to, then answers; writes summaries when asked without tools. */
const createModel = () => {
  const planned: AssistantMessage[] = [];
  let calls = 0;
  const next = (): AssistantMessage => {
    const message = planned.shift() ?? pick(templates.closing, calls);
    calls += 1;
    // Ids of calls are unique in a conversation of one provider.
    const parts = message.parts.map((part) =>
      part.type === "tool_call"
        ? { ...part, id: `${part.id}_${calls}`, name: "todo", arguments: '{"todos":[]}' }
        : part,
    );
    return { ...message, parts };
  };
  const client: ModelClient = {
    info: {
      provider: "scripted",
      model: "m",
      wire: "chat_completions",
      contextWindow: 9_000,
      contextWindowFrom: "config",
    },
    call: async function* (request: LlmRequest): AsyncGenerator<CallEvent> {
      const message: AssistantMessage =
        request.tools.length > 0
          ? next()
          : { role: "assistant", parts: [{ type: "text", text: SUMMARY }], provider: "s", model: "m", finish: "stop" };
      yield { type: "reached" };
      yield { type: "done", message, by: client.info };
    },
  };
  return { client, plan: (answers: readonly AssistantMessage[]) => void planned.push(...answers) };
};

const NEXT: Message = { role: "user", parts: [{ type: "text", text: "next" }], origin: { surface: "cli" } };

/** What is wrong with the request of the next turn, in any format. */
const faultsOf = async (stored: readonly Message[]): Promise<readonly string[]> => {
  const messages = [...stored, ...missingMessages(stored, { provider: "p", model: "m" }), NEXT];
  const faults = await Promise.all(
    WIRE_BODIES.map(async (bodies) => {
      const wire = await loadWire(bodies.wire, { redact: (text) => text });
      const request = { system: "Be brief.", messages, tools: [] };
      const { body } = wire.encode(request, targetOfWire(bodies), () => "QUJD");
      return illegalIn(bodies.wire, body).map((fault) => `${bodies.wire}: ${fault}`);
    }),
  );
  return faults.flat();
};

/** All messages of the conversation's line, the oldest session first. */
const lineOf = async ({ store, record }: Conversation): Promise<readonly StoredMessage[]> => {
  const messages: StoredMessage[] = [];
  for (let id: SessionId | null = record().id; id !== null;) {
    const session: SessionRecord | undefined = await store.sessions.get(id);
    // One in which nothing was said is gone.
    if (session !== undefined) messages.unshift(...(await store.messages.load(id)));
    id = session?.parent ?? null;
  }
  return messages;
};

const never = new AbortController().signal;

/** What a process that was killed leaves behind: some of a turn's messages, and nobody who holds the session. */
const crash = async (
  temp: TempApp,
  conversation: Conversation,
  { words: said, after }: Extract<Happening, { kind: "crash" }>,
) => {
  const { store } = conversation;
  const session = conversation.record().id;
  const taken = await store.leases.acquire(session, "cli");
  if (taken.kind !== "held") throw new Error("busy");
  const masking = createMessageRedactor(temp.app.redactor);
  const calling = pick(templates.calling, 1);
  const [first] = toolCallsOf(calling);
  const missing = missingMessages(await store.messages.load(session), { provider: "p", model: "m" });
  const turn: readonly Message[] = [
    ...missing,
    { role: "user", parts: [{ type: "text", text: said }], origin: { surface: "cli" } },
    calling,
    {
      role: "tool",
      parts: [{ type: "tool_result", callId: first?.id ?? "", name: first?.name ?? "", outcome: "ok", content: [] }],
    },
  ];
  for (const message of turn.slice(0, missing.length + after))
    await store.messages.append(session, masking.message(message), { lease: taken.lease });
  await taken.lease.release();
};

const open = (temp: TempApp, model: ModelClient, name?: string): Promise<Conversation> =>
  openConversation(temp.again(), temp.request(name === undefined ? {} : { start: { kind: "named", name } }), {
    models: temp.models,
    model,
  });

test("after any turns, compressions, undos, branches, resumes and crashes every format takes the history, and nothing said is lost", async () => {
  const happenings = fc.array(happening, { minLength: 4, maxLength: 14 });
  const live = async (given: readonly Happening[]): Promise<void> => {
    await using temp = createTempApp({ config: "compression: {protect_last_n: 2, protect_first_n: 1}\n" });
    const { client, plan } = createModel();
    let conversation = await open(temp, client);
    const first = conversation.record().id;
    let said: string[] = [];
    try {
      for (const each of given) {
        switch (each.kind) {
          case "say":
            plan(each.answers.map((at) => pick(templates.calling, at)));
            await Array.fromAsync(conversation.turns.run(each.words, { signal: never }));
            said.push(each.words);
            break;
          case "compress":
            await Array.fromAsync(conversation.turns.compress(undefined, { signal: never }));
            break;
          case "undo":
            await undoLast(conversation);
            break;
          case "branch":
            await branchSession(conversation, undefined);
            break;
          case "reopen": {
            const { id, messageCount } = conversation.record();
            await conversation[Symbol.asyncDispose]();
            conversation = await open(temp, client, messageCount === 0 ? undefined : id);
            if (messageCount === 0) said = [];
            break;
          }
          case "resume_first":
            if ((await conversation.store.sessions.get(first))?.messageCount === 0) break;
            if ((await resumeSession(conversation, first)).kind !== "resumed") break;
            said = (await lineOf(conversation)).filter(isFromPerson).map(textOf);
            break;
          case "crash":
            await crash(temp, conversation, each);
            break;
        }
        await conversation.refresh();
        const messages = await conversation.store.messages.load(conversation.record().id);
        expect(await faultsOf(messages)).toEqual([]);
        const kept = new Set((await lineOf(conversation)).filter(isFromPerson).map(textOf));
        const masked = said.map((text) => String(temp.app.redactor.text(text)));
        expect(masked.filter((text) => !kept.has(text))).toEqual([]);
      }
    } finally {
      await conversation[Symbol.asyncDispose]();
    }
  };
  await fc.assert(fc.asyncProperty(happenings, live), { numRuns: 12 });
}, 120_000);
