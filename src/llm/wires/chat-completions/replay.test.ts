import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assembleAnswer } from "../../assemble.ts";
import { textOf, toolCallsOf } from "../../message.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { createChatCompletionsWire } from "./chat-completions.ts";
import { NO_CREDENTIAL } from "../../credential.ts";

/** Replays real recorded traffic; the expectation is folded from the recording by code that shares nothing with the wire. */
const STREAMS = join(import.meta.dirname, "../../../../../shared/contracts/streams");
const present = existsSync(STREAMS);

interface Interaction {
  readonly api: string;
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };
}

interface Body {
  readonly id: string;
  readonly contentType: string;
  readonly text: string;
}

const decodedText = (body: unknown): string | undefined => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (text.includes("[[elided-base64")) return undefined;
  // Some recordings hold the body as base64.
  const plain = /^[A-Za-z0-9+/=\s]+$/.test(text) ? Buffer.from(text, "base64").toString("utf8") : text;
  return /^\s*(?:\{|:|data:|event:)/.test(plain) ? plain : undefined;
};

const loadBodies = (): Body[] =>
  readdirSync(STREAMS)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(STREAMS, name), "utf8").trim().split("\n"))
    .flatMap((line) => {
      const recording = JSON.parse(line) as { id: string; interactions: Interaction[] };
      return recording.interactions.flatMap((interaction, turn) => {
        if (interaction.api !== "chat" || interaction.response.status !== 200) return [];
        const text = decodedText(interaction.response.body);
        if (text === undefined) return [];
        const contentType = interaction.response.headers["content-type"] ?? "";
        return [{ id: `${recording.id}#${turn}`, contentType, text }];
      });
    });

interface Folded {
  text: string;
  reasoning: string;
  calls: { name: string; args: string }[];
  usage: Record<string, number> | undefined;
  finish: string | undefined;
}

interface LooseCall {
  readonly index?: number;
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments?: string };
}
interface LoosePart {
  readonly type?: string;
  readonly text?: string;
  readonly summary?: string;
  readonly thinking?: readonly { readonly text: string }[];
}
interface LooseDelta {
  readonly content?: string | readonly LoosePart[] | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly LoosePart[];
  readonly tool_calls?: readonly LooseCall[] | null;
  readonly function_call?: LooseCall["function"] | null;
}
interface LooseChoice {
  readonly index?: number;
  readonly delta?: LooseDelta;
  readonly message?: LooseDelta;
  readonly finish_reason?: string | null;
}
interface Loose {
  readonly choices?: readonly LooseChoice[];
  readonly usage?: Record<string, number>;
  readonly x_groq?: { readonly usage?: Record<string, number> };
}

const chunksOf = (text: string): Loose[] => {
  const start = text.trimStart();
  if (start.startsWith("{")) return [JSON.parse(start) as Loose];
  return text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith("data:") && !line.includes("[DONE]"))
    .map((line) => JSON.parse(line.slice(5)) as Loose);
};

const thinkingText = (part: LoosePart): string => (part.thinking ?? []).map((inner) => inner.text).join("");

