import { createApprovalGate, type ApprovalGate, type Asker } from "../agent/approvals/approval-gate.ts";
import { createShellParser } from "../agent/approvals/shell/shell-parser.ts";
import type { Agent, AgentSpec, ConversationCompression, TurnInput } from "../agent/agent.ts";
import { createCompressionPolicy } from "../agent/compression/policy.ts";
import { createAgent } from "../agent/create-agent.ts";
import type { AgentEvent } from "../agent/event.ts";
import { grantTools } from "../agent/grant.ts";
import type { LoopLimits } from "../agent/loop-guardrail.ts";
import type { Tool } from "../agent/tool.ts";
import { createToolOutputStore } from "../agent/tool-output.ts";
import type { Toolset } from "../agent/toolset.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import { createRedactor } from "../base/redact/redact-text.ts";
import { createTokenEstimator } from "../llm/estimate.ts";
import type { ModelClient } from "../llm/model-client.ts";
import { createMessageRedactor } from "../llm/redact-message.ts";
import type { SessionRecord, Store } from "../store/store.ts";
import { createTempStore } from "./temp-store.ts";

/** An agent over a real database in a directory of its own. */
export interface AgentRig extends AsyncDisposable {
  readonly directory: string;
  readonly store: Store;
  readonly session: SessionRecord;
  readonly agent: Agent;
  /** What was logged as an error. */
  readonly errors: readonly string[];
  /** Another agent on the same session, as after a restart. */
  readonly restart: (model: ModelClient) => Agent;
}

export interface AgentRigOptions {
  readonly model: ModelClient;
  readonly tools?: readonly Tool[];
  readonly onDemand?: readonly Tool[];
  readonly interactive?: boolean;
  readonly maxTurns?: number;
  readonly clock?: Clock;
  readonly loopLimits?: Partial<LoopLimits>;
  /** Default: the conversation is never compressed. */
  readonly compression?: ConversationCompression;
}

const neverCompress = (clock: Clock): ConversationCompression => ({
  policy: createCompressionPolicy({
    settings: { enabled: false, threshold: 0.5 },
    clock,
    history: [],
  }),
  compress: () => Promise.resolve({ kind: "too_small", before: 0 }),
  newPrompt: () => Promise.reject(new Error("the conversation is never compressed")),
  onMoved: () => {},
});

const MANY = { exactFailure: 99, sameToolFailure: 99, noProgress: 99 };

/** Makes the rig; `await using rig = await createAgentRig({ model, tools })`. */
export const createAgentRig = async (options: AgentRigOptions): Promise<AgentRig> => {
  const clock = options.clock ?? systemClock;
  const temp = await createTempStore({ clock });
  const { store, home: directory } = temp;
  const redactor = createRedactor({ enabled: true });
  const messages = createMessageRedactor(redactor);
  const estimator = createTokenEstimator();
  const systemPrompt = redactor.text("You are a test.");
  const session = await store.sessions.create({
    source: "cli",
    provider: "scripted",
    model: "m",
    cwd: directory,
    systemPrompt,
  });
  const errors: string[] = [];
  const log: Logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message) => void errors.push(message),
    child: () => log,
  };
  const createGate = (asker: Asker | undefined): ApprovalGate =>
    createApprovalGate({
      clock,
      ...(asker === undefined ? {} : { asker }),
      policy: () => ({ mode: "manual", yolo: false, alwaysAllowed: [], container: false }),
      timeoutMs: () => 60_000,
      context: () => ({
        parser: createShellParser(),
        userHome: directory,
        agentHome: `${directory}/.hermes`,
        writtenScripts: () => undefined,
        sudoPasswordAvailable: false,
        caseInsensitive: false,
      }),
      cwd: () => directory,
      rememberAlways: async () => {},
    });
  const build = (model: ModelClient): Agent =>
    createAgent(
      {
        clock,
        store,
        redactor,
        redactMessage: (message) => messages.message(message),
        modelView: (message) => message,
        outputs: createToolOutputStore(`${directory}/outputs`),
        log,
        estimateTokens: (request) => estimator.estimateTokens(request),
        costOf: () => null,
        createGate,
        compression: options.compression ?? neverCompress(clock),
        newQuestionId: counter("ask"),
      },
      { ...specOf(options, directory), session, systemPrompt, model },
    );
  return {
    directory,
    store,
    session,
    agent: build(options.model),
    errors,
    restart: build,
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};

const specOf = (options: AgentRigOptions, cwd: string): Omit<AgentSpec, "session" | "systemPrompt" | "model"> => {
  const toolsets: readonly Toolset[] = [
    { name: "test", residency: "resident", line: "tools of the test", tools: options.tools ?? [] },
    { name: "rare", residency: "on_demand", line: "rare tools", tools: options.onDemand ?? [] },
  ];
  const granted = grantTools(toolsets, undefined, { allowed: undefined, disabled: [] });
  if (!granted.ok) throw new Error("nothing was requested by name");
  return {
    grant: granted.value,
    surface: "test",
    resumed: false,
    interactive: options.interactive ?? false,
    maxTurns: options.maxTurns ?? 20,
    reasoningEffort: undefined,
    loopLimits: { warnings: false, hardStop: false, warnAfter: MANY, stopAfter: MANY, ...options.loopLimits },
    maxResultChars: 10_000,
    timeZone: "UTC",
    cwd: () => cwd,
    version: "0.0.0-test",
  };
};

/** What a person says, as a turn's input. */
export const said = (text: string): TurnInput => ({ parts: [{ type: "text", text }], origin: { surface: "test" } });

/** Runs a turn to its end. */
export const runToEnd = (agent: Agent, text: string, signal = new AbortController().signal): Promise<AgentEvent[]> =>
  Array.fromAsync(agent.run(said(text), { signal }));

const counter = (prefix: string): (() => string) => {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}_${count}`;
  };
};
