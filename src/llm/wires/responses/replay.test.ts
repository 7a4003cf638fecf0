import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assembleAnswer } from "../../assemble.ts";
import { textOf, toolCallsOf, type AssistantMessage } from "../../message.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { createResponsesWire } from "./responses.ts";
import { NO_CREDENTIAL } from "../../credential.ts";

/** Replays real recorded traffic; the expectation is folded from the recording by code that shares nothing with the wire. */
const STREAMS = join(import.meta.dirname, "../../../../../shared/contracts/streams");
const present = existsSync(STREAMS);
const why = present ? "" : " (skipped: ../shared is not here)";

interface Interaction {
  readonly api: string;
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };
}

interface Body {
  readonly id: string;
  readonly text: string;
}

const decodedText = (body: unknown): string | undefined => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (text.includes("[[elided-base64")) return undefined;
  // Some recordings hold the body as base64.
  const plain = /^[A-Za-z0-9+/=\s]+$/.test(text) ? Buffer.from(text, "base64").toString("utf8") : text;
  return /^\s*(?:\{|:|data:|event:)/.test(plain) ? plain : undefined;
};

const linesOf = (name: string): string[] => readFileSync(join(STREAMS, name), "utf8").trim().split("\n");

const interactions = (): (Interaction & { readonly id: string })[] =>
  readdirSync(STREAMS)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap(linesOf)
    .flatMap((line) => {
      const recording = JSON.parse(line) as { id: string; interactions: Interaction[] };
      return recording.interactions.map((one, turn) => ({ ...one, id: `${recording.id}#${turn}` }));
    })
    .filter(({ api }) => api === "responses");

const recordedBodies = (): Body[] =>
  interactions().flatMap(({ id, response }) => {
    const text = response.status === 200 ? decodedText(response.body) : undefined;
    return text === undefined ? [] : [{ id, text }];
  });

/** Some fixtures were edited by hand: pieces that say another text than the whole, two answers in a file, cut lines. */
const isConsistent = (lines: readonly string[]): boolean => {
  const pieces = new Map<string, string>();
  const wholes = new Map<string, string>();
  for (const line of lines) {
    let event: { type: string; item_id?: string; delta?: string; text?: string };
    try {
      event = JSON.parse(line) as typeof event;
    } catch {
      return false;
    }
    const id = event.item_id ?? "";
    if (event.type === "response.output_text.delta") pieces.set(id, (pieces.get(id) ?? "") + event.delta);
    if (event.type === "response.output_text.done") wholes.set(id, (wholes.get(id) ?? "") + event.text);
  }
  const endings = lines.filter((line) => line.startsWith('{"type":"response.completed"')).length;
  return endings < 2 && [...wholes].every(([id, whole]) => (pieces.get(id) ?? "") === whole);
};

/** One payload a line, without the framing. */
const fixtureBodies = (): Body[] =>
  ["openai/responses", "azure", "open-responses/responses", "xai/responses"].flatMap((folder) =>
    readdirSync(join(STREAMS, "vercel-ai", folder)).flatMap((name) => {
      const text = readFileSync(join(STREAMS, "vercel-ai", folder, name), "utf8").trim();
      const id = `${folder}/${name}`;
      if (!name.endsWith(".chunks.txt")) return [{ id, text }];
      const lines = text.split("\n");
      return isConsistent(lines) ? [{ id, text: lines.map((line) => `data: ${line}\n\n`).join("") }] : [];
    }),
  );

interface LoosePart {
  readonly type?: string;
  readonly text?: string;
  readonly refusal?: string;
}
interface LooseItem {
  readonly type: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly encrypted_content?: string | null;
  readonly phase?: string | null;
  readonly content?: readonly LoosePart[] | null;
  readonly summary?: readonly LoosePart[] | null;
}
interface LooseResponse {
  readonly status?: string;
  readonly error?: unknown;
  readonly output?: readonly LooseItem[] | null;
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly usage?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly input_tokens_details?: { readonly cached_tokens?: number };
    readonly output_tokens_details?: { readonly reasoning_tokens?: number };
  } | null;
}
interface LooseEvent {
  readonly type?: string;
  readonly item?: LooseItem;
  readonly output_index?: number;
  readonly response?: LooseResponse;
}

