import { describe, expect, test } from "vitest";
import { createRedactor } from "../../base/redact/redact-text.ts";
import { createTokenEstimator } from "../../llm/estimate.ts";
import { textOf, toolCallsOf, type Message, type OpaquePart } from "../../llm/message.ts";
import { assistant, call, image, reasoning, result, text, user } from "../../testing/conversation-parts.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { compress, type CompressDeps, type CompressRequest } from "./compress.ts";
import type { CompressionOutcome, CompressionSettings } from "./compression.ts";
import { CLEARED_RESULT } from "./prune.ts";
import { isSummary, readSummary, summaryMessage } from "./summary-message.ts";
import type { SummaryAnswer, SummaryRequest } from "./summary-request.ts";

const SETTINGS: CompressionSettings = {
  enabled: true,
  threshold: 0.5,
  targetRatio: 0.2,
  protectLastN: 4,
  protectFirstN: 2,
  abortOnSummaryFailure: false,
};
/** Small enough that conversations of a test fill it: the threshold is 13,600, the tail 2,720. */
const WINDOW = { contextWindow: 20_000, outputReserve: 4_000 };

const words = (tokens: number): string => "tide ".repeat(tokens);
const answer = (words: string) => assistant([text(words)], { finish: "stop" });
const turn = (name: string, tokens = 300): readonly Message[] => [
  user(`ask ${name}`),
  answer(`did ${name}: ${words(tokens)}`),
];
const group = (name: string, tokens = 300): readonly Message[] => [
  assistant([call(name, JSON.stringify({ path: `${name}.ts` }))]),
  result(name, [text(`${name} ${words(tokens)}`)]),
];
const turns = (count: number, tokens = 300): readonly Message[] =>
  Array.from({ length: count }, (_, at) => turn(`number ${at}`, tokens)).flat();

interface Rig extends Partial<CompressRequest> {
  readonly settings?: Partial<CompressionSettings>;
  readonly answers?: readonly (SummaryAnswer | string)[];
  readonly redact?: (text: string) => string;
}

/** Compresses with a real estimator; what the summariser was asked is kept. */
const run = async (
  messages: readonly Message[],
  { settings, answers = ["## Active Task\nsummed up"], redact = (words) => words, ...request }: Rig = {},
) => {
  const asked: SummaryRequest[] = [];
  const waiting = [...answers];
  const estimator = createTokenEstimator();
  const deps: CompressDeps = {
    settings: { ...SETTINGS, ...settings },
    clock: createFakeClock(),
    estimate: (compressible) => estimator.estimateTokens(compressible),
    estimateMessage: (message) => estimator.estimateMessage(message),
    redact,
    summarise: (summary) => {
      asked.push(summary);
      const next = waiting.shift() ?? expect.fail("asked once more than expected");
      return Promise.resolve(typeof next === "string" ? { kind: "summary", text: next } : next);
    },
  };
  const outcome = await compress(deps, {
    compressible: { system: "Be brief.", messages, tools: [] },
    window: WINDOW,
    reason: "threshold",
    signal: new AbortController().signal,
    ...request,
  });
  return { outcome, asked };
};

const compressed = (outcome: CompressionOutcome): Extract<CompressionOutcome, { kind: "compressed" }> =>
  outcome.kind === "compressed" ? outcome : expect.fail(`the outcome is ${JSON.stringify(outcome)}`);
const summaryIn = (outcome: CompressionOutcome): string =>
  textOf(compressed(outcome).messages.find(isSummary) ?? expect.fail("no summary"));

