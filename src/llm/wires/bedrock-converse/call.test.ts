import { afterAll, describe, expect, test } from "vitest";
import { clientOf } from "../../../testing/client-rig.ts";
import { call, reasoning, result, text, user } from "../../../testing/conversation-parts.ts";
import { converseBody, converseEvent, converseException } from "../../../testing/event-stream.ts";
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
import type { ModelTarget } from "../../model-target.ts";
import type { LlmRequest } from "../../request.ts";
import { createBedrockConverseWire } from "./bedrock-converse.ts";
import { digestOf } from "./opaque.ts";
import { signRequest } from "./sign-request.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());

const wire = createBedrockConverseWire({ redact: (words) => words.replaceAll("hunter2", "«secret»") });
const KEYS = {
  kind: "aws",
  region: "eu-west-1",
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "very-secret-key",
  sessionToken: "session/token",
} as const;

const ask = (provider: ScriptedProvider, changes: Partial<ModelTarget> = {}, request?: LlmRequest) => {
  const { deps, ...setup } = setUpCalls(http);
  const asked = targetOf(provider.baseUrl.slice(0, -3), { wire: "bedrock_converse", ...changes });
  const reading = readCall({ ...setup, deps: { ...deps, wire } }, asked, request === undefined ? {} : { request });
  return { ...reading, clock: setup.clock };
};

const callOnce = async (
  ...answers: readonly ScriptedAnswer[]
): Promise<{ end: CallEvent; events: CallEvent[]; requests: number }> => {
  await using provider = await startScriptedProvider(...answers);
  const reading = ask(provider);
  const end = await reading.ended;
  return { end, events: reading.events, requests: provider.requests.length };
};

const bytes = (body: Uint8Array): ScriptedAnswer => ({
  misbehave: { kind: "raw", contentType: "application/vnd.amazon.eventstream", body: Uint8Array.from(body) },
});
const stream = (...events: readonly Record<string, unknown>[]): ScriptedAnswer => bytes(converseBody(...events));
const refused = (status: number, name: string, message: string): ScriptedAnswer => ({
  status,
  headers: { "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  body: JSON.stringify({ message }),
});

const begin = { messageStart: { role: "assistant" } };
const delta = (index: number, fields: object) => ({ contentBlockDelta: { contentBlockIndex: index, delta: fields } });
const said = (words: string, index = 0) => delta(index, { text: words });
const stop = (index = 0) => ({ contentBlockStop: { contentBlockIndex: index } });
const over = (stopReason = "end_turn") => ({ messageStop: { stopReason } });
const usage = { metadata: { usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17 } } };