interface Folded {
  readonly items: readonly LooseItem[];
  readonly response: LooseResponse | undefined;
  readonly failed: boolean;
}

/** Whole items only: the pieces are what the wire has to put together to the same. */
const foldIndependently = (text: string): Folded => {
  const start = text.trimStart();
  if (start.startsWith("{")) {
    const response = JSON.parse(start) as LooseResponse;
    return { items: response.output ?? [], response, failed: Boolean(response.error) };
  }
  const events = text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith("data:") && !line.includes("[DONE]"))
    .map((line) => JSON.parse(line.slice(5)) as LooseEvent);
  const ending = events.findLast((event) =>
    ["response.completed", "response.incomplete", "response.failed"].includes(event.type ?? ""),
  );
  const done = events.flatMap((event) => (event.type === "response.output_item.done" && event.item ? [event] : []));
  const ordered = done.toSorted((a, b) => (a.output_index ?? 0) - (b.output_index ?? 0));
  return {
    items: ordered.length > 0 ? ordered.flatMap((event) => event.item ?? []) : (ending?.response?.output ?? []),
    response: ending?.response,
    failed: events.some((event) => event.type === "error" || event.type === "response.failed"),
  };
};

const textsOf = (item: LooseItem): string =>
  (item.content ?? []).map((part) => (part.type === "refusal" ? "" : (part.text ?? ""))).join("");

const expectedText = ({ items }: Folded): string => {
  const runs: string[] = [];
  let after = "";
  for (const item of items) {
    if (item.type === "function_call") after = "call";
    if (item.type === "reasoning" && reasoningOf(item) !== "") after = "reasoning";
    if (item.type !== "message" || textsOf(item) === "") continue;
    if (after === "message") runs.push("\n\n");
    runs.push(textsOf(item));
    after = "message";
  }
  return runs.join("");
};

const reasoningOf = (item: LooseItem): string =>
  [item.content ?? [], item.summary ?? []]
    .map((parts) =>
      parts
        .map((part) => part.text ?? "")
        .filter((text) => text !== "")
        .join("\n\n"),
    )
    .find((text) => text !== "") ?? "";

const reasoningIn = (message: AssistantMessage): string =>
  message.parts.map((part) => (part.type === "reasoning" ? part.text : "")).join("");

/** Blank lines between parts are the reader's; the words are the provider's. */
const words = (text: string): string => text.replaceAll(/\s+/g, "");

const expectedFinish = ({ items, response }: Folded): string | undefined => {
  if (response === undefined || response.status === "queued" || response.status === "in_progress") return undefined;
  if (response.status === "incomplete") {
    return response.incomplete_details?.reason === "content_filter" ? "refusal" : "length";
  }
  if (items.some((item) => item.content?.some((part) => part.type === "refusal"))) return "refusal";
  return items.some((item) => item.type === "function_call") ? "tool_calls" : "stop";
};

// A small generator of our own, so that a failing run can be repeated from its printed seed.
const randomSizes = (seed: number): number[] => {
  let state = seed;
  return Array.from({ length: 97 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 1 + (state % 61);
  });
};