describe("what is kept", () => {
  test("R-COMP-4 the beginning, a summary, the newest messages; roles take turns", async () => {
    const messages = [...turns(40), user("and now?")];
    const { outcome, asked } = await run(messages);
    const { messages: child, before, after, by } = compressed(outcome);
    expect(by).toBe("model");
    expect(child.slice(0, 2)).toEqual(messages.slice(0, 2));
    expect(child[2]?.role).toBe("user");
    expect(textOf(child[2]!).split("\n")[0]).toBe("[CONTEXT COMPACTION — REFERENCE ONLY]");
    expect(textOf(child[2]!)).toContain("## Active Task\nsummed up");
    const tail = child.slice(3).filter((message) => messages.includes(message));
    expect(tail).toEqual(messages.slice(-tail.length));
    expect(tail.length).toBeGreaterThanOrEqual(SETTINGS.protectLastN);
    for (let at = 1; at < child.length; at += 1) expect(child[at]!.role).not.toBe(child[at - 1]!.role);
    expect(after).toBeLessThan(before);
    // Nothing that was taken out was kept from the summariser.
    const gone = messages.filter((message) => !child.includes(message) && message.role === "user");
    for (const message of gone) expect(asked[0]!.entries).toContainEqual({ by: "user", text: textOf(message) });
  });

  test("B19 a group of seven parallel results stays whole, wherever the tail would begin", async () => {
    const ids = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"];
    const results = ids.map((id) => result(id, [text(`${id} ${words(400)}`)]));
    for (const protectLastN of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const messages = [
        ...turns(35),
        user("read"),
        assistant(ids.map((id) => call(id))),
        ...results,
        answer("read"),
        user("so?"),
      ];
      const { outcome, asked } = await run(messages, { settings: { protectLastN, targetRatio: 0.01 } });
      const { messages: child } = compressed(outcome);
      const kept = child.filter(({ role }) => role === "tool").length;
      expect([0, 7]).toContain(kept);
      const calls = child.flatMap((message) => (message.role === "assistant" ? toolCallsOf(message) : []));
      expect(calls).toHaveLength(kept);
      const told = asked[0]!.entries.filter(({ by, text }) => by === "result" && /c\d tide/.test(text));
      expect(told).toHaveLength(7 - kept);
    }
  });

  test("the person's newest message stays to the letter, also where the tail begins behind it", async () => {
    const ask = user("do all of this, please", image);
    const rounds = Array.from({ length: 40 }, (_, at) => group(`call-${at}`, 10)).flat();
    const spoken = rounds.map((message) =>
      message.role === "assistant" ? { ...message, parts: [...message.parts, text(words(400))] } : message,
    );
    const messages = [...turns(5), ask, ...spoken];
    const { messages: child } = compressed((await run(messages)).outcome);
    const at = child.indexOf(ask);
    expect(isSummary(child[at - 2]!)).toBe(true);
    expect(child[at - 1]).toMatchObject({ role: "assistant", provider: "hermes" });
    expect(child.slice(at + 1)).toEqual(messages.slice(-(child.length - at - 1)));
    expect(child.length - at - 1).toBeGreaterThan(2);
  });

  test("a head that ends with a question is not followed by another user message", async () => {
    const messages = [...turns(40), user("and now?")];
    const { messages: child } = compressed((await run(messages, { settings: { protectFirstN: 1 } })).outcome);
    expect(child[0]).toBe(messages[0]);
    expect(child[1]).toMatchObject({ role: "assistant", provider: "hermes" });
    expect(isSummary(child[2]!)).toBe(true);
  });

  test("a first message that fills the window is summarised like any other", async () => {
    const messages = [user(`paste ${words(6_000)}`), ...turns(30), user("and now?")];
    const { messages: child } = compressed((await run(messages)).outcome);
    expect(isSummary(child[0]!)).toBe(true);
  });
});

test("calls that a crash left open stay at the end, to be completed there", async () => {
  const open = [assistant([call("a"), call("b")]), result("a", [text("one")])];
  const messages = [...turns(40), user("read both"), ...open];
  const { messages: child } = compressed((await run(messages)).outcome);
  expect(child.slice(-3)).toEqual(messages.slice(-3));
});

