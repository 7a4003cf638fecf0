import { afterAll, describe, expect, test } from "vitest";
import { clientOf } from "../../../testing/client-rig.ts";
import { assistant, call, result, text, user } from "../../../testing/conversation-parts.ts";
import { target } from "../../../testing/resolve-rig.ts";
import { collect } from "../../../testing/scripted-provider/body-cuts.ts";
import { messageIn, readCall, setUpCalls, targetOf, TEST_KEY } from "../../../testing/scripted-provider/read-call.ts";
import {
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedProvider,
} from "../../../testing/scripted-provider/scripted-provider.ts";
import type { CallEvent } from "../../event.ts";
import { createHttpClient } from "../../http.ts";
import type { Message } from "../../message.ts";
import type { ModelTarget } from "../../model-target.ts";
import type { LlmRequest } from "../../request.ts";
import { createGeminiWire } from "./gemini.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());

const wire = createGeminiWire({ redact: (text) => text.replaceAll("hunter2", "«secret»") });
const quirks = { signedCalls: true, imagesInResults: true } as const;

const ask = (provider: ScriptedProvider, changes: Partial<ModelTarget> = {}, request?: LlmRequest) => {
  const { deps, ...setup } = setUpCalls(http);
  const asked = targetOf(provider.baseUrl, { wire: "gemini", model: "gemini-3-pro", quirks, ...changes });
  return readCall({ ...setup, deps: { ...deps, wire } }, asked, request === undefined ? {} : { request });
};

const callOnce = async (
  ...answers: readonly ScriptedAnswer[]
): Promise<{ end: CallEvent; events: CallEvent[]; requests: number }> => {
  await using provider = await startScriptedProvider(...answers);
  const reading = ask(provider);
  const end = await reading.ended;
  return { end, events: reading.events, requests: provider.requests.length };
};

type Fields = Readonly<Record<string, unknown>>;