describe.skipIf(!present)(`recorded Responses bodies${why}`, () => {
  const bodies = present ? [...recordedBodies(), ...fixtureBodies()] : [];
  const seed = process.pid * 7919;
  const wire = createResponsesWire({ redact: (text) => text });
  const target = {
    provider: "recorded",
    model: "m",
    baseUrl: "http://127.0.0.1",
    credential: NO_CREDENTIAL,
    quirks: {},
    stream: true,
  };
  const isResponse = (text: string): boolean =>
    !/"object":\s*"(?:response\.compaction|response\.input_tokens|chat\.completion)/.test(text);

  test("there is traffic of every kind to replay", () => {
    expect(bodies.filter(({ text }) => text.trimStart().startsWith("{")).length).toBeGreaterThan(250);
    expect(bodies.filter(({ text }) => !text.trimStart().startsWith("{")).length).toBeGreaterThan(80);
  });

  test(`B05 B06 B08 B09 every recording decodes to what it says, whatever the cuts (seed ${seed})`, async () => {
    const sizes = randomSizes(seed);
    const seen = { calls: 0, encrypted: 0, phases: 0, reasoning: 0, errors: 0, compared: 0 };
    for (const { id, text } of bodies.filter((body) => isResponse(body.text))) {
      const folded = foldIndependently(text);
      const decoded = await collect(wire.decode(cutBody(text, sizes), { target, contentType: "" }));
      expect(
        decoded.some((event) => event.type === "error"),
        id,
      ).toBe(folded.failed);
      seen.errors += folded.failed ? 1 : 0;
      if (folded.failed) continue;
      const { message } = assembleAnswer(decoded, target);
      const calls = folded.items.filter((item) => item.type === "function_call");
      const reasoning = folded.items.filter((item) => item.type === "reasoning");
      expect(textOf(message), id).toBe(expectedText(folded));
      expect(words(reasoningIn(message)), id).toBe(words(reasoning.map(reasoningOf).join("")));
      expect(
        toolCallsOf(message).map((call) => [call.id, call.name, call.arguments]),
        id,
      ).toEqual(calls.map((call) => [call.call_id, call.name, call.arguments]));
      const opaque = message.parts.flatMap((part) => (part.type === "opaque" ? [part.data] : []));
      expect(opaque, id).toEqual(
        folded.items.flatMap((item): object[] => {
          if (item.type === "reasoning" && item.encrypted_content) {
            return [{ item: "reasoning", encrypted: item.encrypted_content }];
          }
          return item.type === "message" && item.phase && textsOf(item) !== ""
            ? [{ item: "message", phase: item.phase }]
            : [];
        }),
      );
      const usage = folded.response?.usage;
      expect(decoded.findLast((event) => event.type === "finish")?.reason, id).toBe(expectedFinish(folded));
      expect(message.usage?.inputTokens, id).toBe(usage?.input_tokens);
      expect(message.usage?.outputTokens, id).toBe(usage?.output_tokens);
      expect(message.usage?.cacheReadTokens, id).toBe(usage?.input_tokens_details?.cached_tokens);
      expect(message.usage?.reasoningTokens, id).toBe(usage?.output_tokens_details?.reasoning_tokens);
      seen.calls += calls.length;
      seen.reasoning += reasoning.length;
      seen.encrypted += opaque.length;
      seen.phases += folded.items.filter((item) => item.phase).length;
      seen.compared += 1;
    }
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
    expect(seen.compared).toBeGreaterThan(300);
  });

  test("every recorded refusal has a kind of its own", () => {
    const kinds = interactions()
      .filter(({ response }) => response.status !== 200)
      .map(({ id, response }) => {
        const body = typeof response.body === "string" ? response.body : JSON.stringify(response.body);
        const { kind } = wire.classify({ status: response.status, headers: new Headers(), body }, 0);
        return `${id} ${response.status} ${/"code":\s*"([a-z_]+)"/.exec(body)?.[1] ?? "none"} ${kind}`;
      });
    expect(new Set(kinds.map((line) => line.slice(line.indexOf(" ") + 1)))).toEqual(
      new Set([
        "400 context_length_exceeded overflow",
        "401 invalid_api_key auth",
        "400 model_not_found model_not_found",
        "400 none invalid_request",
        "400 invalid_request_error invalid_request",
      ]),
    );
  });
});
