import { array, assert, constantFrom, dictionary, oneof, property, record, string, type Arbitrary } from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { clientOf } from "../testing/client-rig.ts";
import { assistant, call, image, reasoning, result, text, user } from "../testing/conversation-parts.ts";
import { piecesOf } from "../testing/hazards/hazard.ts";
import { targetAt } from "../testing/hazards/play-hazard.ts";
import {
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedProvider,
} from "../testing/scripted-provider/scripted-provider.ts";
import { WIRE_BODIES } from "../testing/wire-bodies.ts";
import type { WireBodies } from "../testing/wire-bodies/wire-body.ts";
import type { CallEvent } from "./event.ts";
import { createHttpClient } from "./http.ts";
import { textOf, type Message, type WireId } from "./message.ts";
import type { ModelTarget } from "./model-target.ts";
import type { LlmRequest } from "./request.ts";
import { holdsPatterns, withoutPatterns } from "./schema-patterns.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());

const bodiesOf = (wire: WireId): WireBodies => WIRE_BODIES.find((bodies) => bodies.wire === wire)!;

const good = (bodies: WireBodies, words: string): ScriptedAnswer => ({
  misbehave: {
    kind: "raw",
    contentType: bodies.streamType,
    body: Buffer.concat(piecesOf({ bodies, mode: "streamed" }, { text: words, finish: "stop" })),
  },
});

const refusal = (bodies: WireBodies, status: number, message: string): ScriptedAnswer => ({
  status,
  ...bodies.failure({ status, message }),
});

const PNG = Buffer.from("image bytes");
const BASE64 = PNG.toString("base64");

interface Play {
  readonly provider: ScriptedProvider;
  readonly warnings: readonly string[];
  readonly ask: (messages: readonly Message[], more?: Partial<LlmRequest>) => Promise<readonly CallEvent[]>;
}

const play = (provider: ScriptedProvider, bodies: WireBodies, changes: Partial<ModelTarget> = {}): Play => {
  const warnings: string[] = [];
  const root = provider.baseUrl.replace(/\/v1$/, "");
  const client = clientOf(
    { ...targetAt(root, bodies, "streamed"), ...changes },
    {
      http,
      loadImage: () => Promise.resolve(PNG),
      log: { warn: (message) => void warnings.push(message) },
    },
  );
  return {
    provider,
    warnings,
    ask: async (messages, more = {}) => {
      const tools = [{ name: "t", description: "d", parameters: { type: "object" } }];
      const events = client.call({ system: "s", messages, tools, ...more }, { signal: new AbortController().signal });
      return (await Array.fromAsync(events)).filter(({ type }) => type !== "reached");
    },
  };
};

const endOf = (events: readonly CallEvent[]): CallEvent => events.at(-1) ?? { type: "aborted" };
const wordsOf = (events: readonly CallEvent[]): string => {
  const end = endOf(events);
  return end.type === "done" ? textOf(end.message) : JSON.stringify(end);
};
const sent = ({ provider }: Play, at: number): string => provider.requests[at]?.rawBody ?? "";

const withImage: readonly Message[] = [
  user("look", image),
  assistant([call("c1")]),
  result("c1", [text("seen"), { ...image, hash: "h2" }]),
];

const each = WIRE_BODIES.map((bodies) => [bodies.wire, bodies] as const);

