import type { ExitCode } from "../../../base/app-error.ts";
import type { CalledPlace } from "../../../llm/called-place.ts";
import type { CallEvent } from "../../../llm/event.ts";
import { explainFailure, type FailedCall } from "../../../llm/explain-failure.ts";
import { textOf, type AssistantMessage } from "../../../llm/message.ts";
import type { ModelClient } from "../../../llm/model-client.ts";
import type { ModelInfo } from "../../../llm/model-info.ts";
import type { ProviderError } from "../../../llm/provider-error.ts";
import type { LlmRequest } from "../../../llm/request.ts";
import { keyVariablesOf } from "../../../llm/resolve/known-providers.ts";
import type { ModelRoute } from "../../../llm/routing/model-route.ts";
import { cleanText } from "../../chat/text-safety.ts";
import type { CommandCall } from "../../command-call.ts";
import { formatDuration } from "../../format.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { inModels, textFlag, type ModelContext } from "./context.ts";
import { knownModels, providerChoices } from "./model-rows.ts";
import { costText, windowText, WINDOW_SOURCES } from "./model-words.ts";
import { nearNames } from "../../../app/conversation/near-names.ts";

/** What is asked of `hermes model test`. */
export interface TestOptions {
  /** Absent = the configured model. */
  readonly name?: string | undefined;
  readonly provider?: string | undefined;
  readonly json: boolean;
}

/** `hermes model test [NAME]`: one small, real call. */
export const runModelTest = async (call: CommandCall): Promise<ExitCode> => {
  using interrupts = listenForInterrupts(call.output);
  const name = call.args[0];
  return await inModels(
    call,
    (context) =>
      modelTest(context, {
        name: name === undefined ? undefined : String(name),
        provider: textFlag(call, "provider"),
        json: call.flags.json === true,
      }),
    interrupts.signal,
  );
};

const QUESTION: LlmRequest = {
  system: "You are being tested. Answer with one word.",
  messages: [{ role: "user", parts: [{ type: "text", text: "Say OK." }], origin: { surface: "cli" } }],
  tools: [],
  // Room for models that think before they answer.
  maxOutputTokens: 2048,
};

/** Makes one call, once, without fallbacks, and says how it went; 1 if it failed. Throws `llm.*` where nothing can be called. */
export const modelTest = async (context: ModelContext, options: TestOptions): Promise<ExitCode> => {
  const { models } = context;
  const resolution = models.resolve({ model: options.name, provider: options.provider });
  if (resolution.kind === "none") throw resolution.error;
  if (resolution.kind === "practice") return await report(context, options, await models.practice());
  return await report(context, options, models.clientFor(onceOnly(resolution.route), { alone: true }));
};

/** The person waits in front of the terminal: they see the first failure, not the third. */
const onceOnly = (route: ModelRoute): ModelRoute => ({
  ...route,
  targetWith: (credential) => ({ ...route.targetWith(credential), maxAttempts: 1 }),
});

interface Measured {
  readonly end: Extract<CallEvent, { type: "done" | "failed" | "aborted" }>;
  /** Until the first sign of an answer, in milliseconds; undefined = there was none. */
  readonly firstMs: number | undefined;
  readonly totalMs: number;
}

const report = async (context: ModelContext, { json }: TestOptions, client: ModelClient): Promise<ExitCode> => {
  const { output } = context;
  if (!json) output.stderr(`Asking ${cleanText(`${client.info.provider} ${client.info.model}`)} …\n`);
  const measured = await measure(context, client, (text) => {
    if (!json) output.stderr(`  ${cleanText(text)}\n`);
  });
  switch (measured.end.type) {
    case "aborted":
      return 130;
    case "done":
      return passed(context, measured, { json, message: measured.end.message, info: measured.end.by });
    case "failed":
      return failed(context, measured, { json, error: measured.end.error, info: client.info, place: client.place?.() });
  }
};

