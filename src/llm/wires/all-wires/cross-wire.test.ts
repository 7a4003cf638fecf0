import { describe, expect, test } from "vitest";
import { assistant, call, image, result, text, user } from "../../../testing/conversation-parts.ts";
import { bodyOf } from "../../../testing/hazards/hazard.ts";
import { targetAt } from "../../../testing/hazards/play-hazard.ts";
import * as openApi from "../../../testing/published/open-api-faults.ts";
import * as protobuf from "../../../testing/published/protobuf-faults.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { WIRE_BODIES } from "../../../testing/wire-bodies.ts";
import type { Said, WireBodies } from "../../../testing/wire-bodies/wire-body.ts";
import { illegalIn } from "../../../testing/wire-legality.ts";
import { assembleAnswer } from "../../assemble.ts";
import { toolCallsOf, type AssistantMessage, type Message, type WireId } from "../../message.ts";
import type { ModelTarget } from "../../model-target.ts";
import type { LlmRequest } from "../../request.ts";
import { loadWire } from "../load-wire.ts";
import type { ImageLookup } from "../wire.ts";

const ROOT = "http://127.0.0.1:1";
/** Each format's models are another provider's, as they are in life. */
const targetOf = (bodies: WireBodies): ModelTarget => ({
  ...targetAt(ROOT, bodies, "streamed"),
  provider: bodies.wire,
});

const SIGNATURE: Readonly<Record<WireId, string>> = {
  chat_completions: "Y2hhdA==",
  codex_responses: "cmVzcG9uc2Vz",
  anthropic_messages: "YW50aHJvcGlj",
  gemini: "Z2VtaW5p",
  bedrock_converse: "YmVkcm9jaw==",
};

/** An answer as the wire decodes it from its provider's bytes; `upTo` = the connection broke there, and the part is kept. */
const answered = async (bodies: WireBodies, said: Said, upTo = 1): Promise<AssistantMessage> => {
  const whole = bodyOf({ bodies, mode: "streamed" }, said);
  const wire = await loadWire(bodies.wire, { redact: (words) => words });
  const target = targetOf(bodies);
  const cut = cutBody(whole.subarray(0, Math.floor(whole.length * upTo)));
  const { message } = assembleAnswer(
    await collect(wire.decode(cut, { target, contentType: bodies.streamType })),
    target,
  );
  return upTo === 1 ? message : { ...message, finish: "interrupted" };
};

const twoCalls = (wire: WireId): Said => ({
  reasoning: "Both are wanted.",
  signature: SIGNATURE[wire],
  text: "I read both.",
  calls: [
    { id: "functions.t:0", name: "t", arguments: '{"path":"a.txt","n":12345678901234}' },
    { id: "toolu_01|fc_1", name: "t", arguments: '{"path":"b.png"}' },
  ],
  finish: "tool_calls",
});

/** What happens in a turn: parallel calls with an image in a result, a steering word, a broken answer, a refusal, ids used again. */
const turnOf = async (bodies: WireBodies): Promise<readonly Message[]> => {
  const { wire } = bodies;
  const calling = await answered(bodies, twoCalls(wire));
  const [one, two] = toolCallsOf(calling).map(({ id }) => id);
  const long = {
    text: "cut",
    calls: [{ id: "call_cut", name: "t", arguments: JSON.stringify({ a: "x".repeat(3_000) }) }],
  };
  const broken = await answered(bodies, { ...long, finish: "tool_calls" }, 0.6);
  const again = await answered(bodies, twoCalls(wire));
  return [
    user("look", image),
    calling,
    result(one ?? "", [text("hello"), image]),
    result(two ?? "", [], "error"),
    user("no, the other one"),
    broken,
    ...toolCallsOf(broken).map(({ id }) => result(id, [text("interrupted")], "interrupted")),
    user("go on"),
    await answered(bodies, { refusal: "I cannot help with that.", finish: "refusal" }),
    user("why?"),
    await answered(bodies, { reasoning: "Only that.", signature: SIGNATURE[wire], text: "", finish: "length" }),
    user("and now?"),
    again,
    ...toolCallsOf(again).map(({ id }) => result(id, [{ ...image, hash: "h2" }])),
  ];
};

const images: ImageLookup = (hash) => (hash === "h1" ? "QUJD" : undefined);

const requestOf = (messages: readonly Message[]): LlmRequest => ({
  system: "Be brief.",
  messages,
  tools: [
    { name: "t", description: "Reads.", parameters: { type: "object", properties: { path: { type: "string" } } } },
  ],
});

const encoded = async (bodies: WireBodies, messages: readonly Message[]): Promise<string> => {
  const wire = await loadWire(bodies.wire, { redact: (words) => words });
  return wire.encode(requestOf(messages), targetOf(bodies), images).body;
};

const openAi = openApi.publishedSchemas("openai-openapi.json");
const anthropic = openApi.publishedSchemas("anthropic-openapi.json");
const google = protobuf.publishedMessages();

