import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { describe, expect, test } from "vitest";
import { converseBody } from "../../../testing/event-stream.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { assembleAnswer } from "../../assemble.ts";
import { NO_CREDENTIAL } from "../../credential.ts";
import { textOf, toolCallsOf } from "../../message.ts";
import { createBedrockConverseWire } from "./bedrock-converse.ts";
import { digestOf } from "./opaque.ts";

/** Replays real recorded traffic; the expectation is folded from the recording by code that shares nothing with the wire. */
const STREAMS = join(import.meta.dirname, "../../../../../shared/contracts/streams");
const present = existsSync(STREAMS);

interface Recorded {
  readonly id: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

interface Interaction {
  readonly api: string;
  readonly request: { readonly url: string };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

/** Binary bodies, and some others, are kept as base64. */
const bytesOf = (body: unknown): Buffer => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return /^[A-Za-z0-9+/=\s]+$/.test(text) ? Buffer.from(text, "base64") : Buffer.from(text, "utf8");
};

const fromRecordings = (): Recorded[] =>
  readFileSync(join(STREAMS, "bedrock.jsonl"), "utf8")
    .trim()
    .split("\n")
    .flatMap((line) => {
      const recording = JSON.parse(line) as { id: string; interactions: Interaction[] };
      return recording.interactions.flatMap(({ api, request, response }, turn) =>
        api === "converse" && /\/converse(?:-stream)?$/.test(request.url)
          ? [{ ...response, id: `${recording.id}#${turn}`, bytes: bytesOf(response.body) }]
          : [],
      );
    });

const fromFixtures = (): Recorded[] => {
  const folder = join(STREAMS, "vercel-ai/amazon-bedrock");
  return readdirSync(folder).map((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const events = (): Record<string, unknown>[] =>
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const bytes = name.endsWith(".txt") ? Buffer.from(converseBody(...events())) : Buffer.from(text, "utf8");
    return { id: name, status: 200, headers: {}, bytes };
  });
};

interface LooseBlock {
  text?: string;
  toolUse?: { name?: string; type?: string; input?: unknown };
  toolResult?: unknown;
  reasoningContent?: { reasoningText?: { text?: string; signature?: string }; redactedContent?: string };
  citationsContent?: { content: { text: string }[] };
}

interface Folded {
  readonly blocks: LooseBlock[];
  readonly usage: Readonly<Record<string, number>>;
  readonly stop: string | undefined;
}

interface LooseEvent {
  readonly contentBlockIndex: number;
  readonly start?: LooseBlock;
  readonly delta?: {
    text?: string;
    toolUse?: { input: string };
    reasoningContent?: { text?: string; signature?: string; redactedContent?: string };
  };
  readonly usage?: Record<string, number>;
  readonly stopReason?: string;
}

const isObject = (bytes: Buffer): boolean => bytes[0] === 0x7b;

const eventsIn = (bytes: Buffer): LooseEvent[] => {
  const codec = new EventStreamCodec(
    (raw) => Buffer.from(raw).toString("utf8"),
    (text) => Buffer.from(text, "utf8"),
  );
  const events: LooseEvent[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const { body } = codec.decode(bytes.subarray(at, at + bytes.readUInt32BE(at)));
    events.push(JSON.parse(Buffer.from(body).toString("utf8")) as LooseEvent);
  }
  return events;
};

const foldIndependently = (bytes: Buffer): Folded => {
  if (isObject(bytes)) {
    const value = JSON.parse(bytes.toString("utf8")) as {
      output: { message: { content: LooseBlock[] } };
      usage: Record<string, number>;
      stopReason: string;
    };
    return { blocks: value.output.message.content, usage: value.usage, stop: value.stopReason };
  }
  const blocks: LooseBlock[] = [];
  let usage: Record<string, number> = {};
  let stop: string | undefined;
  for (const { contentBlockIndex: at, start, delta, ...event } of eventsIn(bytes)) {
    usage = event.usage ?? usage;
    stop = event.stopReason ?? stop;
    if (start !== undefined) blocks[at] = structuredClone(start);
    if (delta === undefined) continue;
    const block = (blocks[at] ??= {});
    if (delta.text !== undefined) block.text = (block.text ?? "") + delta.text;
    if (delta.toolUse !== undefined && block.toolUse !== undefined) {
      const before = block.toolUse.input;
      block.toolUse.input = (typeof before === "string" ? before : "") + delta.toolUse.input;
    }
    const { text, signature, redactedContent } = delta.reasoningContent ?? {};
    if (redactedContent !== undefined) block.reasoningContent = { redactedContent };
    if (text === undefined && signature === undefined) continue;
    const before = block.reasoningContent?.reasoningText ?? {};
    block.reasoningContent = {
      reasoningText: {
        text: (before.text ?? "") + (text ?? ""),
        ...(signature === undefined ? {} : { signature }),
      },
    };
  }
  return { blocks: blocks.filter((block) => block !== undefined), usage, stop };
};

const FINISH: Record<string, string> = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  guardrail_intervened: "refusal",
};

