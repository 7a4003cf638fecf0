import { newId, type SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { Agent, AgentDeps } from "../agent/agent.ts";
import type { CommandShape } from "../agent/approvals/command-shape.ts";
import { createAgent } from "../agent/create-agent.ts";
import { agentErrors } from "../agent/errors.ts";
import { grantTools, type Grant } from "../agent/grant.ts";
import { systemPrompt } from "../agent/prompt/system-prompt.ts";
import { createToolOutputStore } from "../agent/tool-output.ts";
import { userDirectory } from "../config/environment.ts";
import { costOf } from "../llm/catalogue.ts";
import type { ModelClient } from "../llm/model-client.ts";
import { maskPersonalData } from "../llm/mask-personal-data.ts";
import { createMessageRedactor } from "../llm/redact-message.ts";
import type { SessionRecord } from "../store/store.ts";
import type { App } from "./app.ts";
import { findStart } from "./find-start.ts";
import { loopLimits } from "./limits.ts";
import { chooseModel, createModels, type Models } from "./open-model.ts";
import type { SessionRequest } from "./session-request.ts";
import { createSessionGate, type SessionApprovals } from "./session-gate.ts";
import { createSessionTools, type SessionTools } from "./session-tools.ts";
import type { CommandHost } from "./terminal-tools.ts";
import type { WrittenScripts } from "./written-scripts.ts";

/** A session that a surface works in. Disposing it lets go of its processes and, if nothing was said, leaves no trace of it. */
export interface OpenSession extends AsyncDisposable {
  readonly record: SessionRecord;
  readonly agent: Agent;
  readonly model: ModelClient;
  readonly models: Models;
  readonly grant: Grant;
  readonly tools: SessionTools;
  readonly approvals: SessionApprovals;
  readonly systemPrompt: Redacted<string>;
  /** The id that was asked for, where that session had been compressed and its newest one was opened. */
  readonly followed: SessionId | null;
}

/** What a session takes over from the one that the person was in before, or from its opener. */
export interface CarriedOver {
  readonly models: Models;
  readonly model: ModelClient;
  /** The opener closes it. */
  readonly host?: CommandHost | undefined;
  readonly writtenScripts?: WrittenScripts | undefined;
  readonly remembered?: readonly CommandShape[] | undefined;
}

/** Opens a new session or an earlier one. Throws `session.*`, `llm.*`, `agent.unknown_toolset`, `config.*`, `store.*`. */
export const openSession = async (app: App, request: SessionRequest, carried?: CarriedOver): Promise<OpenSession> => {
  const { models, model } = carried ?? (await openModel(app, request));
  const store = await app.store();
  const start = await findStart(store, request.start);
  const begun = start.kind === "resumed" ? await resume(app, start.session) : await begin(app, request, model);
  try {
    const followed = start.kind === "resumed" ? start.followed : null;
    return await equip(app, request, {
      ...carried,
      models,
      model,
      ...begun,
      followed,
      resumed: start.kind === "resumed",
    });
  } catch (error) {
    await store.sessions.discardEmpty(begun.record.id);
    throw error;
  }
};

interface Equipment extends CarriedOver {
  readonly record: SessionRecord;
  readonly prompt: Redacted<string>;
  readonly followed: SessionId | null;
  readonly resumed: boolean;
}

/** Gives a session its hands, its limits and its agent. */
const equip = async (app: App, request: SessionRequest, given: Equipment): Promise<OpenSession> => {
  const { record, prompt, models, model } = given;
  const store = await app.store();
  const tools = await createSessionTools(app, {
    session: record.id,
    cwd: request.cwd,
    host: given.host,
    writtenScripts: given.writtenScripts,
  });
  const grant = grantFor(app, request, tools);
  let current = model;
  const approvals = createSessionGate(app, {
    tools,
    yolo: request.yolo,
    model: () => models.auxiliary("approval", current),
    charge: { purpose: "approval", source: record.source, session: record.id },
    remembered: given.remembered,
  });
  const agent = createAgent(await agentDeps(app, { record, models, approvals }), {
    ...agentSettings(app, request),
    session: record,
    systemPrompt: prompt,
    model,
    grant,
    resumed: given.resumed,
    cwd: () => tools.shell.cwd(),
  });
  await tools.processes.reconcile();
  return {
    record,
    agent: {
      ...agent,
      useModel: (next) => {
        current = next;
        agent.useModel(next);
      },
    },
    model,
    models,
    grant,
    tools,
    approvals,
    systemPrompt: prompt,
    followed: given.followed,
    [Symbol.asyncDispose]: async () => {
      await tools[Symbol.asyncDispose]();
      await store.sessions.discardEmpty(record.id);
    },
  };
};

const agentDeps = async (
  app: App,
  {
    record,
    models,
    approvals,
  }: { readonly record: SessionRecord; readonly models: Models; readonly approvals: SessionApprovals },
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

/** The model that a request means. Throws `llm.*`. */
export const openModel = async (
  app: App,
  request: Pick<SessionRequest, "model" | "provider" | "practiceAllowed">,
): Promise<Pick<CarriedOver, "models" | "model">> => {
  const models = createModels(app);
  const chosen = await chooseModel(models, request);
  if (chosen.kind === "none") throw chosen.error;
  return { models, model: chosen.client };
};

/** One result that a tool did not bound itself (compat §4.3). */
const MAX_RESULT_CHARS = 100_000;

interface Begun {
  readonly record: SessionRecord;
  readonly prompt: Redacted<string>;
}

const resume = async (app: App, record: SessionRecord): Promise<Begun> => {
  const store = await app.store();
  await store.sessions.reopen(record.id);
  return { record, prompt: await store.sessions.systemPrompt(record.id) };
};

const begin = async (app: App, request: SessionRequest, model: ModelClient): Promise<Begun> => {
  const store = await app.store();
  const prompt = app.redactor.text(
    systemPrompt({
      platform: process.platform,
      cwd: request.cwd,
      userHome: userDirectory(app.environment),
      ownerPrompt: app.config.section("agent").system_prompt,
    }),
  );
  const { provider, model: name } = model.info;
  const record = await store.sessions.create({
    source: request.source,
    provider,
    model: name,
    cwd: request.cwd,
    systemPrompt: prompt,
  });
  return { record, prompt };
};

const grantFor = (app: App, request: SessionRequest, tools: SessionTools): Grant => {
  const allowed = app.config.entry("platform_toolsets", app.surface);
  const disabled = app.config.section("agent").disabled_toolsets;
  const granted = grantTools(tools.toolsets, request.toolsets, { allowed, disabled });
  if (!granted.ok) throw agentErrors.unknownToolset(granted.error);
  return granted.value;
};