describe("B16 images that a provider refuses", () => {
  test.each(each)("%s: left out once, told, and not sent again in the next step", async (_wire, bodies) => {
    const message = "messages.2.content.0: At least one of the image dimensions exceed max allowed size: 8000 pixels";
    await using provider = await startScriptedProvider(
      refusal(bodies, 400, message),
      good(bodies, "fine"),
      good(bodies, "again"),
    );
    const it = play(provider, bodies);
    const events = await it.ask(withImage);
    expect(wordsOf(events)).toBe("fine");
    expect(events.filter(({ type }) => type === "retrying")).toEqual([
      expect.objectContaining({ delayMs: 0, leftOut: "the images", error: expect.objectContaining({ message }) }),
    ]);
    expect(it.warnings).toEqual([expect.stringContaining("sending it again without the images")]);
    expect(sent(it, 0)).toContain(BASE64);
    expect(sent(it, 1)).not.toContain(BASE64);
    expect(sent(it, 1).match(/was left out: the provider refused it/g)).toHaveLength(2);
    // An image of later on is none of those.
    const later = user("and this?", { ...image, hash: "h3" });
    expect(wordsOf(await it.ask([...withImage, assistant([text("fine")], { finish: "stop" }), later]))).toBe("again");
    expect(provider.requests).toHaveLength(3);
    expect(sent(it, 2).split(BASE64)).toHaveLength(2);
  });

  test.each([
    [400, "Could not process image"],
    [400, "image exceeds 5 MB maximum: 5338216 bytes > 5242880 bytes"],
    [404, "No endpoints found that support image input"],
    [400, "Invalid content type. image_url is only supported by certain models."],
    [413, "Request exceeds the maximum size"],
  ])("%i %j is one", async (status, message) => {
    const bodies = bodiesOf("chat_completions");
    await using provider = await startScriptedProvider(refusal(bodies, status, message), good(bodies, "fine"));
    expect(wordsOf(await play(provider, bodies).ask(withImage))).toBe("fine");
  });

  test("once in a call: refused again, the call fails, and nothing is kept from the next one", async () => {
    const bodies = bodiesOf("anthropic_messages");
    const no = refusal(bodies, 400, "Could not process image");
    await using provider = await startScriptedProvider(no, no, no, good(bodies, "fine"));
    const it = play(provider, bodies);
    expect(endOf(await it.ask(withImage))).toMatchObject({ type: "failed", error: { kind: "invalid_request" } });
    expect(provider.requests).toHaveLength(2);
    await it.ask(withImage);
    expect(sent(it, 2)).toContain(BASE64);
  });

  test("without images the error is told at once", async () => {
    const bodies = bodiesOf("chat_completions");
    await using provider = await startScriptedProvider(refusal(bodies, 400, "image too large"));
    expect(endOf(await play(provider, bodies).ask([user("x")]))).toMatchObject({ type: "failed" });
    expect(provider.requests).toHaveLength(1);
  });
});

describe("images inside results", () => {
  test.each(["anthropic_messages", "gemini", "bedrock_converse"] as const)("%s: they follow behind", async (wire) => {
    const bodies = bodiesOf(wire);
    await using provider = await startScriptedProvider(
      refusal(bodies, 400, "tool_result content does not support images, only text is allowed"),
      good(bodies, "fine"),
    );
    const it = play(provider, bodies);
    expect(wordsOf(await it.ask(withImage))).toBe("fine");
    const [before, after] = [sent(it, 0), sent(it, 1)];
    expect([before, after].map((body) => body.split(BASE64).length)).toEqual([3, 3]);
    expect(after).toContain("Image from t (call c1):");
    expect(after.indexOf("Image from t")).toBeGreaterThan(after.indexOf("seen"));
  });
});

describe("thinking", () => {
  const signedHistory = async (bodies: WireBodies, provider: ScriptedProvider): Promise<readonly Message[]> => {
    const answered = play(provider, bodies);
    const end = endOf(await answered.ask([user("x")]));
    if (end.type !== "done") throw new Error(JSON.stringify(end));
    return [user("x"), end.message, result("call_one", [text("r")])];
  };

  test.each([
    ["chat_completions", "Invalid signature in reasoning block"],
    ["codex_responses", "The encrypted content for item rs_1 could not be verified."],
    ["anthropic_messages", "messages.1.content.0: Invalid `signature` in `thinking` block"],
    ["gemini", "Thought signature is not valid."],
    ["bedrock_converse", "The model returned: Invalid signature in thinking block"],
  ] as const)("%s: refused thinking is left out, now and later", async (wire, message) => {
    const bodies = bodiesOf(wire);
    const said = {
      reasoning: "hm",
      signature: "U0lHTkVE",
      calls: [{ id: "call_one", name: "t", arguments: '{"a":1}' }],
      finish: "tool_calls",
    } as const;
    const signed = Buffer.concat(piecesOf({ bodies, mode: "streamed" }, said));
    await using provider = await startScriptedProvider(
      { misbehave: { kind: "raw", contentType: bodies.streamType, body: signed } },
      refusal(bodies, 400, message),
      good(bodies, "fine"),
      good(bodies, "again"),
    );
    const messages = await signedHistory(bodies, provider);
    const it = play(provider, bodies);
    const events = await it.ask(messages, { reasoningEffort: "high" });
    expect(wordsOf(events)).toBe("fine");
    expect(events.find(({ type }) => type === "retrying")).toMatchObject({ leftOut: "the model's earlier thinking" });
    expect(sent(it, 1)).toContain("U0lHTkVE");
    expect(sent(it, 2)).not.toContain("U0lHTkVE");
    await it.ask(messages, { reasoningEffort: "high" });
    expect(sent(it, 3)).not.toContain("U0lHTkVE");
    expect(provider.requests).toHaveLength(4);
  });

  test("Anthropic's format: a turn that lost its thinking goes on without, the next one thinks again", async () => {
    const bodies = bodiesOf("anthropic_messages");
    const part = {
      type: "opaque",
      wire: "anthropic_messages",
      provider: "scripted",
      model: "m-1",
      data: { a: 1 },
    } as const;
    const turn = [user("x"), assistant([reasoning("r"), part, call("c1")]), result("c1", [text("r")])];
    await using provider = await startScriptedProvider(
      refusal(bodies, 400, "Invalid `signature` in `thinking` block"),
      good(bodies, "fine"),
      good(bodies, "again"),
    );
    const it = play(provider, bodies, { quirks: { thinking: "effort" } });
    await it.ask(turn, { reasoningEffort: "high" });
    await it.ask([...turn, assistant([text("fine")], { finish: "stop" }), user("y")], { reasoningEffort: "high" });
    expect([0, 1, 2].map((at) => sent(it, at).includes('"thinking":{"type":"adaptive"'))).toEqual([true, false, true]);
  });
});

