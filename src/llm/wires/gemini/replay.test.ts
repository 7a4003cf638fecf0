import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { assembleAnswer } from "../../assemble.ts";
import { NO_CREDENTIAL } from "../../credential.ts";
import { textOf, toolCallsOf } from "../../message.ts";
import { createGeminiWire } from "./gemini.ts";

/** Replays real recorded traffic; the expectation is folded from the recording by code that shares nothing with the wire. */
const STREAMS = join(import.meta.dirname, "../../../../../shared/contracts/streams");
const present = existsSync(STREAMS);

interface Interaction {
  readonly api: string;
  readonly request: { readonly url: string };
  readonly response: { readonly status: number; readonly body: unknown };
}
interface Recorded {
  readonly id: string;
  readonly status: number;
  readonly text: string;
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
      return recording.interactions.flatMap(({ api, request, response }, turn) =>
        api === "generate-content" && /:(?:streamG|g)enerateContent/.test(request.url)
          ? [
              {
                id: `${recording.id}#${turn}`,
                status: response.status,
                text: plainText(response.body),
              },
            ]
          : [],
      );
    });

const fromFixtures = (): Recorded[] => {
  const folder = join(STREAMS, "vercel-ai/google");
  return readdirSync(folder)
    .filter((name) => /\.(?:json|txt)$/.test(name))
    .map((id) => {
      const text = readFileSync(join(folder, id), "utf8");
      const lines = text.trim().split("\n");
      return {
        id,
        text: id.endsWith(".txt") ? lines.map((line) => `data: ${line}\n\n`).join("") : text,
        status: id.includes("-429-") ? 429 : 200,
      };
    });
};

interface LoosePart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: {
    readonly name?: string;
    readonly args?: unknown;
    readonly willContinue?: boolean;
    readonly partialArgs?: unknown;
  };
}
interface LooseChunk {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly LoosePart[] };
    readonly finishReason?: string | number;
  }[];
  readonly usageMetadata?: Readonly<Record<string, number>>;
  readonly promptFeedback?: unknown;
}

const isStream = (text: string): boolean => !text.trimStart().startsWith("{");

const chunksOf = (text: string): LooseChunk[] =>
  isStream(text)
    ? text
        .split(/\r\n|\r|\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => JSON.parse(line.slice(5)) as LooseChunk)
    : [JSON.parse(text) as LooseChunk];

const partsIn = (chunks: readonly LooseChunk[]): readonly LoosePart[] =>
  chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);

