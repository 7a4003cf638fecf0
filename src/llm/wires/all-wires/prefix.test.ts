import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../agent/event.ts";
import { openSession, type OpenSession } from "../../../app/open-session.ts";
import { piecesOf } from "../../../testing/hazards/hazard.ts";
import {
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedProvider,
} from "../../../testing/scripted-provider/scripted-provider.ts";
import { createTempApp, type TempApp } from "../../../testing/temp-app.ts";
import { WIRE_BODIES } from "../../../testing/wire-bodies.ts";
import type { Said, WireBodies } from "../../../testing/wire-bodies/wire-body.ts";
import { illegalIn } from "../../../testing/wire-legality.ts";
import type { WireId } from "../../message.ts";

/** A provider of the format, called as its row says, at the test's own address. */
interface Route {
  readonly wire: WireId;
  readonly provider: string;
  readonly model: string;
  readonly environment: (root: string) => Readonly<Record<string, string>>;
}

const KEY = "sk-live-0123456789abcdef0123";

const ROUTES: readonly Route[] = [
  {
    wire: "chat_completions",
    provider: "deepseek",
    model: "deepseek-reasoner",
    environment: (root) => ({ DEEPSEEK_API_KEY: KEY, DEEPSEEK_BASE_URL: `${root}/v1` }),
  },
  {
    wire: "codex_responses",
    provider: "openai-api",
    model: "gpt-5.1",
    environment: (root) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${root}/v1` }),
  },
  {
    wire: "anthropic_messages",
    provider: "anthropic",
    model: "claude-opus-4-5",
    environment: (root) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: root }),
  },
  {
    wire: "anthropic_messages",
    provider: "minimax",
    model: "MiniMax-M2",
    environment: (root) => ({ MINIMAX_API_KEY: KEY, MINIMAX_BASE_URL: `${root}/anthropic` }),
  },
  {
    wire: "gemini",
    provider: "gemini",
    model: "gemini-3-pro-preview",
    environment: (root) => ({ GEMINI_API_KEY: KEY, GEMINI_BASE_URL: `${root}/v1beta` }),
  },
  {
    wire: "bedrock_converse",
    provider: "bedrock",
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    environment: (root) => ({ AWS_BEARER_TOKEN_BEDROCK: KEY, AWS_REGION: "us-east-1", BEDROCK_BASE_URL: root }),
  },
  {
    wire: "bedrock_converse",
    provider: "bedrock",
    model: "amazon.nova-pro-v1:0",
    environment: (root) => ({ AWS_BEARER_TOKEN_BEDROCK: KEY, AWS_REGION: "us-east-1", BEDROCK_BASE_URL: root }),
  },
];

const STEPS_OF_A_TURN = 10;

const answerOf = (bodies: WireBodies, said: Said): ScriptedAnswer => ({
  misbehave: {
    kind: "raw",
    contentType: bodies.streamType,
    body: Buffer.concat(piecesOf({ bodies, mode: "streamed" }, said)),
  },
});

/** Nine steps with two calls each, all thought over and signed, then an answer. */
const sayAt = (step: number): Said => {
  const signature = Buffer.from(`signature ${step}`).toString("base64");
  if (step % STEPS_OF_A_TURN === STEPS_OF_A_TURN - 1) return { text: `Turn done at step ${step}.`, finish: "stop" };
  const call = (name: string) => ({
    id: `call_${step}_${name}`,
    name: "read_file",
    arguments: JSON.stringify({ path: `${name}.txt` }),
  });
  return {
    reasoning: `Step ${step} wants two files.`,
    signature,
    ...(step % 2 === 0 ? { text: `Reading at step ${step}.` } : {}),
    calls: [call(`file${step % 3}`), call("missing")],
    finish: "tool_calls",
  };
};

const play = async (session: OpenSession, text: string): Promise<readonly AgentEvent[]> => {
  const input = { parts: [{ type: "text", text }], origin: { surface: "cli" } } as const;
  const events = await Array.fromAsync(session.agent.run(input, { signal: new AbortController().signal }));
  const end = events.at(-1);
  if (end?.type !== "turn_finished" || end.status !== "completed") throw new Error(JSON.stringify(end));
  return events;
};

/**
 * What is cached so far is marked inside the newest messages, where the API does not do it by itself. The marks move and are no
 * content.
 */
const withoutMarks = (body: string): string =>
  body.replaceAll(',"cache_control":{"type":"ephemeral"}', "").replaceAll(',{"cachePoint":{"type":"default"}}', "");

/** A body up to the end of its last message. */
const withoutClosing = (body: string): string => body.replace(/[\]}]+$/, "");

/** The members of a body before the conversation: system text, tools, parameters. */
const headOf = (body: string): string => /^.*?"(?:messages|input|contents)":\[/s.exec(body)?.[0] ?? "";

const bodiesSentTo = (provider: ScriptedProvider): readonly string[] => provider.requests.map(({ rawBody }) => rawBody);

const expectGrowth = (wire: WireId, bodies: readonly string[]): void => {
  const heads = new Set(bodies.map((body) => (wire === "chat_completions" ? chatHeadOf(body) : headOf(body))));
  expect([...heads]).toHaveLength(1);
  expect([...heads][0]).toContain('"read_file"');
  const plain = bodies.map(withoutMarks);
  for (const [at, body] of plain.entries()) {
    expect(illegalIn(wire, bodies[at] ?? ""), `request ${at}`).toEqual([]);
    const before = plain[at - 1];
    if (before === undefined) continue;
    const beginning = withoutClosing(before);
    expect(body.length, `request ${at}`).toBeGreaterThan(beginning.length);
    expect(body.slice(0, beginning.length), `request ${at}`).toBe(beginning);
  }
};

/** In this format the system text is the first message. */
const chatHeadOf = (body: string): string =>
  /^.*?"messages":\[\{"role":"system","content":"(?:[^"\\]|\\.)*"\}/s.exec(body)?.[0] ?? "";

const openTempApp = (route: Route, root: string): TempApp =>
  createTempApp({
    config: `model:\n  provider: ${route.provider}\n  default: "${route.model}"\n  api_mode: ${route.wire}\nagent:\n  reasoning_effort: high\n`,
    environment: route.environment(root),
  });

test.each(ROUTES.map((route) => [route.wire, route.provider, route.model, route] as const))(
  "R-PROMPT-3 %s of %s (%s): over thirty steps each request begins with the bytes of the one before, and so does a resumed session",
  async (...[, , , route]) => {
    const bodies = WIRE_BODIES.find(({ wire }) => wire === route.wire)!;
    let step = -1;
    await using provider = await startScriptedProvider();
    provider.answerAlways(() => {
      step += 1;
      return answerOf(bodies, sayAt(step));
    });
    await using temp = openTempApp(route, provider.baseUrl.replace(/\/v1$/, ""));
    for (const at of [0, 1, 2])
      writeFileSync(join(temp.cwd, `file${at}.txt`), `words of file ${at}: 日🦜\n`.repeat(at + 1));
    let id = "";
    {
      await using session = await openSession(temp.app, temp.request({ yolo: true }));
      id = session.record.id;
      for (const text of ["read the files", "once more, please", "and a third time"]) await play(session, text);
    }
    expect(provider.requests).toHaveLength(3 * STEPS_OF_A_TURN);
    expectGrowth(route.wire, bodiesSentTo(provider));
    // The signed thinking of the newest turn is in the last request, as the provider wrote it.
    expect(provider.requests.at(-1)?.rawBody).toContain(Buffer.from("signature 28").toString("base64"));
    const again = temp.again();
    await using resumed = await openSession(again, temp.request({ yolo: true, start: { kind: "named", name: id } }));
    await play(resumed, "after a restart");
    expect(provider.requests).toHaveLength(4 * STEPS_OF_A_TURN);
    expectGrowth(route.wire, bodiesSentTo(provider));
  },
  60_000,
);