const foldIndependently = (text: string): Folded => {
  const folded: Folded = { text: "", reasoning: "", calls: [], usage: undefined, finish: undefined };
  const byKey = new Map<string, { name: string; args: string }>();
  for (const chunk of chunksOf(text)) {
    folded.usage = chunk.usage ?? chunk.x_groq?.usage ?? folded.usage;
    const choice = chunk.choices?.find((one) => (one.index ?? 0) === 0);
    if (choice === undefined) continue;
    const delta: LooseDelta = choice.delta ?? choice.message ?? {};
    if (typeof delta.content === "string") folded.text += delta.content;
    for (const part of typeof delta.content === "object" ? (delta.content ?? []) : []) {
      if (part.type === "text") folded.text += part.text ?? "";
      if (part.type === "thinking") folded.reasoning += thinkingText(part);
    }
    folded.reasoning += delta.reasoning_content || delta.reasoning || "";
    if (!delta.reasoning_content && !delta.reasoning) {
      for (const detail of delta.reasoning_details ?? []) folded.reasoning += detail.text ?? detail.summary ?? "";
    }
    for (const [position, call] of (delta.tool_calls ?? []).entries()) {
      const key = choice.message ? `p${position}` : `i${call.index ?? call.id}`;
      const known = byKey.get(key) ?? { name: "", args: "" };
      if (!byKey.has(key)) folded.calls.push(known);
      byKey.set(key, known);
      known.name ||= call.function.name ?? "";
      known.args += call.function.arguments ?? "";
    }
    if (delta.function_call) {
      const known = byKey.get("legacy") ?? { name: "", args: "" };
      if (!byKey.has("legacy")) folded.calls.push(known);
      byKey.set("legacy", known);
      known.name ||= delta.function_call.name ?? "";
      known.args += delta.function_call.arguments ?? "";
    }
    if (choice.finish_reason) folded.finish = choice.finish_reason;
  }
  const tagged = /^\s*<think>([\s\S]*?)(?:<\/think>\s*|$)/.exec(folded.text);
  if (tagged !== null) {
    folded.reasoning += tagged[1];
    folded.text = folded.text.slice(tagged[0].length);
  }
  return folded;
};

const FINISH: Record<string, string> = { function_call: "tool_calls", content_filter: "refusal" };

const expectedFinish = (folded: Folded, refused: boolean): string | undefined => {
  if (folded.finish === undefined) return undefined;
  if (refused) return "refusal";
  const said = FINISH[folded.finish] ?? folded.finish;
  if (said === "stop" && folded.calls.length > 0) return "tool_calls";
  return said === "tool_calls" && folded.calls.length === 0 ? "stop" : said;
};

// A small generator of our own, so that a failing run can be repeated from its printed seed.
const randomSizes = (seed: number): number[] => {
  let state = seed;
  return Array.from({ length: 97 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 1 + (state % 61);
  });
};

describe.skipIf(!present)(
  `recorded chat-completions bodies${present ? "" : " (skipped: ../shared is not here)"}`,
  () => {
    const bodies = present ? loadBodies() : [];
    const seed = process.pid * 7919;
    const wire = createChatCompletionsWire({ redact: (text) => text });
    const target = {
      provider: "recorded",
      model: "m",
      baseUrl: "http://127.0.0.1",
      credential: NO_CREDENTIAL,
      quirks: {},
      stream: true,
    };

    test("there is traffic of every kind to replay", () => {
      expect(bodies.filter(({ text }) => text.trimStart().startsWith("{")).length).toBeGreaterThan(300);
      expect(bodies.filter(({ text }) => !text.trimStart().startsWith("{")).length).toBeGreaterThan(150);
    });

    test(`B04 B05 B06 every recording decodes to what it says, whatever the cuts (seed ${seed})`, async () => {
      const sizes = randomSizes(seed);
      for (const { id, contentType, text } of bodies) {
        const folded = foldIndependently(text);
        const decoded = await collect(wire.decode(cutBody(text, sizes), { target, contentType }));
        if (decoded.some((event) => event.type === "error")) {
          expect(/"error"/.test(text), id).toBe(true);
          continue;
        }
        const { message } = assembleAnswer(decoded, target);
        const refused = decoded.some((event) => event.type === "refusal");
        const reasoning = message.parts.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
        expect(textOf(message), id).toBe(folded.text);
        expect(reasoning, id).toBe(folded.reasoning);
        expect(
          toolCallsOf(message).map((call) => ({ name: call.name, args: call.arguments })),
          id,
        ).toEqual(folded.calls);
        expect(decoded.findLast((event) => event.type === "finish")?.reason, id).toBe(expectedFinish(folded, refused));
        expect(message.usage?.inputTokens, id).toBe(folded.usage?.prompt_tokens);
        expect(message.usage?.outputTokens, id).toBe(folded.usage?.completion_tokens);
      }
    });
  },
);