const sse = (...chunks: readonly Fields[]): ScriptedAnswer => ({
  misbehave: {
    kind: "raw",
    contentType: "text/event-stream",
    body: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join(""),
  },
});
const chunk = (parts: readonly Fields[], finishReason?: string): Fields => ({
  candidates: [{ content: { role: "model", parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
  usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3, thoughtsTokenCount: 2 },
});
const said = (words: string): Fields => chunk([{ text: words }], "STOP");
const failure = (code: number, status: string, message: string): Fields => ({ error: { code, status, message } });

interface Body {
  readonly contents: readonly { readonly role: string; readonly parts: readonly Fields[] }[];
}

/** The contents of the request at that place. */
const contentsOf = ({ requests }: ScriptedProvider, at: number): Body["contents"] =>
  (JSON.parse(requests[at]?.rawBody ?? "{}") as Body).contents;

describe("a turn over a real connection", () => {
  test("parallel calls, their results, and the next answer, whose request begins with the same bytes", async () => {
    const functionCalls = [
      { functionCall: { id: "a", name: "read_file", args: { path: "a.txt" } }, thoughtSignature: "S1==" },
      { functionCall: { name: "read_file", args: { path: "b.txt" } } },
    ];
    await using provider = await startScriptedProvider(
      sse(
        chunk([{ text: "look first", thought: true }]),
        chunk([{ text: "Reading 日🦜." }]),
        chunk(functionCalls, "STOP"),
      ),
      sse(said("They say hello.")),
    );
    const tools = [{ name: "read_file", description: "Reads.", parameters: { type: "object" } }];
    const first: LlmRequest = { system: "Be brief.", messages: [user("what is there?")], tools };
    const answered = messageIn(await ask(provider, {}, first).ended);
    expect(answered).toMatchObject({
      finish: "tool_calls",
      usage: { inputTokens: 12, outputTokens: 5, reasoningTokens: 2 },
      parts: [
        { type: "reasoning", text: "look first" },
        text("Reading 日🦜."),
        { type: "tool_call", id: "a", arguments: '{"path":"a.txt"}' },
        { type: "opaque", wire: "gemini", provider: "scripted", model: "gemini-3-pro" },
        { type: "tool_call", arguments: '{"path":"b.txt"}' },
      ],
    });
    const second = answered.parts.findLast((part) => part.type === "tool_call")?.id ?? "?";
    const messages: Message[] = [...first.messages, answered, result(second, [text("B")]), result("a", [text("A")])];
    expect(messageIn(await ask(provider, {}, { ...first, messages }).ended).parts).toEqual([text("They say hello.")]);
    const [one, two] = provider.requests;
    expect(contentsOf(provider, 1).slice(1)).toEqual([
      {
        role: "model",
        parts: [
          { text: "Reading 日🦜." },
          functionCalls[0],
          { functionCall: { id: second, name: "read_file", args: { path: "b.txt" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "read_file", response: { output: "A" } } },
          { functionResponse: { id: second, name: "read_file", response: { output: "B" } } },
        ],
      },
    ]);
    // R-PROMPT-3: only the list of contents grows.
    const common = one?.rawBody.slice(0, -2) ?? "?";
    expect(two?.rawBody.startsWith(common)).toBe(true);
  });

  test("the exact headers; the key is in one of them and nowhere else", async () => {
    await using provider = await startScriptedProvider(sse(said("x")));
    await ask(provider).ended;
    const [request] = provider.requests;
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      "x-goog-api-key": TEST_KEY,
      "user-agent": "hermes-agent",
    });
    expect(request?.path).toBe("/v1/models/gemini-3-pro:streamGenerateContent?alt=sse");
    expect(request?.rawBody).not.toContain(TEST_KEY);
  });

  test("an answer that came at once", async () => {
    await using provider = await startScriptedProvider({
      misbehave: { kind: "raw", contentType: "application/json", body: JSON.stringify(said("whole")) },
    });
    expect(messageIn(await ask(provider, { stream: false }).ended).parts).toEqual([text("whole")]);
    expect(provider.requests[0]?.path).toBe("/v1/models/gemini-3-pro:generateContent");
  });
});

describe("an answer that is none", () => {
  test.each([
    [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "auth", 1],
    [400, "INVALID_ARGUMENT", "Request contains an invalid argument.", "invalid_request", 1],
    [403, "PERMISSION_DENIED", "The caller does not have permission", "auth", 1],
    [404, "NOT_FOUND", "models/gemini-x is not found for API version v1beta", "model_not_found", 1],
    [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing", "rate_limit", 3],
    [500, "INTERNAL", "An internal error has occurred", "server", 3],
    [503, "UNAVAILABLE", "The model is overloaded", "overloaded", 3],
  ])("%i %s is %s: %s, attempted %i times", async (...[status, name, message, kind, attempts]) => {
    const bad = { status, body: JSON.stringify(failure(status, name, message)) };
    const { end, requests } = await callOnce(bad, bad, bad, bad);
    expect(end).toMatchObject({ type: "failed", error: { kind, status, message } });
    expect(requests).toBe(attempts);
  });

  test("B12 the wait that stands in the body is waited", async () => {
    const error = { code: 429, status: "RESOURCE_EXHAUSTED", message: "slow", details: [{ retryDelay: "45s" }] };
    const { events, end } = await callOnce({ status: 429, body: JSON.stringify([{ error }]) }, sse(said("now")));
    expect(events.find((event) => event.type === "retrying")).toMatchObject({ delayMs: 45_000 });
    expect(messageIn(end).parts).toEqual([text("now")]);
  });

  test("B02 an error in a 200 stream is classified like its status: what may pass is tried again", async () => {
    const broken = sse(chunk([{ text: "half" }]), failure(503, "UNAVAILABLE", "The model is overloaded"));
    const { events, end } = await callOnce(broken, sse(said("whole")));
    expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "overloaded" } });
    expect(messageIn(end).parts).toEqual([text("whole")]);
    const words = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
    expect(await callOnce(sse(failure(400, "INVALID_ARGUMENT", words)))).toMatchObject({
      end: { type: "failed", error: { kind: "overflow", contextWindow: 1_048_576 } },
      requests: 1,
    });
  });

  test("B03 streams with nothing in them, one that is cut, and a call that cannot be read are tried again", async () => {
    for (const empty of [sse(), sse({}), sse(chunk([], "STOP")), sse(chunk([{ text: "" }], "OTHER"))]) {
      const { events } = await callOnce(empty, sse(said("at last")));
      expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "empty_stream" } });
    }
    const cut = await callOnce(sse(chunk([{ text: "hal" }])), sse(said("half")));
    expect(cut.events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "network" } });
    const malformed = await callOnce(sse(chunk([], "MALFORMED_FUNCTION_CALL")), sse(said("better")));
    expect(messageIn(malformed.end).parts).toEqual([text("better")]);
  });

  test("B11 a refusal without content is an answer: one request only, with what the provider says", async () => {
    const blocked = sse({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } });
    const { end, requests } = await callOnce(blocked);
    expect(messageIn(end)).toMatchObject({
      finish: "refusal",
      refusal: expect.stringContaining("PROHIBITED_CONTENT") as string,
    });
    expect(requests).toBe(1);
    expect(messageIn((await callOnce(sse(chunk([], "SAFETY")))).end)).toMatchObject({ finish: "refusal", parts: [] });
  });
});

test("a call of another wire is handed over under the placeholder, its result by the same id", async () => {
  await using provider = await startScriptedProvider(sse(said("ok")));
  const messages = [user("x"), assistant([call("fc|1", "{}")], { provider: "q" }), result("fc|1", [text("r")])];
  await ask(provider, {}, { system: "", messages, tools: [] }).ended;
  const contents = contentsOf(provider, 0);
  const [sent] = contents[1]?.parts ?? [];
  const [back] = contents[2]?.parts ?? [];
  expect(sent?.thoughtSignature).toBe("skip_thought_signature_validator");
  const { id } = (sent?.functionCall ?? {}) as { readonly id?: string };
  expect(id).toMatch(/^[\w-]+$/);
  expect(back).toMatchObject({ functionResponse: { id } });
});

test("the provider of the format is resolved, its wire loaded and called, with the key as it wants it", async () => {
  await using provider = await startScriptedProvider(sse(said("ok")));
  const resolved = target({
    model: { default: "gemini-3-pro-preview", provider: "gemini" },
    environment: { GEMINI_API_KEY: TEST_KEY, GEMINI_BASE_URL: `${provider.baseUrl.slice(0, -3)}/v1beta/` },
  });
  const { deps } = setUpCalls(http);
  const client = clientOf(resolved, { ...deps, http });
  const request: LlmRequest = { system: "", messages: [user("x")], tools: [], reasoningEffort: "low" };
  const events = await collect(client.call(request, { signal: new AbortController().signal }));
  expect(messageIn(events.at(-1) ?? { type: "aborted" }).parts).toEqual([text("ok")]);
  const [sent] = provider.requests;
  expect(sent?.path).toBe("/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse");
  expect(sent?.headers["x-goog-api-key"]).toBe(TEST_KEY);
  expect(sent?.body).toMatchObject({
    generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "LOW" } },
  });
});