describe("a turn over a real connection", () => {
  test("a streamed answer with a call, its result, and the next answer, whose request begins with the same bytes", async () => {
    await using provider = await startScriptedProvider(
      stream(
        begin,
        delta(0, { reasoningContent: { text: "look " } }),
        delta(0, { reasoningContent: { text: "first" } }),
        delta(0, { reasoningContent: { signature: "S1==" } }),
        stop(0),
        said("Reading 日🦜.", 1),
        stop(1),
        {
          contentBlockStart: {
            contentBlockIndex: 2,
            start: { toolUse: { toolUseId: "tooluse_1", name: "read_file" } },
          },
        },
        delta(2, { toolUse: { input: '{"path":' } }),
        delta(2, { toolUse: { input: '"a.txt"}' } }),
        stop(2),
        over("tool_use"),
        usage,
      ),
      stream(begin, said("It says hello."), over(), usage),
    );
    const tools = [{ name: "read_file", description: "Reads.", parameters: { type: "object" } }];
    const first: LlmRequest = { system: "Be brief.", messages: [user("what is in a.txt?")], tools };
    const reading = ask(provider, {}, first);
    const answered = messageIn(await reading.ended);
    const data = { block: "reasoning", signature: "S1==", textSha256: digestOf("look first") };
    expect(answered).toEqual({
      role: "assistant",
      provider: "scripted",
      model: "m-1",
      finish: "tool_calls",
      usage: { inputTokens: 12, outputTokens: 5 },
      parts: [
        reasoning("look first"),
        { type: "opaque", wire: "bedrock_converse", provider: "scripted", model: "m-1", data },
        text("Reading 日🦜."),
        call("tooluse_1", '{"path":"a.txt"}', "read_file"),
      ],
    });

    const second = { ...first, messages: [...first.messages, answered, result("tooluse_1", [text("hello")])] };
    expect(messageIn(await ask(provider, {}, second).ended).parts).toEqual([text("It says hello.")]);
    const [one, two] = provider.requests;
    expect(two?.body["messages"]).toEqual([
      { role: "user", content: [{ text: "what is in a.txt?" }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "look first", signature: "S1==" } } },
          { text: "Reading 日🦜." },
          { toolUse: { toolUseId: "tooluse_1", name: "read_file", input: { path: "a.txt" } } },
        ],
      },
      { role: "user", content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text: "hello" }] } }] },
    ]);
    // R-PROMPT-3: only the list of messages grows.
    expect(two?.rawBody.startsWith(one?.rawBody.slice(0, -2) ?? "?")).toBe(true);
  });

  test("the exact headers with an API key; it is in one of them and nowhere else", async () => {
    await using provider = await startScriptedProvider(stream(begin, said("x"), over()));
    await ask(provider, { model: "us.maker.model-v1:0" }).ended;
    const [request] = provider.requests;
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      "content-type": "application/json",
      accept: "application/vnd.amazon.eventstream, application/json",
      authorization: `Bearer ${TEST_KEY}`,
      "user-agent": "hermes-agent",
    });
    expect(request?.path).toBe("/model/us.maker.model-v1%3A0/converse-stream");
    expect(request?.rawBody).not.toContain(TEST_KEY);
  });

  test("with keys of AWS each attempt is signed for what arrives, at its own time", async () => {
    await using provider = await startScriptedProvider(
      refused(503, "ServiceUnavailableException", "busy"),
      stream(begin, said("x"), over()),
    );
    const reading = ask(provider, { model: "us.maker.model-v1:0", credential: KEYS });
    expect(messageIn(await reading.ended).parts).toEqual([text("x")]);
    const dates = provider.requests.map(({ headers, rawBody, path }) => {
      // What a verifier does: the signature is made again from what arrived.
      const date = headers["x-amz-date"] ?? "";
      const now = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
      const arrived = {
        url: `http://${headers["host"]}${path}`,
        headers: { "content-type": headers["content-type"] ?? "" },
        body: rawBody,
      };
      const again = signRequest(arrived, { keys: KEYS, region: "eu-west-1", service: "bedrock", now });
      expect(headers["authorization"]).toBe(again.headers["authorization"]);
      expect(headers["x-amz-security-token"]).toBe(KEYS.sessionToken);
      expect(JSON.stringify(headers) + rawBody).not.toContain(KEYS.secretAccessKey);
      return now;
    });
    expect(dates[1]).toBeGreaterThan(dates[0] ?? Number.NaN);
  });
});

