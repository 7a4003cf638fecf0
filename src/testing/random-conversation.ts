import * as fc from "fast-check";
import { assembleAnswer } from "../llm/assemble.ts";
import {
  toolCallsOf,
  type AssistantMessage,
  type Message,
  type ToolMessage,
  type UserMessage,
} from "../llm/message.ts";
import type { ModelTarget } from "../llm/model-target.ts";
import { loadWire } from "../llm/wires/load-wire.ts";
import { assistant, image, text } from "./conversation-parts.ts";
import { bodyOf } from "./hazards/hazard.ts";
import { targetAt } from "./hazards/play-hazard.ts";
import { collect, cutBody } from "./scripted-provider/body-cuts.ts";
import { WIRE_BODIES } from "./wire-bodies.ts";
import type { Said, SaidCall, WireBodies } from "./wire-bodies/wire-body.ts";

/** The target of a format's model; each format's models are another provider's, as they are in life. */
export const targetOfWire = (bodies: WireBodies): ModelTarget => ({
  ...targetAt("http://127.0.0.1:1", bodies, "streamed"),
  provider: bodies.wire,
});

/** Answers of every format, decoded from its provider's bytes: with reasoning that is signed, encrypted or plain. */
export interface AnswerTemplates {
  readonly calling: readonly AssistantMessage[];
  readonly closing: readonly AssistantMessage[];
}

const SIGNATURE = "c2lnbmVkLWJ5LXRoZS1wcm92aWRlcg==";

const callsOf = (count: number): readonly SaidCall[] =>
  Array.from({ length: count }, (_, at) => ({ id: `call_${at}`, name: "t", arguments: `{"path":"file-${at}.txt"}` }));

const CALLING: readonly Said[] = [
  { reasoning: "One is wanted.", signature: SIGNATURE, text: "", calls: callsOf(1), finish: "tool_calls" },
  { reasoning: "Some are wanted.", signature: SIGNATURE, text: "Both.", calls: callsOf(2), finish: "tool_calls" },
  { text: "All seven.", calls: callsOf(7), finish: "tool_calls" },
];
const CLOSING: readonly Said[] = [
  { reasoning: "It is done.", signature: SIGNATURE, text: "Done: all is well.", finish: "stop" },
  { text: "Done.", finish: "stop" },
  { refusal: "I cannot help with that.", finish: "refusal" },
  { reasoning: "Thinking took all of it.", signature: SIGNATURE, text: "", finish: "length" },
];

const decoded = async (bodies: WireBodies, said: Said): Promise<AssistantMessage> => {
  const wire = await loadWire(bodies.wire, { redact: (words) => words });
  const target = targetOfWire(bodies);
  const events = wire.decode(cutBody(bodyOf({ bodies, mode: "streamed" }, said)), {
    target,
    contentType: bodies.streamType,
  });
  return assembleAnswer(await collect(events), target).message;
};

/** Decodes the templates; once for a test file. */
export const loadAnswerTemplates = async (): Promise<AnswerTemplates> => {
  const of = (saids: readonly Said[]) =>
    Promise.all(WIRE_BODIES.flatMap((bodies) => saids.map((said) => decoded(bodies, said))));
  return { calling: await of(CALLING), closing: await of(CLOSING) };
};

/** Texts of every length that matters, in scripts of every density, also broken ones. */
const words: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.lorem({ maxCount: 12 }) },
  { weight: 3, arbitrary: fc.lorem({ maxCount: 300 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 400 }) },
  { weight: 2, arbitrary: fc.nat({ max: 3_000 }).map((length) => "潮汐表はどこ🦜".repeat(length / 8)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\ud800 alone", "\udc00", "", "\n> quoted\n\n## Active Task\n", "[CONTEXT SUMMARY]: x"),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 5_000, max: 60_000 }).map((length) => "log line 17 ok\n".repeat(length / 15)),
  },
);

const userMessage: fc.Arbitrary<UserMessage> = fc
  .record({ said: words, shows: fc.boolean(), told: fc.boolean() })
  .map(({ said, shows, told }) => ({
    role: "user",
    parts: shows && said.length % 3 === 0 ? [text(said), image] : [text(said)],
    origin: { surface: "cli" },
    ...(told ? { contextLine: "[Tue 2026-12-01 12:00 +00:00]" } : {}),
  }));

const resultsOf = (answer: AssistantMessage): fc.Arbitrary<readonly ToolMessage[]> =>
  fc.tuple(
    ...toolCallsOf(answer).map((call) =>
      fc
        .record({ said: words, shows: fc.boolean(), outcome: fc.constantFrom("ok", "ok", "error", "interrupted") })
        .map(({ said, shows, outcome }): ToolMessage => ({
          role: "tool",
          parts: [
            {
              type: "tool_result",
              callId: call.id,
              name: call.name,
              outcome,
              content: shows && outcome === "ok" ? [text(said), image] : [text(said)],
            },
          ],
        })),
    ),
  );

/** An answer of its own each time: the same object twice in a conversation happens nowhere. */
const oneOf = (answers: readonly AssistantMessage[]): fc.Arbitrary<AssistantMessage> =>
  fc.constantFrom(...answers).map((answer) => ({ ...answer }));

const round = ({ calling }: AnswerTemplates): fc.Arbitrary<readonly Message[]> =>
  fc
    .tuple(oneOf(calling), fc.option(userMessage, { freq: 5 }))
    .chain(([answer, steering]) =>
      resultsOf(answer).map((results) => [answer, ...results, ...(steering === null ? [] : [steering])]),
    );

const interrupted = (): AssistantMessage => assistant([text("[interrupted]")], { finish: "interrupted" });

/** Turns as they happen: a question, rounds of calls with steering words between, an answer, a refusal or an interruption. */
export const turnsOf = (
  templates: AnswerTemplates,
  { minLength, maxLength }: { readonly minLength: number; readonly maxLength: number },
): fc.Arbitrary<readonly Message[]> => {
  const ending = fc.oneof(
    { weight: 5, arbitrary: oneOf(templates.closing) },
    { weight: 1, arbitrary: fc.constant(undefined).map(interrupted) },
  );
  const turn = fc
    .tuple(userMessage, fc.array(round(templates), { maxLength: 5 }), ending)
    .map(([asked, rounds, end]) => [asked, ...rounds.flat(), end]);
  return fc.array(turn, { minLength, maxLength }).map((turns) => turns.flat());
};

/** A conversation in which the agent is about to be asked: the last turn has begun and not ended. */
export const conversationOf = (
  templates: AnswerTemplates,
  lengths: { readonly minLength: number; readonly maxLength: number },
): fc.Arbitrary<readonly Message[]> =>
  fc
    .tuple(turnsOf(templates, lengths), userMessage, fc.array(round(templates), { maxLength: 4 }))
    .map(([before, asked, rounds]) => [...before, asked, ...rounds.flat()]);
