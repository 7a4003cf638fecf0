import { newSessionId, type SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { Agent } from "../agent/agent.ts";
import type { CommandShape } from "../agent/approvals/command-shape.ts";
import { windowAdvice, type WindowAdvice } from "../agent/compression/window.ts";
import type { ChildRegistry } from "../agent/delegation/child-registry.ts";
import { agentErrors } from "../agent/errors.ts";
import { grantTools, type Grant } from "../agent/grant.ts";
import type { Preface } from "../agent/prompt/preface.ts";
import type { ModelClient } from "../llm/model-client.ts";
import type { SessionRecord } from "../store/store.ts";
import type { FileLocks } from "../tools/editing/file-locks.ts";
import type { App } from "./app.ts";
import { findStart } from "./find-start.ts";
import { chooseModel, createModels, type Models } from "./open-model.ts";
import { openSnapshots } from "./open-snapshots.ts";
import { loadPreface } from "./session-preface.ts";
import { buildSessionPrompt, type PromptNotice } from "./session-prompt.ts";
import type { SessionRequest } from "./session-request.ts";
import type { ChildPlace, DelegatingParent } from "./delegating-parent.ts";
import { createSessionDelegation, type SessionDelegation } from "./session-delegation.ts";
import { createSessionAgent, type CurrentModel } from "./session-agent.ts";
import { createSessionGate, type SessionApprovals } from "./session-gate.ts";
import { createSessionTools, type SessionTools } from "./session-tools.ts";
import type { CommandHost } from "./terminal-tools.ts";
import type { WrittenScripts } from "./written-scripts.ts";

/** A session that a surface works in. Disposing it lets go of its processes and, if nothing was said, leaves no trace of it. */
export interface OpenSession extends AsyncDisposable {
  /** The session that the agent is in: another one after the conversation was compressed. */
  readonly record: SessionRecord;
  readonly agent: Agent;
  readonly model: ModelClient;
  readonly models: Models;
  readonly grant: Grant;
  readonly tools: SessionTools;
  readonly approvals: SessionApprovals;
  /** The sub-agents that run below it. */
  readonly children: ChildRegistry;
  readonly systemPrompt: Redacted<string>;
  /** What the owner should know of how it began: parts of its prompt that were left out. */
  readonly notices: readonly PromptNotice[];
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
  const advice = adviseOn(model, request);
  if (advice.kind === "refused") throw agentErrors.windowTooSmall({ model: model.info.model, why: advice.message });
  const store = await app.store();
  const start = await findStart(store, request.start);
  const id = start.kind === "resumed" ? start.session.id : newSessionId(app.clock.now());
  const notices: PromptNotice[] =
    advice.kind === "small" ? [{ code: "agent.small_window", message: `${model.info.model}: ${advice.message}` }] : [];
  const notify = (notice: PromptNotice): void => void notices.push(notice);
  const begin = (grant: Grant): Promise<Begun> =>
    start.kind === "resumed"
      ? resume(app, start.session, { cwd: request.cwd, grant, model, notify })
      : beginNew(app, request, { id, grant, model, notify });
  try {
    const followed = start.kind === "resumed" ? start.followed : null;
    const resumed = start.kind === "resumed";
    const preface = await loadPreface(app, notify);
    const given = { ...carried, models, model, id, begin, preface, notices, followed, resumed };
    return await equip(app, request, given);
  } catch (error) {
    await store.sessions.discardEmpty(id);
    throw error;
  }
};

/** Whether the model's window is large enough for what the session may use. */
const adviseOn = ({ info }: ModelClient, { toolsets }: SessionRequest): WindowAdvice => {
  if (info.wire === "practice") return { kind: "roomy" };
  const advice = windowAdvice(info.contextWindow);
  return advice.kind === "small" && toolsets !== undefined ? { kind: "roomy" } : advice;
};

interface Equipment extends CarriedOver {
  readonly id: SessionId;
  /** Finds or makes the session, whose prompt depends on what may be used. */
  readonly begin: (grant: Grant) => Promise<Begun>;
  /** Absent = nothing is sent besides what is stored. */
  readonly preface?: Preface | undefined;
  readonly notices: readonly PromptNotice[];
  readonly followed: SessionId | null;
  readonly resumed: boolean;
  /** Set where the session is a sub-agent's. */
  readonly childPlace?: ChildPlace | undefined;
  readonly locks?: FileLocks | undefined;
}

/** Gives a session its hands, its limits and its agent. */
const equip = async (app: App, request: SessionRequest, given: Equipment): Promise<OpenSession> => {
  const { id, models, model } = given;
  const delegation = createSessionDelegation(app, given.childPlace);
  const tools = await createSessionTools(app, {
    session: id,
    cwd: request.cwd,
    host: given.host,
    writtenScripts: given.writtenScripts,
    locks: given.locks,
    delegateTask: delegation.tool,
  });
  const grant = given.childPlace?.grantFor(tools.toolsets) ?? grantFor(app, request, tools);
  const snapshots = await openSnapshots(app, grant);
  const { record, prompt } = await given.begin(grant);
  const reasoningEffort = given.childPlace?.reasoningEffort ?? app.config.section("agent").reasoning_effort;
  const now: CurrentModel = { model, reasoningEffort };
  const here = (): SessionRecord => agent.session();
  const approvals = await createSessionGate(app, {
    tools,
    yolo: request.yolo,
    model: () => models.auxiliary("approval", now.model),
    charge: () => ({ purpose: "approval", source: record.source, session: here().id }),
    remembered: given.remembered,
    inheritedYolo: given.childPlace?.yolo,
    standIn: given.childPlace?.standIn,
  });
  const agent = await createSessionAgent(app, request, { ...given, record, prompt, tools, grant, approvals, now });
  bindDelegation(app, delegation, { request, models, tools, grant, approvals, now });
  // A sub-agent's session shares the host, which was looked after when it was made.
  if (given.childPlace === undefined) await tools.processes.reconcile();
  return {
    get record() {
      return here();
    },
    agent: snapshots.follow(noting(agent, now)),
    model,
    models,
    grant,
    tools,
    approvals,
    children: delegation.children,
    get systemPrompt() {
      return agent.systemPrompt();
    },
    notices: given.notices,
    followed: given.followed,
    [Symbol.asyncDispose]: async () => {
      await tools[Symbol.asyncDispose]();
      await snapshots.settle();
      await (await app.store()).sessions.discardEmpty(here().id);
    },
  };
};

/** The same agent; what it is told to use is noted. */
const noting = (agent: Agent, now: CurrentModel): Agent => ({
  ...agent,
  useModel: (next) => {
    now.model = next;
    agent.useModel(next);
  },
  useReasoningEffort: (next) => {
    now.reasoningEffort = next ?? now.reasoningEffort;
    agent.useReasoningEffort(next);
  },
});

interface Delegating extends Pick<DelegatingParent, "request" | "models" | "tools" | "grant"> {
  readonly approvals: SessionApprovals;
  readonly now: CurrentModel;
}

/** A sub-agent's session works where its parent's does, with what that one has written and was allowed for good. */
const bindDelegation = (app: App, delegation: SessionDelegation, { approvals, now, ...parent }: Delegating): void => {
  const { models, tools } = parent;
  delegation.bind({
    ...parent,
    model: () => now.model,
    reasoningEffort: () => now.reasoningEffort,
    yolo: approvals.yolo,
    equip: ({ place, record, prompt, ...child }) =>
      equip(app, child.request, {
        ...child,
        id: record.id,
        begin: () => Promise.resolve({ record, prompt }),
        models,
        host: tools.host,
        writtenScripts: tools.writtenScripts,
        locks: tools.locks,
        remembered: approvals.remembered,
        childPlace: place,
        notices: [],
        followed: null,
        resumed: false,
      }),
  });
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

interface Begun {
  readonly record: SessionRecord;
  readonly prompt: Redacted<string>;
}

type Resuming = Omit<Beginning, "id"> & Pick<SessionRequest, "cwd">;

const resume = async (app: App, record: SessionRecord, resuming: Resuming): Promise<Begun> => {
  const store = await app.store();
  await store.sessions.reopen(record.id);
  const stored = await store.sessions.systemPrompt(record.id);
  if (stored !== "") return { record, prompt: stored };
  // An imported session has none: that of the other system names tools that are not here.
  const about = { ...resuming, surface: app.surface, model: resuming.model.info.model };
  return { record, prompt: await buildSessionPrompt(app, about) };
};

interface Beginning {
  readonly id: SessionId;
  readonly grant: Grant;
  readonly model: ModelClient;
  readonly notify: (notice: PromptNotice) => void;
}

const beginNew = async (app: App, request: SessionRequest, beginning: Beginning): Promise<Begun> => {
  const { id, grant, notify } = beginning;
  const { provider, model: name } = beginning.model.info;
  const store = await app.store();
  const prompt = await buildSessionPrompt(app, {
    cwd: request.cwd,
    grant,
    surface: app.surface,
    model: name,
    notify,
  });
  const record = await store.sessions.create({
    id,
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
