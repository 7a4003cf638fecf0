import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { assembleAnswer } from "../../assemble.ts";
import { textOf, toolCallsOf } from "../../message.ts";
import { createAnthropicMessagesWire } from "./anthropic-messages.ts";
import { digestOf } from "./opaque.ts";
import { NO_CREDENTIAL } from "../../credential.ts";

/** Replays real recorded traffic; the expectation is folded from the recording by code that shares nothing with the wire. */
const STREAMS = join(import.meta.dirname, "../../../../../shared/contracts/streams");
const present = existsSync(STREAMS);

interface Recorded {
  readonly id: string;
  readonly status: number;
  readonly text: string;
}

interface Interaction {
  readonly api: string;
  readonly request: { readonly url: string; readonly method: string };
  readonly response: { readonly status: number; readonly body: unknown };
}

/** Some recordings hold the body as base64. */
const plainText = (body: unknown): string => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return /^[A-Za-z0-9+/=\s]+$/.test(text) ? Buffer.from(text, "base64").toString("utf8") : text;
};

const fromRecordings = (): Recorded[] =>
  readdirSync(STREAMS)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(STREAMS, name), "utf8").trim().split("\n"))
    .flatMap((line) => {
      const recording = JSON.parse(line) as { id: string; interactions: Interaction[] };
      return recording.interactions.flatMap(({ api, request, response }, turn) => {
        const isCall = api === "messages" && request.method === "POST" && /\/v1\/messages(?:\?|$)/.test(request.url);
        if (!isCall) return [];
        return [{ id: `${recording.id}#${turn}`, status: response.status, text: plainText(response.body) }];
      });
    });

const fromFixtures = (): Recorded[] => {
  const folder = join(STREAMS, "vercel-ai/anthropic");
  const fixtures = readdirSync(folder)
    // Cut in the middle on purpose: has a test of its own.
    .filter((name) => /\.(?:json|txt)$/.test(name) && !name.startsWith("spliced"))
    .map((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      const lines = text.trim().split("\n");
      return { id: name, text: name.endsWith(".txt") ? lines.map((line) => `data: ${line}\n\n`).join("") : text };
    });
  const sdk = ["stream-a-refusal.sse", "stream-a-toolrefusal.sse", "basic_response.txt"].map((id) => ({
    id,
    text: readFileSync(join(STREAMS, "anthropic-sdk", id), "utf8"),
  }));
  return [...fixtures, ...sdk].map((fixture) => ({ ...fixture, status: 200 }));
};

interface LooseBlock {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  name?: string;
  input?: unknown;
  json?: string;
}
interface Loose {
  readonly type: string;
  readonly index: number;
  readonly content_block: LooseBlock;
  readonly delta: Record<string, string | undefined>;
  readonly message: { readonly usage?: Record<string, unknown> };
  readonly usage?: Record<string, unknown>;
  readonly content?: LooseBlock[];
  readonly stop_reason?: string;
}

interface Folded {
  blocks: LooseBlock[];
  usage: Record<string, unknown>;
  stop: string | undefined;
}

const isStream = (text: string): boolean => !text.trimStart().startsWith("{");

const foldIndependently = (text: string): Folded => {
  if (!isStream(text)) {
    const value = JSON.parse(text) as Loose;
    return { blocks: value.content ?? [], usage: value.usage ?? {}, stop: value.stop_reason };
  }
  const folded: Folded = { blocks: [], usage: {}, stop: undefined };
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (!line.startsWith("data:")) continue;
    const event = JSON.parse(line.slice(5)) as Loose;
    const block = folded.blocks[event.index];
    if (event.type === "message_start") Object.assign(folded.usage, event.message.usage);
    if (event.type === "content_block_start") folded.blocks[event.index] = { ...event.content_block };
    if (event.type === "content_block_delta" && block !== undefined) {
      block.text = (block.text ?? "") + (event.delta.text ?? "");
      block.thinking = (block.thinking ?? "") + (event.delta.thinking ?? "");
      block.signature = (block.signature ?? "") + (event.delta.signature ?? "");
      block.json = (block.json ?? "") + (event.delta.partial_json ?? "");
    }
    if (event.type === "message_delta") {
      Object.assign(folded.usage, event.usage);
      folded.stop = event.delta.stop_reason;
    }
  }
  return folded;
};

const FINISH: Record<string, string> = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  pause_turn: "length",
  refusal: "refusal",
};

const numberIn = (usage: Record<string, unknown>, name: string): number => Number(usage[name] ?? 0);

// A small generator of our own, so that a failing run can be repeated from its printed seed.
const randomSizes = (seed: number): number[] => {
  let state = seed;
  return Array.from({ length: 97 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 1 + (state % 61);
  });
};

