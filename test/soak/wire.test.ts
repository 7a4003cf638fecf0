import { expect, test } from "vitest";
import type { WireEvent } from "../../src/llm/event.ts";
import { createChatCompletionsWire } from "../../src/llm/wires/chat-completions/chat-completions.ts";
import { collect, cutBody } from "../../src/testing/scripted-provider/body-cuts.ts";
import { targetOf } from "../../src/testing/scripted-provider/read-call.ts";
import { seededNumbers, startSoak } from "../support/soak.ts";

const soak = startSoak(0.1);
const wire = createChatCompletionsWire({ redact: (text) => text });
const context = { target: targetOf("http://127.0.0.1:1/v1"), contentType: "text/event-stream" };
const WORDS = [
  "plain ",
  "日本 ",
  "🦜",
  "é",
  "\u0000",
  "\n",
  '"quoted"',
  "\\",
  "<think>",
  "</think>",
  "data: x",
  ": ping",
  "\r\n",
  " ",
];
const LINE_ENDS = ["\n", "\r\n", "\r"];

/** A stream of random deltas: text, reasoning, calls, empty ones, comments, usage, one finish. */
const randomStream = (random: (below: number) => number): string => {
  const lineEnd = LINE_ENDS[random(LINE_ENDS.length)] ?? "\n";
  const word = (): string => Array.from({ length: 1 + random(6) }, () => WORDS[random(WORDS.length)] ?? "").join("");
  const deltas = [
    () => ({ content: word() }),
    () => ({ reasoning_content: word() }),
    () => ({
      tool_calls: [
        {
          index: random(3),
          id: `c${random(4)}`,
          function: { name: "tool", arguments: JSON.stringify({ value: word() }) },
        },
      ],
    }),
    () => ({ tool_calls: [{ index: random(3), function: { arguments: word() } }] }),
    () => ({}),
  ];
  const chunks: string[] = [];
  for (let index = 0; index < 1 + random(12); index += 1) {
    if (random(5) === 0) chunks.push(`: ping${lineEnd}${lineEnd}`);
    const delta = deltas[random(deltas.length)]?.() ?? {};
    chunks.push(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}${lineEnd}${lineEnd}`);
  }
  chunks.push(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 3, completion_tokens: 2 } })}${lineEnd}${lineEnd}`,
  );
  if (random(4) > 0) chunks.push(`data: [DONE]${lineEnd}${lineEnd}`);
  return chunks.join("");
};

/** Where pieces of text are cut is the network's matter; what they add up to is not. Ids that the wire makes up are random. */
const fold = (events: readonly WireEvent[]): readonly unknown[] => {
  const folded: { key: string; event: unknown; text: string }[] = [];
  for (const event of events) {
    const text = textOf(event);
    const key = `${event.type} ${"index" in event ? event.index : ""}`;
    const last = folded.at(-1);
    if (text !== "" && last?.key === key) last.text += text;
    else folded.push({ key, event: text === "" ? withoutMadeUpId(event) : undefined, text });
  }
  return folded;
};

const textOf = (event: WireEvent): string => {
  if (event.type === "tool_arguments") return event.delta;
  return event.type === "text" || event.type === "reasoning" ? event.text : "";
};

const withoutMadeUpId = (event: WireEvent): WireEvent =>
  event.type === "tool_call" && event.id.startsWith("call_") ? { ...event, id: "made up" } : event;

test(`B05 B06 a stream decodes alike however the network cuts it (seed ${soak.seed})`, async () => {
  const random = seededNumbers(soak.seed);
  let rounds = 0;
  for (; soak.goesOn(); rounds += 1) {
    const body = randomStream(random);
    const whole = fold(await collect(wire.decode(cutBody(body), context)));
    const sizes = Array.from({ length: 1 + random(5) }, () => 1 + random(random(2) === 0 ? 3 : 40));
    const cut = fold(await collect(wire.decode(cutBody(body, sizes), context)));
    expect(cut, `round ${rounds} of seed ${soak.seed}, cut into ${sizes.join(",")}: ${JSON.stringify(body)}`).toEqual(
      whole,
    );
  }
  process.stdout.write(`seed ${soak.seed}: ${rounds} streams\n`);
});