describe("other refusals", () => {
  test.each([
    [400, "Unable to generate parser: failed to parse grammar"],
    [500, "JSON schema conversion failed: pattern must start with '^' and end with '$'"],
  ])("%i %j: the tools go without patterns, in every later step too", async (status, message) => {
    const bodies = bodiesOf("chat_completions");
    const parameters = {
      type: "object",
      properties: { pattern: { type: "string", pattern: "\\d+", enum: ["pattern"] }, at: { format: "date" } },
    };
    const tools = [{ name: "t", description: "pattern", parameters }];
    await using provider = await startScriptedProvider(
      refusal(bodies, status, message),
      good(bodies, "fine"),
      good(bodies, "again"),
    );
    const it = play(provider, bodies);
    expect(wordsOf(await it.ask([user("x")], { tools }))).toBe("fine");
    await it.ask([user("x")], { tools });
    const stripped = { type: "object", properties: { pattern: { type: "string", enum: ["pattern"] }, at: {} } };
    for (const at of [1, 2]) expect(sent(it, at)).toContain(`"parameters":${JSON.stringify(stripped)}`);
  });

  test("a beta that the account does not have", async () => {
    const bodies = bodiesOf("anthropic_messages");
    await using provider = await startScriptedProvider(
      refusal(bodies, 400, "The long context beta is not yet available for this subscription."),
      good(bodies, "fine"),
    );
    const headers = { "Anthropic-Beta": "context-1m-2025-08-07, other-2025-01-01", "x-own": "1" };
    const it = play(provider, bodies, { quirks: { headers } });
    expect(wordsOf(await it.ask([user("x")]))).toBe("fine");
    expect(provider.requests.map((request) => [request.headers["anthropic-beta"], request.headers["x-own"]])).toEqual([
      ["context-1m-2025-08-07, other-2025-01-01", "1"],
      ["other-2025-01-01", "1"],
    ]);
  });

  test("a repair is no attempt: what fails afterwards is tried as often as ever", async () => {
    const bodies = bodiesOf("chat_completions");
    const busy = refusal(bodies, 503, "busy");
    await using provider = await startScriptedProvider(refusal(bodies, 400, "image too large"), busy, busy, busy);
    const it = play(provider, bodies, { maxAttempts: 1 });
    const events = await it.ask(withImage);
    expect(events.map(({ type }) => type)).toEqual(["retrying", "failed"]);
    expect(endOf(events)).toMatchObject({ error: { kind: "overloaded" } });
    expect(provider.requests).toHaveLength(2);
  });
});

test("property: a schema without patterns holds none, and nothing else is lost", () => {
  const schema: Arbitrary<unknown> = record({
    pattern: string(),
    properties: dictionary(
      constantFrom("pattern", "format", "a"),
      oneof(record({ format: string() }), record({ type: string() })),
    ),
    anyOf: array(record({ pattern: string(), type: string() })),
    default: record({ pattern: string() }),
  });
  assert(
    property(schema, (given) => {
      const original = given as Record<string, unknown>;
      const stripped = withoutPatterns(original);
      expect(holdsPatterns(stripped)).toBe(false);
      expect(Object.keys(stripped["properties"] as object)).toEqual(Object.keys(original["properties"] as object));
      expect(stripped["default"]).toEqual(original["default"]);
      expect(stripped["anyOf"]).toEqual((original["anyOf"] as { type: string }[]).map(({ type }) => ({ type })));
    }),
  );
});