describe.skipIf(!present)(`recorded Messages bodies${present ? "" : " (skipped: ../shared is not here)"}`, () => {
  const all = present ? [...fromRecordings(), ...fromFixtures()] : [];
  const answers = all.filter(({ status, text }) => status === 200 && !text.includes("[[elided-base64"));
  const seed = process.pid * 7919;
  const wire = createAnthropicMessagesWire({ redact: (text) => text });
  const target = {
    provider: "recorded",
    model: "m",
    baseUrl: "http://127.0.0.1",
    credential: NO_CREDENTIAL,
    quirks: {},
    stream: true,
  };

  test("there is traffic of every kind to replay", () => {
    expect(answers.filter(({ text }) => isStream(text)).length).toBeGreaterThan(60);
    expect(answers.filter(({ text }) => !isStream(text)).length).toBeGreaterThan(200);
    const blocks = answers.flatMap(({ text }) => foldIndependently(text).blocks.map(({ type }) => type));
    for (const type of ["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use"]) {
      expect(blocks).toContain(type);
    }
  });

  test(`every recording decodes to what it says, whatever the cuts (seed ${seed})`, async () => {
    const sizes = randomSizes(seed);
    for (const { id, text } of answers) {
      const { blocks, usage, stop } = foldIndependently(text);
      const decoded = await collect(wire.decode(cutBody(text, sizes), { target, contentType: "" }));
      const { message, finish } = assembleAnswer(decoded, target);
      const calls = blocks.filter(({ type }) => type === "tool_use");
      expect(
        decoded.filter(({ type }) => type === "error"),
        id,
      ).toEqual([]);
      expect(textOf(message), id).toBe(blocks.map(({ type, text }) => (type === "text" ? text : "")).join(""));
      expect(
        toolCallsOf(message).map((call) => [
          call.name,
          call.arguments === "" ? {} : (JSON.parse(call.arguments) as unknown),
        ]),
        id,
      ).toEqual(calls.map(({ name, input, json }) => [name, json ? (JSON.parse(json) as unknown) : input]));
      expect(finish, id).toBe(FINISH[stop ?? ""]);
      expect(message.usage?.outputTokens, id).toBe(numberIn(usage, "output_tokens"));
      expect(message.usage?.inputTokens, id).toBe(
        numberIn(usage, "input_tokens") +
          numberIn(usage, "cache_read_input_tokens") +
          numberIn(usage, "cache_creation_input_tokens"),
      );
      const signatures = message.parts.flatMap((part) => (part.type === "opaque" ? [part.data] : []));
      expect(
        signatures.filter((data) => (data as { block: string }).block === "thinking"),
        id,
      ).toEqual(
        blocks
          .filter(({ type }) => type === "thinking")
          .map(({ thinking = "", signature }) => ({ block: "thinking", signature, textSha256: digestOf(thinking) })),
      );
    }
  });

  test("B09 what a recorded answer thought goes back as it came, in its place", () => {
    // Proven on the answers that came as one object: their blocks are the expectation.
    const objects = answers.filter(({ text }) => !isStream(text) && /"(?:redacted_)?thinking"/.test(text));
    return Promise.all(
      objects.map(async ({ id, text }) => {
        const { blocks } = foldIndependently(text);
        const { message } = assembleAnswer(
          await collect(wire.decode(cutBody(text), { target, contentType: "" })),
          target,
        );
        const { body } = wire.encode({ system: "", messages: [message], tools: [] }, target);
        const [, sent] = (JSON.parse(body) as { messages: { content: LooseBlock[] }[] }).messages;
        const kept = (list: readonly LooseBlock[]): unknown[] => list.filter(({ type }) => /thinking/.test(type));
        expect(kept(sent?.content ?? []), id).toEqual(kept(blocks));
        // Neighbouring texts are one text here, and blank ones may not be sent.
        const order = (list: readonly LooseBlock[]): string[] =>
          list
            .filter(({ type, text }) => type !== "text" || text?.trim() !== "")
            .map(({ type }) => type)
            .filter((type, at, types) => type !== "text" || types[at - 1] !== "text");
        expect(order(sent?.content ?? []), id).toEqual(order(blocks));
      }),
    );
  });

  test("an answer that a gateway spliced from two is a fault", async () => {
    const lines = readFileSync(join(STREAMS, "vercel-ai/anthropic/spliced-message-start.chunks.txt"), "utf8");
    const body = lines
      .trim()
      .split("\n")
      .map((line) => `data: ${line}\n\n`)
      .join("");
    const decoded = await collect(wire.decode(cutBody(body), { target, contentType: "" }));
    expect(decoded.at(-1)).toMatchObject({ type: "error", error: { kind: "server" } });
  });

  test("recorded refusals of requests are classified", () => {
    const kinds = all
      .filter(({ status }) => status !== 200)
      .map(
        ({ status, text }) => [status, wire.classify({ status, headers: new Headers(), body: text }, 0).kind] as const,
      );
    expect(kinds.toSorted(([a], [b]) => a - b)).toEqual([
      [400, "invalid_request"],
      [401, "auth"],
      [404, "model_not_found"],
    ]);
  });
});