const wordsOf = ({ text, citationsContent }: LooseBlock): string =>
  (text ?? "") + (citationsContent?.content ?? []).map((part) => part.text).join("");

const argumentsIn = (input: unknown): unknown => {
  if (typeof input !== "string") return input ?? {};
  return input === "" ? {} : (JSON.parse(input) as unknown);
};

// A small generator of our own, so that a failing run can be repeated from its printed seed.
const randomSizes = (seed: number): number[] => {
  let state = seed;
  return Array.from({ length: 97 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 1 + (state % 61);
  });
};

describe.skipIf(!present)(`recorded Converse bodies${present ? "" : " (skipped: ../shared is not here)"}`, () => {
  const all = present ? [...fromRecordings(), ...fromFixtures()] : [];
  const answers = all.filter(({ status, bytes }) => status === 200 && !bytes.includes("[[elided-base64"));
  const seed = process.pid * 7919;
  const wire = createBedrockConverseWire({ redact: (text) => text });
  const target = {
    provider: "recorded",
    model: "m",
    baseUrl: "http://127.0.0.1",
    credential: NO_CREDENTIAL,
    quirks: { imagesInResults: true },
    stream: true,
  };

  test("there is traffic of every kind to replay", () => {
    expect(answers.filter(({ bytes }) => !isObject(bytes)).length).toBeGreaterThan(30);
    expect(answers.filter(({ bytes }) => isObject(bytes)).length).toBeGreaterThan(100);
    const blocks = answers.flatMap(({ bytes }) =>
      foldIndependently(bytes).blocks.flatMap((block) => Object.keys(block)),
    );
    for (const type of ["text", "reasoningContent", "toolUse", "toolResult", "citationsContent"]) {
      expect(blocks).toContain(type);
    }
  });

  test(`every recording decodes to what it says, whatever the cuts (seed ${seed})`, async () => {
    const sizes = randomSizes(seed);
    for (const { id, bytes } of answers) {
      const { blocks, usage, stop } = foldIndependently(bytes);
      const decoded = await collect(wire.decode(cutBody(bytes, sizes), { target, contentType: "" }));
      const { message, finish } = assembleAnswer(decoded, target);
      const calls = blocks.flatMap(({ toolUse }) =>
        toolUse === undefined || toolUse.type === "server_tool_use" ? [] : [toolUse],
      );
      expect(
        decoded.filter(({ type }) => type === "error"),
        id,
      ).toEqual([]);
      expect(textOf(message), id).toBe(blocks.map(wordsOf).join(""));
      expect(
        toolCallsOf(message).map((call) => [call.name, argumentsIn(call.arguments)]),
        id,
      ).toEqual(calls.map(({ name, input }) => [name, argumentsIn(input)]));
      expect(finish, id).toBe(FINISH[stop ?? ""]);
      expect(message.usage?.outputTokens, id).toBe(usage["outputTokens"]);
      // What the provider adds up itself: everything that was read and written.
      expect((message.usage?.inputTokens ?? 0) + (message.usage?.outputTokens ?? 0), id).toBe(
        usage["totalTokens"] ?? 0,
      );
      const kept = message.parts.flatMap((part) => (part.type === "opaque" ? [part.data as { block: string }] : []));
      expect(
        kept.filter(({ block }) => block === "reasoning"),
        id,
      ).toEqual(
        blocks.flatMap(({ reasoningContent }) => {
          const { text = "", signature } = reasoningContent?.reasoningText ?? {};
          return signature === undefined ? [] : [{ block: "reasoning", signature, textSha256: digestOf(text) }];
        }),
      );
    }
  });

  test("a stream that is cut anywhere ends without a finish or as a whole, never with an error", async () => {
    const [longest] = answers
      .filter(({ bytes }) => !isObject(bytes))
      .toSorted((a, b) => b.bytes.length - a.bytes.length);
    const bytes = longest?.bytes ?? Buffer.alloc(0);
    const whole = assembleAnswer(await collect(wire.decode(cutBody(bytes), { target, contentType: "" })), target);
    for (let end = 0; end < bytes.length; end += 7) {
      const decoded = await collect(wire.decode(cutBody(bytes.subarray(0, end)), { target, contentType: "" }));
      expect(decoded.some(({ type }) => type === "error")).toBe(false);
      expect(textOf(whole.message).startsWith(textOf(assembleAnswer(decoded, target).message))).toBe(true);
    }
  });

  test("B09 what a recorded answer thought goes back as it came, in its place", async () => {
    const objects = answers.filter(
      ({ bytes }) => isObject(bytes) && /"(?:signature|redactedContent|toolResult)"/.test(bytes.toString("utf8")),
    );
    expect(objects.length).toBeGreaterThan(4);
    for (const { id, bytes } of objects) {
      const { blocks } = foldIndependently(bytes);
      const { message } = assembleAnswer(
        await collect(wire.decode(cutBody(bytes), { target, contentType: "" })),
        target,
      );
      const tools = [{ name: "t", description: "", parameters: {} }];
      const { body } = wire.encode({ system: "", messages: [message], tools }, target);
      const [, sent] = (JSON.parse(body) as { messages: { content: LooseBlock[] }[] }).messages;
      const opaque = (list: readonly LooseBlock[]): unknown[] =>
        list.filter(
          ({ reasoningContent, toolResult, toolUse }) =>
            reasoningContent?.reasoningText?.signature !== undefined ||
            reasoningContent?.redactedContent !== undefined ||
            toolResult !== undefined ||
            toolUse?.type === "server_tool_use",
        );
      expect(opaque(sent?.content ?? []), id).toEqual(opaque(blocks));
      const order = (list: readonly LooseBlock[]): string[] =>
        list
          .filter(({ text }) => text?.trim() !== "")
          .map((block) => Object.keys(block)[0] ?? "")
          .map((type) => (type === "citationsContent" ? "text" : type))
          .filter((type, at, types) => type !== "text" || types[at - 1] !== "text");
      expect(order(sent?.content ?? []), id).toEqual(order(blocks));
    }
  });

  test("recorded refusals of requests are classified", () => {
    const kinds = all
      .filter(({ status }) => status !== 200)
      .map(({ status, headers, bytes }) => {
        const answer = { status, headers: new Headers(headers), body: bytes.toString("utf8") };
        return [status, wire.classify(answer, 0).kind] as const;
      });
    expect(kinds.toSorted(([a, x], [b, y]) => a - b || x.localeCompare(y))).toEqual([
      [400, "model_not_found"],
      [400, "overflow"],
      [403, "auth"],
    ]);
  });
});