/** The vendor's own description of a request; undefined where it is not at hand (Amazon's is not published in a form of these). */
const PUBLISHED: Readonly<Record<WireId, ((body: unknown) => readonly string[]) | undefined>> = {
  chat_completions: openAi && ((body) => openApi.faultsAs(body, "CreateChatCompletionRequest", openAi)),
  codex_responses:
    openAi &&
    // The description asks for an id of reasoning; no server does where nothing is stored (recorded traffic).
    ((body) => openApi.faultsAs(withReasoningIds(body), "CreateResponse", openAi)),
  anthropic_messages: anthropic && ((body) => openApi.faultsAs(body, "CreateMessageParams", anthropic)),
  gemini: google && ((body) => protobuf.faultsAs(body, "GenerateContentRequest", google)),
  bedrock_converse: undefined,
};

const withReasoningIds = (body: unknown): unknown => {
  const fields = body as { readonly input: readonly Record<string, unknown>[] };
  return {
    ...fields,
    input: fields.input.map((item) => (item["type"] === "reasoning" ? { id: "rs", ...item } : item)),
  };
};

const expectLegal = (bodies: WireBodies, body: string): void => {
  expect(illegalIn(bodies.wire, body)).toEqual([]);
  const published = PUBLISHED[bodies.wire];
  if (published !== undefined) expect(published(JSON.parse(body))).toEqual([]);
};

const pairs = WIRE_BODIES.flatMap((from) => WIRE_BODIES.map((to) => [from.wire, to.wire, from, to] as const));

describe("a conversation of one format is legal in every other", () => {
  test.each(pairs)("%s -> %s", async (...[, , from, to]) => {
    const messages = await turnOf(from);
    const body = await encoded(to, messages);
    expectLegal(to, body);
    // What is signed goes back to whom it came from, and to nobody else.
    expect(body.includes(SIGNATURE[from.wire])).toBe(from === to);
    // Same conversation, same bytes: also after it was stored and read again.
    expect(await encoded(to, messages)).toBe(body);
    expect(await encoded(to, JSON.parse(JSON.stringify(messages)) as Message[])).toBe(body);
    // Nothing that was said is lost: texts, arguments, results, the image.
    for (const words of ["I read both.", "12345678901234", "hello", "no, the other one", "I cannot help", "QUJD"]) {
      expect(body).toContain(words);
    }
  });

  test.each(pairs)("%s -> %s and back: the beginning keeps its bytes as the conversation grows", async (...args) => {
    const [, , from, to] = args;
    const first = await turnOf(from);
    const second = await turnOf(to);
    const whole = [...first, await answered(to, { text: "done", finish: "stop" }), ...second];
    for (const each of [from, to]) {
      expectLegal(each, await encoded(each, whole));
      const before = withoutClosing(await encoded(each, first));
      expect((await encoded(each, whole)).slice(0, before.length)).toBe(before);
    }
  });
});

/** A body up to the end of its last message: the brackets that close lists and objects are no content. */
const withoutClosing = (body: string): string => body.replace(/[\]}]+$/, "");

test("a turn of every format in one conversation is legal in each", async () => {
  const turns = await Promise.all(WIRE_BODIES.map(turnOf));
  const between = assistant([text("done")], { finish: "stop" });
  const messages = turns.flatMap((turn) => [...turn, between]).slice(0, -1);
  for (const bodies of WIRE_BODIES) {
    const body = await encoded(bodies, messages);
    expectLegal(bodies, body);
    for (const other of WIRE_BODIES) expect(body.includes(SIGNATURE[other.wire])).toBe(other === bodies);
  }
});

test.skipIf(openAi === undefined || anthropic === undefined || google === undefined)(
  "the vendors' descriptions are at hand (skipped: ../shared is not here)",
  () => {
    for (const { wire } of WIRE_BODIES) expect(PUBLISHED[wire] === undefined).toBe(wire === "bedrock_converse");
  },
);

describe("the check itself bites", () => {
  test.each(WIRE_BODIES.map((bodies) => [bodies.wire, bodies] as const))("%s", async (wire, bodies) => {
    const open = [user("x"), assistant([call("a"), call("b")]), result("a", [text("r")])];
    const body = await encoded(bodies, [...open, result("b", [text("r2")])]);
    expect(illegalIn(wire, body)).toEqual([]);
    // A result is taken away, and a call's id changed.
    expect(
      illegalIn(wire, body.replace(/"(tool_use_id|tool_call_id|toolUseId|call_id|id)":"b"/g, '"$1":"a"')),
    ).not.toEqual([]);
    const fields = JSON.parse(body) as Record<string, unknown[]>;
    const member = ["messages", "input", "contents"].find((name) => name in fields)!;
    expect(illegalIn(wire, JSON.stringify({ ...fields, [member]: fields[member]!.slice(0, -1) }))).not.toEqual([]);
  });
});