describe("what is cleared", () => {
  test("if clearing old results frees enough, no model is asked and nothing that was said is lost", async () => {
    const work = Array.from({ length: 12 }, (_, at) => group(`file-${at}`, 1_000)).flat();
    const messages = [user("look"), ...work, answer("looked"), user("and now?")];
    const { outcome, asked } = await run(messages);
    const { messages: child, by } = compressed(outcome);
    expect([by, asked]).toEqual(["pruning", []]);
    expect(child).toHaveLength(messages.length);
    const texts = child.map((message) => (message.role === "tool" ? message.parts[0].content[0] : undefined));
    expect(texts[2]).toEqual(text(CLEARED_RESULT));
    expect(child.at(-3)).toBe(messages.at(-3));
  });

  test("with a focus the model is asked all the same", async () => {
    const work = Array.from({ length: 12 }, (_, at) => group(`file-${at}`, 1_000)).flat();
    const messages = [...work, answer(words(400)), ...turns(4), user("and now?")];
    const { outcome, asked } = await run(messages, { focus: "the sluice", reason: "manual" });
    expect(compressed(outcome).by).toBe("model");
    expect(asked[0]!.focus).toBe("the sluice");
  });

  test("B09 B10 reasoning and what is signed goes outside the tail, but stays in the turn that is going on", async () => {
    const opaque: OpaquePart = { type: "opaque", wire: "gemini", provider: "p", model: "m", data: { a: 1 } };
    const thinking = (id: string) => assistant([reasoning(words(200)), opaque, call(id)]);
    const round = (id: string): readonly Message[] => [thinking(id), result(id, [text(words(300))])];
    const old = Array.from({ length: 12 }, (_, at) => round(`old-${at}`)).flat();
    const now = Array.from({ length: 12 }, (_, at) => round(`now-${at}`)).flat();
    const messages = [user("first"), ...old, answer("done"), user("second"), ...now];
    const { messages: child, by } = compressed((await run(messages, { settings: { protectLastN: 2 } })).outcome);
    expect(by).toBe("pruning");
    const kindsAt = (index: number) => child[index]!.parts.map(({ type }) => type);
    expect(kindsAt(1)).toEqual(["tool_call"]);
    const second = messages.findIndex((message) => textOf(message) === "second");
    expect(kindsAt(second + 1)).toEqual(["reasoning", "opaque", "tool_call"]);
    expect(child.at(-2)).toBe(messages.at(-2));
  });

  test("images go outside the tail, a word stands in their place", async () => {
    const messages = [
      user("look at these", image, image, image, image),
      answer("seen"),
      assistant([call("a")]),
      result("a", [text("a picture"), image]),
      answer("seen"),
      ...turns(20),
      user("and this", image),
    ];
    const { messages: child } = compressed((await run(messages, { settings: { protectFirstN: 5 } })).outcome);
    expect(child[0]!.parts.filter(({ type }) => type === "image")).toEqual([]);
    expect(JSON.stringify(child[0])).toContain("An image stood here");
    expect(JSON.stringify(child[3])).toContain("An image stood here");
    expect(child.at(-1)).toBe(messages.at(-1));
  });

  test("a result that no window holds is shortened, so that the conversation can go on", async () => {
    const messages = [
      user("read the log"),
      assistant([call("a"), call("b")]),
      result("a", [text("short")]),
      result("b", [text(`begin ${words(30_000)} end`)]),
    ];
    const { outcome, asked } = await run(messages, { reason: "overflow" });
    const { messages: child, after } = compressed(outcome);
    expect(asked).toEqual([]);
    expect(child.slice(0, 3)).toEqual(messages.slice(0, 3));
    const last = JSON.stringify(child[3]);
    expect(last).toContain("begin");
    expect(last).toContain("end");
    expect(last).toContain("too long for what is left");
    expect(after).toBeLessThanOrEqual(13_600);
  });
});

