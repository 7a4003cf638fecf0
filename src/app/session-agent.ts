import { newId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { Agent, AgentDeps, ConversationCompression } from "../agent/agent.ts";
import { createAgent } from "../agent/create-agent.ts";
import type { Grant } from "../agent/grant.ts";
import type { Preface } from "../agent/prompt/preface.ts";
import { createToolOutputStore } from "../agent/tool-output.ts";
import type { ReasoningEffort } from "../config/reasoning-effort.ts";
import { costOf } from "../llm/catalogue.ts";
import { maskPersonalData } from "../llm/mask-personal-data.ts";
import type { ModelClient } from "../llm/model-client.ts";
import { createMessageRedactor } from "../llm/redact-message.ts";
import type { SessionRecord } from "../store/store.ts";
import type { App } from "./app.ts";
import { sessionCheckpoints } from "./checkpoints.ts";
import { createNotesAfterCall } from "./folder-notes.ts";
import { loopLimits } from "./limits.ts";
import { openCompression } from "./open-compression.ts";
import type { Models } from "./open-model.ts";
import type { ChildPlace } from "./delegating-parent.ts";
import type { SessionApprovals } from "./session-gate.ts";
import { buildSessionPrompt } from "./session-prompt.ts";
import type { SessionRequest } from "./session-request.ts";
import type { SessionTools } from "./session-tools.ts";

/** What answers now. */
export interface CurrentModel {
  model: ModelClient;
  reasoningEffort: ReasoningEffort;
}

/** What a session's agent is made of. */
export interface SessionAgentParts {
  readonly record: SessionRecord;
  readonly prompt: Redacted<string>;
  readonly models: Models;
  readonly tools: SessionTools;
  readonly grant: Grant;
  readonly approvals: SessionApprovals;
  readonly now: CurrentModel;
  readonly preface?: Preface | undefined;
  readonly resumed: boolean;
  /** Set where the session is a sub-agent's. */
  readonly childPlace?: ChildPlace | undefined;
}

/** Makes the agent of a session. */
export const createSessionAgent = async (
  app: App,
  request: SessionRequest,
  parts: SessionAgentParts,
): Promise<Agent> => {
  const { record, models, tools, grant, approvals, now, childPlace } = parts;
  const compression = await openCompression(app, {
    models,
    record,
    newPrompt: () => promptAgain(app, parts),
    onMoved: (from, to) => tools.continueAs(from, to.id),
  });
  const deps = await agentDeps(app, { record, models, approvals, compression });
  // A sub-agent's prompt has no project files.
  const inPrompt = childPlace === undefined ? (record.cwd ?? undefined) : undefined;
  const afterCall = createNotesAfterCall(app, { cwd: request.cwd, inPrompt });
  return createAgent(
    { ...deps, afterCall, beforeChange: sessionCheckpoints(app, request.cwd) },
    {
      ...agentSettings(app, request),
      reasoningEffort: now.reasoningEffort,
      session: record,
      systemPrompt: parts.prompt,
      preface: parts.preface,
      model: now.model,
      grant,
      resumed: parts.resumed,
      cwd: () => tools.shell.cwd(),
    },
  );
};

/** The prompt of the session in which a compressed conversation goes on. */
const promptAgain = async (
  app: App,
  { tools, grant, now, childPlace }: SessionAgentParts,
): Promise<Redacted<string>> => {
  const cwd = tools.shell.cwd();
  if (childPlace !== undefined) return childPlace.prompt(cwd);
  // What is left out of it was told when the session began, and stands in the log.
  return await buildSessionPrompt(app, {
    cwd,
    grant,
    surface: app.surface,
    model: now.model.info.model,
    notify: () => {},
  });
};

const agentDeps = async (
  app: App,
  {
    record,
    models,
    approvals,
    compression,
  }: {
    readonly record: SessionRecord;
    readonly models: Models;
    readonly approvals: SessionApprovals;
    readonly compression: ConversationCompression;
  },
): Promise<AgentDeps> => {
  const masking = createMessageRedactor(app.redactor);
  return {
    clock: app.clock,
    store: await app.store(),
    redactor: app.redactor,
    redactMessage: (message) => masking.message(message),
    modelView: app.config.section("privacy").redact_pii ? maskPersonalData : (message) => message,
    outputs: createToolOutputStore(app.paths.toolResults),
    log: app.log.child({ component: "agent", session: record.id }),
    estimateTokens: (request) => models.estimator.estimateTokens(request),
    costOf: (by, usage) => costOf(usage, by.price),
    createGate: approvals.createGate,
    compression,
    newQuestionId: () => newId("ask", app.clock.now()),
  };
};

/** What the settings and the request say, whatever the session. */
const agentSettings = (app: App, request: SessionRequest) => {
  const { max_turns: maxTurns, reasoning_effort: reasoningEffort } = app.config.section("agent");
  return {
    surface: app.surface,
    interactive: request.interactive,
    maxTurns: request.maxTurns ?? maxTurns,
    reasoningEffort,
    loopLimits: loopLimits(app),
    maxResultChars: MAX_RESULT_CHARS,
    timeZone: app.config.section("timezone"),
    version: app.version,
  };
};

/** One result that a tool did not bound itself (compat §4.3). */
const MAX_RESULT_CHARS = 100_000;