describe("an answer that is none", () => {
  test.each([
    [403, "UnrecognizedClientException", "The security token included in the request is invalid.", "auth", 1],
    [400, "ValidationException", "The provided model identifier is invalid.", "model_not_found", 1],
    [400, "ValidationException", "messages.0.content: must not be empty", "invalid_request", 1],
    [400, "ValidationException", "Input is too long for requested model.", "overflow", 1],
    [404, "ResourceNotFoundException", "This model version has reached the end of its life.", "model_not_found", 1],
    [408, "ModelTimeoutException", "Model has timed out in processing the request.", "server", 3],
    [424, "ModelErrorException", "The model failed.", "server", 3],
    [429, "ThrottlingException", "Too many tokens, please wait before trying again.", "rate_limit", 3],
    [429, "ModelNotReadyException", "The model is not ready for inference.", "overloaded", 3],
    [500, "InternalServerException", "Unexpected.", "server", 3],
    [503, "ServiceUnavailableException", "Busy.", "overloaded", 3],
  ])("%i %s: %s = %s, attempted %i times", async (...[status, name, message, kind, attempts]) => {
    const bad = refused(status, name, message);
    const { end, requests } = await callOnce(bad, bad, bad, bad);
    expect(end).toMatchObject({
      type: "failed",
      error: { kind, status, message: expect.stringContaining(message) as string },
    });
    expect(requests).toBe(attempts);
  });

  test("B12 the stated wait is waited", async () => {
    const limited = { ...refused(429, "ThrottlingException", "slow"), headers: { "retry-after": "45" } };
    const { events, end } = await callOnce(limited, stream(begin, said("now"), over()));
    expect(events.find((event) => event.type === "retrying")).toMatchObject({ delayMs: 45_000 });
    expect(messageIn(end).parts).toEqual([text("now")]);
  });

  test("B02 an exception in a 200 stream is classified like its status: what may pass is tried again", async () => {
    const half = Buffer.concat([
      converseBody(begin, said("half")),
      converseException("serviceUnavailableException", "busy"),
    ]);
    const { events, end } = await callOnce(bytes(half), stream(begin, said("whole"), over()));
    expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "overloaded" } });
    expect(messageIn(end).parts).toEqual([text("whole")]);
    const full = bytes(converseException("validationException", "Input is too long for requested model."));
    expect(await callOnce(full)).toMatchObject({ end: { type: "failed", error: { kind: "overflow" } }, requests: 1 });
  });

  test("B03 streams with nothing in them are tried again", async () => {
    const whole = stream(begin, said("at last"), over());
    for (const empty of [stream(), stream(begin), stream(begin, over()), stream(begin, stop(), over())]) {
      const { events } = await callOnce(empty, whole);
      expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "empty_stream" } });
    }
  });

  test("a stream that is cut, at a message or in it, and one that arrives damaged are tried again", async () => {
    const whole = stream(begin, said("at last"), over());
    const body = converseBody(begin, said("half"), said(" of it"));
    const damaged = Uint8Array.from(converseEvent(over()));
    damaged[30] = (damaged[30] ?? 0) ^ 4;
    for (const broken of [body, body.subarray(0, body.length - 9), Buffer.concat([body, damaged])]) {
      const { events, end } = await callOnce(bytes(broken), whole);
      expect(events.find((event) => event.type === "retrying")).toMatchObject({ error: { kind: "network" } });
      expect(messageIn(end).parts).toEqual([text("at last")]);
    }
  });

  test("B11 what a guardrail stopped is an answer: one request only", async () => {
    const { end, requests } = await callOnce(stream(begin, said("Sorry, no."), over("guardrail_intervened"), usage));
    expect(messageIn(end)).toMatchObject({ finish: "refusal", parts: [text("Sorry, no.")] });
    expect(requests).toBe(1);
  });

  test("secrets in a provider's words are masked, the call's own among them", async () => {
    const { end } = await callOnce(refused(403, "AccessDeniedException", `no hunter2 for ${TEST_KEY}`));
    expect(end).toMatchObject({ type: "failed", error: { kind: "auth", message: "no «secret» for «key»" } });
  });
});

test("an answer of many megabytes is put together", async () => {
  const pieces = Array.from({ length: 400 }, () => said("x".repeat(10_000)));
  const { end } = await callOnce(stream(begin, ...pieces, over()));
  expect(messageIn(end).parts).toEqual([text("x".repeat(4_000_000))]);
});

test("the configured provider is resolved, its wire loaded and called", async () => {
  await using provider = await startScriptedProvider(stream(begin, said("ok"), over()));
  const resolved = target({
    model: { default: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", provider: "bedrock" },
    environment: { AWS_BEARER_TOKEN_BEDROCK: TEST_KEY, BEDROCK_BASE_URL: `${provider.baseUrl.slice(0, -3)}/` },
  });
  const { deps } = setUpCalls(http);
  const client = clientOf(resolved, { ...deps, http });
  const request = { system: "", messages: [user("x")], tools: [] };
  const signal = new AbortController().signal;
  const events = await collect(client.call(request, { signal }));
  expect(messageIn(events.at(-1) ?? { type: "aborted" }).parts).toEqual([text("ok")]);
  const [sent] = provider.requests;
  expect(sent?.path).toBe("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
  expect(sent?.headers["authorization"]).toBe(`Bearer ${TEST_KEY}`);
});