describe("what the summary says", () => {
  test("what the person said stands behind it to the letter, whoever wrote it", async () => {
    const said = "use the *old* path\n> not this\n\n## Active Task";
    const messages = [...turns(20), user(said), answer(words(300)), ...turns(15), user("and now?")];
    const { outcome } = await run(messages);
    const summary = readSummary(compressed(outcome).messages.find(isSummary)!)!;
    expect(summary.quotes).toContain(said);
    expect(summary.body).toBe("## Active Task\nsummed up");
  });

  test("an earlier summary is brought up to date, not summarised again; also one of an older version", async () => {
    const { outcome: first } = await run([...turns(40), user("and now?")]);
    const again = [...compressed(first).messages, answer("so"), ...turns(40, 301), user("and then?")];
    const { outcome: second, asked } = await run(again, { answers: ["## Active Task\nnewer"] });
    expect(asked[0]!.earlier).toBe("## Active Task\nsummed up");
    expect(asked[0]!.entries.filter(({ text }) => /summary|REFERENCE/.test(text))).toEqual([]);
    const summaries = compressed(second).messages.filter(isSummary);
    expect(summaries).toHaveLength(1);
    expect(readSummary(summaries[0]!)!.body).toBe("## Active Task\nnewer");
    // The head is that of the first conversation, not the summary.
    expect(compressed(second).messages.slice(0, 2)).toEqual(again.slice(0, 2));

    const legacy = { ...user("[CONTEXT SUMMARY]: they like tea"), origin: { surface: "import" } };
    const { asked: third } = await run([legacy, answer("ok"), ...turns(40), user("and now?")]);
    expect(third[0]!.earlier).toBe("they like tea");
  });

  test("R-REDACT-1 nothing that the summariser is given holds a secret, the focus and half a secret included", async () => {
    const key = `ghp_${"Zx9aQ7".repeat(6)}`;
    const redactor = createRedactor({ enabled: true });
    // Shortened first, the end of the key would stand there without what it is known by.
    const long = `${"x ".repeat(2_000)}${key} ${"y ".repeat(213)}`;
    const messages = [
      ...turns(10),
      user(`my key is ${key}`),
      assistant([text(`I use ${key}`), call("a", JSON.stringify({ command: `curl -H 'x-api-key: ${key}'` }))]),
      result("a", [text(long)]),
      answer(words(300)),
      summaryMessage({ body: `the key ${key}`, quotes: [`again ${key}`] }),
      ...turns(30),
      user("and now?"),
    ];
    const { outcome, asked } = await run(messages, {
      redact: (words) => redactor.text(words),
      focus: `the key ${key}`,
    });
    const told = JSON.stringify(asked);
    expect(asked).toHaveLength(1);
    expect(told).not.toContain("Zx9a");
    expect(summaryIn(outcome)).not.toContain("Zx9a");
  });
});

describe("a summary that is of no use", () => {
  test.each<[string, SummaryAnswer | string]>([
    ["none", { kind: "failed", failure: "no_provider", because: "no key is there" }],
    ["an empty one", " \n"],
    ["one that is longer than what it stands for", words(20_000)],
  ])("%s: a list made by rules takes its place", async (_name, bad) => {
    const work = Array.from({ length: 10 }, (_, at) => [
      ...group(`file-${at}`, 20),
      answer(`saw ${at} ${words(300)}`),
      user(`next ${at}`),
    ]).flat();
    const messages = [...turns(20), user("start"), ...work];
    const { outcome } = await run(messages, { answers: [bad] });
    const { by, because, failure } = compressed(outcome);
    expect(by).toBe("static");
    expect(because).toBeTruthy();
    expect(failure).toBe(typeof bad === "string" ? "broken_answer" : "no_provider");
    const summary = summaryIn(outcome);
    expect(summary).toContain("file-0.ts");
    expect(summary).toContain("No model summarised this part");
    expect(summary).toContain("> ask number 19");
  });

  test("with abort_on_summary_failure the conversation stays as it is", async () => {
    const bad = { kind: "failed", failure: "other", because: "HTTP 500" } as const;
    const { outcome } = await run([...turns(40), user("and now?")], {
      answers: [bad],
      settings: { abortOnSummaryFailure: true },
    });
    expect(outcome).toEqual(bad);
  });

  test("B20 600 compressible tokens are never put into 2,200: smaller, or as before", async () => {
    const messages = [...turns(1, 190), ...turns(2, 310), ...turns(2, 340), user("and now?")];
    for (const abortOnSummaryFailure of [true, false]) {
      const { outcome, asked } = await run(messages, {
        answers: [`## Active Task\n${words(2_200)}`],
        settings: { protectLastN: 5, abortOnSummaryFailure },
        window: { contextWindow: 8_000, outputReserve: 2_000 },
      });
      expect(asked).toHaveLength(1);
      expect(asked[0]!.maxTokens).toBeLessThan(400);
      if (abortOnSummaryFailure) expect(outcome).toMatchObject({ kind: "too_small" });
      else
        expect([compressed(outcome).by, compressed(outcome).after < compressed(outcome).before]).toEqual([
          "static",
          true,
        ]);
    }
  });

  test("earlier summaries survive summaries by rules", async () => {
    const failed = { kind: "failed", failure: "other", because: "x" } as const;
    const { outcome: first } = await run([...turns(40), user("and now?")], { answers: ["## Goal\nthe sluice gate"] });
    const { outcome: second } = await run(
      [...compressed(first).messages, answer("so"), ...turns(40, 301), user("on")],
      { answers: [failed] },
    );
    expect(summaryIn(second)).toContain("the sluice gate");
    const { outcome: third } = await run(
      [...compressed(second).messages, answer("so"), ...turns(40, 302), user("on")],
      { answers: [failed] },
    );
    expect(summaryIn(third)).toContain("the sluice gate");
  });
});