const FINISH: Readonly<Record<string, string>> = {
  STOP: "stop",
  1: "stop",
  MAX_TOKENS: "length",
  SAFETY: "refusal",
  blocked: "refusal",
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
  `recorded generateContent bodies${present ? "" : " (skipped: ../shared is not here)"}`,
  () => {
    const all = present ? [...fromRecordings(), ...fromFixtures()] : [];
    const answers = all.filter(({ status, text }) => status === 200 && !text.includes("[[elided-base64"));
    const seed = process.pid * 7919;
    const wire = createGeminiWire({ redact: (text) => text });
    const target = {
      provider: "recorded",
      model: "gemini-3-pro",
      baseUrl: "http://127.0.0.1",
      credential: NO_CREDENTIAL,
      quirks: {},
      stream: true,
    };
    const read = async (text: string, sizes: readonly number[] = []) => {
      const events = await collect(wire.decode(cutBody(text, sizes), { target, contentType: "" }));
      return { events, ...assembleAnswer(events, target) };
    };

    test("there is traffic of every kind to replay", () => {
      expect(answers.filter(({ text }) => isStream(text)).length).toBeGreaterThan(50);
      expect(answers.filter(({ text }) => !isStream(text)).length).toBeGreaterThan(200);
      const kinds = new Set(
        answers.flatMap(({ text }) => partsIn(chunksOf(text)).flatMap((part) => Object.keys(part))),
      );
      for (const kind of ["text", "thought", "thoughtSignature", "functionCall", "executableCode", "toolCall"]) {
        expect(kinds).toContain(kind);
      }
    });

    test(`every recording decodes to what it says, whatever the cuts (seed ${seed})`, async () => {
      const sizes = randomSizes(seed);
      for (const { id, text } of answers) {
        const chunks = chunksOf(text);
        const parts = partsIn(chunks);
        const { events, message, finish } = await read(text, sizes);
        expect(
          events.filter(({ type }) => type === "error"),
          id,
        ).toEqual([]);
        const said = parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join("");
        if (parts.every((part) => !("inlineData" in part))) expect(textOf(message), id).toBe(said);
        const calls = parts.flatMap(({ functionCall }) => (functionCall?.name === undefined ? [] : [functionCall]));
        const decoded = toolCallsOf(message);
        expect(
          decoded.map(({ name }) => name),
          id,
        ).toEqual(calls.map(({ name }) => name));
        for (const [at, { args, willContinue }] of calls.entries()) {
          if (willContinue === true) continue;
          const raw = decoded[at]?.arguments ?? "";
          expect(raw === "" ? undefined : (JSON.parse(raw) as unknown), id).toEqual(args);
        }
        expect(new Set(decoded.map((call) => call.id)).size, id).toBe(decoded.length);
        const stop = chunks.flatMap(({ candidates }) => candidates?.[0]?.finishReason ?? []).at(-1) ?? "blocked";
        const ordinary = FINISH[stop];
        expect(finish, id).toBe(ordinary === "stop" && calls.length > 0 ? "tool_calls" : ordinary);
        const usage = chunks.findLast((chunk) => chunk.usageMetadata?.promptTokenCount !== undefined)?.usageMetadata;
        if (usage === undefined) continue;
        const { inputTokens = 0, outputTokens = 0, cacheReadTokens } = message.usage ?? {};
        expect(inputTokens + outputTokens, id).toBe(usage.totalTokenCount);
        expect(cacheReadTokens, id).toBe(usage.cachedContentTokenCount);
      }
    });

    test("signatures and the provider's own parts go back as they came", async () => {
      let compared = 0;
      for (const { id, text } of answers) {
        const parts = partsIn(chunksOf(text));
        if (parts.some(({ functionCall }) => functionCall?.partialArgs !== undefined || functionCall?.willContinue))
          continue;
        const { message } = await read(text);
        const { body } = wire.encode({ system: "", messages: [message], tools: [] }, target);
        const sent = (JSON.parse(body) as { contents: { parts: LoosePart[] }[] }).contents[1]?.parts ?? [];
        const kept = (part: LoosePart): boolean =>
          part.thoughtSignature !== undefined || "codeExecutionResult" in part || "executableCode" in part;
        const withoutId = (part: LoosePart): unknown =>
          part.functionCall === undefined
            ? part
            : { ...part, functionCall: { name: part.functionCall.name, args: part.functionCall.args ?? {} } };
        expect(sent.filter(kept).map(withoutId), id).toEqual(parts.filter(kept).map(withoutId));
        compared += parts.filter(kept).length;
      }
      expect(compared).toBeGreaterThan(100);
    });

    test("arguments that come a value at a time", async () => {
      const argsOf = async (name: string): Promise<unknown[]> => {
        const found = answers.find(({ id }) => id.includes(name));
        const { message } = await read(found?.text ?? "", [3, 5]);
        return toolCallsOf(message).map((call) =>
          call.arguments === "" ? {} : (JSON.parse(call.arguments) as unknown),
        );
      };
      expect(await argsOf("no-args-tool-call")).toEqual([{}, { id: "A" }, { id: "B" }, { id: "C" }]);
      expect(await argsOf("array-arguments-missing-terminal")).toEqual([
        {
          operations: [
            { action: "add", description: "Fresh red apple", itemid: "apple_001", price: 0.5 },
            { action: "add", description: "Ripe yellow banana", itemid: "banana_001", price: 0.3 },
          ],
        },
      ]);
    });

    test("a stream that is cut before its end has no finish", async () => {
      for (const { id, text } of answers.filter((answer) => isStream(answer.text))) {
        const before = text.slice(0, text.lastIndexOf("data:"));
        if (before.includes("finishReason")) continue;
        expect((await read(before)).finish, id).toBeUndefined();
      }
    });

    test("recorded refusals of requests are classified", () => {
      const kinds = all
        .filter(({ status }) => status !== 200)
        .map(({ status, text }) => {
          const { kind, retryAfterMs } = wire.classify({ status, headers: new Headers(), body: text }, 0);
          return [status, kind, retryAfterMs] as const;
        });
      expect(kinds.toSorted(([a, x], [b, y]) => a - b || x.localeCompare(y))).toEqual([
        [400, "auth", undefined],
        [400, "invalid_request", undefined],
        [404, "model_not_found", undefined],
        [404, "model_not_found", undefined],
        [429, "rate_limit", 34_400],
      ]);
    });
  },
);