const measure = async (
  { app, signal }: ModelContext,
  client: ModelClient,
  tell: (text: string) => void,
): Promise<Measured> => {
  const started = app.clock.monotonic();
  const since = (): number => Math.round(app.clock.monotonic() - started);
  let firstMs: number | undefined;
  const charge = { purpose: "test", source: "cli" } as const;
  for await (const event of client.call(QUESTION, { signal, charge })) {
    if (event.type === "text" || event.type === "reasoning") firstMs ??= since();
    if (event.type === "done" || event.type === "failed" || event.type === "aborted") {
      return { end: event, firstMs, totalMs: since() };
    }
    if (event.type === "waiting") tell(`still waiting after ${formatDuration(event.waitedMs)}`);
    if (event.type === "rotated") tell(`${event.from} failed (${event.error.message}); trying ${event.to}`);
  }
  return {
    end: { type: "failed", error: { kind: "protocol", message: "the call ended without an end" } },
    firstMs,
    totalMs: since(),
  };
};

interface Passed {
  readonly json: boolean;
  readonly message: AssistantMessage;
  readonly info: ModelInfo;
}

const passed = ({ output }: ModelContext, measured: Measured, { json, message, info }: Passed): ExitCode => {
  const { firstMs, totalMs } = measured;
  const cost = costText(message.usage, info.price);
  if (json) {
    const facts = {
      ok: true,
      ...named(info),
      first_token_ms: firstMs ?? null,
      total_ms: totalMs,
      usage: message.usage ?? null,
      cost_usd: cost.usd,
      answer: textOf(message),
    };
    output.stdout(`${JSON.stringify(facts, undefined, 2)}\n`);
    return 0;
  }
  const { inputTokens: tokensIn, outputTokens: tokensOut } = message.usage ?? {};
  const counts =
    tokensIn === undefined || tokensOut === undefined
      ? "tokens not counted"
      : `${tokensIn} tokens in, ${tokensOut} out`;
  const first = firstMs === undefined ? "" : `first sign after ${formatDuration(firstMs)}, `;
  output.stdout(
    [
      `✓ ${info.provider} ${info.model} answers: ${cleanText(textOf(message)).trim().slice(0, 60) || "(no text)"}`,
      `  ${first}${formatDuration(totalMs)} in all; ${counts}; ${cost.text}`,
      `  a window of ${windowText(info.contextWindow)} tokens, ${WINDOW_SOURCES[info.contextWindowFrom]}`,
      "",
    ].join("\n"),
  );
  return 0;
};

const named = ({ provider, model, wire, contextWindow, contextWindowFrom }: ModelInfo) => ({
  provider,
  model,
  wire,
  context_window: contextWindow,
  context_window_from: contextWindowFrom,
});

interface Failed {
  readonly json: boolean;
  readonly error: ProviderError;
  readonly info: ModelInfo;
  readonly place: CalledPlace | undefined;
}

const failed = (context: ModelContext, measured: Measured, { json, error, info, place }: Failed): ExitCode => {
  const { output } = context;
  const explained = place === undefined ? undefined : explainFailure(error, callFacts(context, place));
  if (json) {
    const facts = {
      ok: false,
      ...named(info),
      total_ms: measured.totalMs,
      error: { ...error, meaning: explained?.meaning ?? null, next: explained?.next ?? null },
    };
    output.stdout(`${JSON.stringify(facts, undefined, 2)}\n`);
    return 1;
  }
  output.stderr(`✗ ${cleanText(explained?.meaning ?? error.message)}\n`);
  if (explained !== undefined) {
    output.stderr(`  ${cleanText(explained.next)}\n`);
    const status = error.status === undefined ? "" : ` (status ${error.status})`;
    output.stderr(`  What was said${status}: ${cleanText(error.message)}\n`);
  }
  return 1;
};

const callFacts = ({ app, models }: ModelContext, target: CalledPlace): FailedCall => {
  const row = app.providerRows.find(({ id }) => id === target.provider);
  const entry = app.config.section("providers")[target.provider];
  const choice = providerChoices(app, models).find(({ id }) => id === target.provider);
  const names = choice === undefined ? [] : knownModels(app, models, choice).map(({ model }) => model);
  return {
    target,
    variables: keyVariablesOf({ id: target.provider, row, entry }),
    near: nearNames(
      target.model,
      names.filter((name) => name !== target.model),
    ),
  };
};