describe("when nothing is done", () => {
  test("a short conversation is left alone, and no model is asked", async () => {
    const messages = [...turns(2, 20), user("and now?")];
    const { outcome, asked } = await run(messages, { reason: "manual", answers: [] });
    expect(outcome).toMatchObject({ kind: "too_small" });
    expect(asked).toEqual([]);
  });

  test("one message that fills the window alone cannot be helped", async () => {
    const { outcome } = await run([user(words(30_000))], { reason: "overflow", answers: [] });
    expect(outcome).toMatchObject({ kind: "too_small" });
  });

  test("an empty conversation", async () => {
    expect((await run([], { reason: "manual", answers: [] })).outcome).toMatchObject({ kind: "too_small" });
  });

  test("a person who interrupts the summary keeps the conversation", async () => {
    const controller = new AbortController();
    const estimator = createTokenEstimator();
    const started = Promise.withResolvers<void>();
    const outcome = compress(
      {
        settings: SETTINGS,
        clock: createFakeClock(),
        estimate: (compressible) => estimator.estimateTokens(compressible),
        estimateMessage: (message) => estimator.estimateMessage(message),
        redact: (words) => words,
        summarise: async (_request, { signal }) => {
          started.resolve();
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return { kind: "aborted" };
        },
      },
      {
        compressible: { system: "", messages: [...turns(40), user("and now?")], tools: [] },
        window: WINDOW,
        reason: "threshold",
        signal: controller.signal,
      },
    );
    await started.promise;
    controller.abort(new Error("the person pressed Ctrl+C"));
    expect(await outcome).toEqual({ kind: "aborted" });
  });

  test("a summary that does not come within five minutes is given up, and a list takes its place", async () => {
    const clock = createFakeClock();
    const estimator = createTokenEstimator();
    const started = Promise.withResolvers<void>();
    const outcome = compress(
      {
        settings: SETTINGS,
        clock,
        estimate: (compressible) => estimator.estimateTokens(compressible),
        estimateMessage: (message) => estimator.estimateMessage(message),
        redact: (words) => words,
        summarise: async (_request, { signal }) => {
          started.resolve();
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return { kind: "aborted" };
        },
      },
      {
        compressible: { system: "", messages: [...turns(40), user("and now?")], tools: [] },
        window: WINDOW,
        reason: "threshold",
        signal: new AbortController().signal,
      },
    );
    await started.promise;
    await clock.advance(300_000);
    expect(await outcome).toMatchObject({ kind: "compressed", by: "static", failure: "other" });
    expect(clock.pending).toBe(0);
  });

  test("an aborted signal ends it before anything is asked", async () => {
    const { outcome, asked } = await run([...turns(40)], { signal: AbortSignal.abort(), answers: [] });
    expect([outcome, asked]).toEqual([{ kind: "aborted" }, []]);
  });
});

describe("overflow", () => {
  test("what the provider calls too long gets shorter each time, whatever the estimate says of the window", async () => {
    let messages: readonly Message[] = [...turns(60, 300), user("and now?")];
    const sizes: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { outcome } = await run(messages, {
        reason: "overflow",
        window: { contextWindow: 200_000, outputReserve: 8_000 },
        settings: { protectLastN: 60 },
      });
      const { before, after, messages: child } = compressed(outcome);
      sizes.push(after / before);
      messages = child;
    }
    for (const part of sizes) expect(part).toBeLessThan(0.85);
  });
});
