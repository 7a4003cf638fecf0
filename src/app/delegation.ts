import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Child, ChildTask, LeftRunning, SpawnChild } from "../agent/delegation/child.ts";
import type { Asker } from "../agent/approvals/approval-gate.ts";
import { grantChild, type ChildWish } from "../agent/delegation/child-grant.ts";
import { childInput, childPrompt } from "../agent/delegation/child-prompt.ts";
import type { ChildRegistry } from "../agent/delegation/child-registry.ts";
import { delegate } from "../agent/delegation/delegate.ts";
import { agentErrors } from "../agent/errors.ts";
import type { AgentEvent } from "../agent/event.ts";
import type { Grant } from "../agent/grant.ts";
import type { ToolContext, ToolResult } from "../agent/tool.ts";
import { platformName } from "../agent/prompt/surroundings.ts";
import type { AppError } from "../base/app-error.ts";
import { writeFileAtomic } from "../base/atomic-file.ts";
import type { SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import { failure, success } from "../base/result.ts";
import { userDirectory } from "../config/environment.ts";
import type { ModelClient } from "../llm/model-client.ts";
import { SUBAGENT_SOURCE } from "../store/session-row.ts";
import { changedFiles } from "../tools/changed-files.ts";
import { displayPath } from "../tools/resolve-path.ts";
import type { App } from "./app.ts";
import type { ChildPlace, DelegatingParent, EquippedChild } from "./delegating-parent.ts";

/** Where a delegation comes from. */
export interface DelegationPlace {
  /** How many delegations lie above the caller. */
  readonly depth: number;
  readonly children: ChildRegistry;
  readonly parent: DelegatingParent;
  readonly context: ToolContext;
}

/** Compat §3.2: the floor of `child_timeout_seconds`. */
const SHORTEST_TIMEOUT_SECONDS = 30;

/** Runs the tasks of one `delegate_task` call, each in a session of its own. */
export const runDelegation = async (
  app: App,
  place: DelegationPlace,
  tasks: readonly ChildTask[],
): Promise<ToolResult> => {
  const settings = app.config.section("delegation");
  const { children, parent, context } = place;
  return await delegate(
    {
      clock: app.clock,
      log: app.log.child({ component: "delegation", session: context.session }),
      redactor: app.redactor,
      spawn: createSpawn(app, place),
      children,
      timeoutMs: Math.max(SHORTEST_TIMEOUT_SECONDS, settings.child_timeout_seconds) * 1000,
      maxIterations: settings.max_iterations,
      maxConcurrent: settings.max_concurrent_children,
      keepDiagnosis: (session, text) => keepDiagnosis(app, session, text),
      changedFiles: async () => {
        const paths = await changedFiles(parent.tools.files);
        return paths.map((path) => displayPath(path, parent.tools.shell.cwd()));
      },
    },
    tasks,
    context,
  );
};

const createSpawn =
  (app: App, { depth, children, parent, context }: DelegationPlace): SpawnChild =>
  async (task) => {
    const settings = app.config.section("delegation");
    const mayDelegate =
      task.role === "orchestrator" && settings.orchestrator_enabled && depth + 1 < settings.max_spawn_depth;
    const wish: ChildWish = { toolsets: task.toolsets, mayDelegate, inheritMcp: settings.inherit_mcp_toolsets };
    const possible = grantChild(parent.grant, parent.tools.toolsets, wish);
    if (!possible.ok) return failure(inWords(agentErrors.unknownToolset(possible.error)));
    const chosen = await parent.models.delegated(parent.model());
    if (chosen.kind === "none") return failure(`The model of sub-agents cannot be called: ${inWords(chosen.error)}`);
    const place: ChildPlace = {
      depth: depth + 1,
      children,
      grantFor: (available) => grantOrThrow(parent.grant, available, wish),
      prompt: (cwd) => promptOf(app, cwd, mayDelegate),
      yolo: parent.yolo,
      standIn: settings.subagent_auto_approve ? createStandIn(app, context.session) : undefined,
      reasoningEffort: settings.reasoning_effort ?? parent.reasoningEffort(),
    };
    return success(await openChild(app, { task, place, parent, model: chosen.client, caller: context.session }));
  };

const inWords = (error: AppError): string =>
  error.hint === undefined ? error.message : `${error.message} ${error.hint}`;

const grantOrThrow = (parent: Grant, available: Parameters<ChildPlace["grantFor"]>[0], wish: ChildWish): Grant => {
  const granted = grantChild(parent, available, wish);
  if (!granted.ok) throw agentErrors.unknownToolset(granted.error);
  return granted.value;
};

const promptOf = (app: App, cwd: string, mayDelegate: boolean): Redacted<string> =>
  app.redactor.text(
    childPrompt({
      system: platformName(process.platform),
      userHome: userDirectory(app.environment),
      cwd,
      mayDelegate,
    }),
  );

/** `subagent_auto_approve`: yes to this one action; what was allowed stands in the log. */
const createStandIn = (app: App, session: SessionId): Asker => ({
  ask: (request) => {
    app.log.warn("a dangerous action of a sub-agent was allowed (delegation.subagent_auto_approve)", {
      session,
      subject: request.subject,
      reasons: request.reasons,
    });
    return Promise.resolve("once");
  },
});

interface Opening {
  readonly task: ChildTask;
  readonly place: ChildPlace;
  readonly parent: DelegatingParent;
  readonly model: ModelClient;
  /** The session that called. */
  readonly caller: SessionId;
}

const openChild = async (app: App, opening: Opening): Promise<Child> => {
  const { task, place, parent, model, caller } = opening;
  const store = await app.store();
  const cwd = parent.tools.shell.cwd();
  const prompt = place.prompt(cwd);
  const { provider, model: name } = model.info;
  const record = await store.sessions.create({
    source: SUBAGENT_SOURCE,
    provider,
    model: name,
    cwd,
    systemPrompt: prompt,
    parent: caller,
  });
  try {
    const request = {
      ...parent.request,
      start: { kind: "new" as const },
      maxTurns: app.config.section("delegation").max_iterations,
      yolo: false,
      interactive: false,
      source: SUBAGENT_SOURCE,
      cwd,
    };
    const session = await parent.equip({ record, prompt, request, model, place });
    return createChild(app, { ...opening, session, task });
  } catch (error) {
    await store.sessions.discardEmpty(record.id);
    throw error;
  }
};

/** Joins a session to what delegation knows of a child. */
const createChild = (
  app: App,
  { session, task, parent, model }: Opening & { readonly session: EquippedChild },
): Child => {
  const { tools } = parent;
  // Compression takes a child to another session; what began in the one before is still its own.
  const sessions = new Set([session.record.id]);
  return {
    get session() {
      return session.record.id;
    },
    facts: factsOf(session, model),
    run: ({ signal }) => {
      const input = { parts: [{ type: "text" as const, text: childInput(task) }], origin: { surface: "hermes" } };
      return noting(session.agent.run(input, { signal }), () => void sessions.add(session.record.id));
    },
    release: async (status) => {
      sessions.add(session.record.id);
      try {
        return status === "completed" ? await runningOf(parent, sessions) : await endAll(parent, sessions);
      } finally {
        for (const id of sessions) tools.host.shells.forget(id);
        await (await app.store()).sessions.end(session.record.id, "delegated");
        await session[Symbol.asyncDispose]();
      }
    },
  };
};

async function* noting(events: AsyncIterable<AgentEvent>, note: () => void): AsyncGenerator<AgentEvent> {
  for await (const event of events) {
    note();
    yield event;
  }
}

const runningOf = async (
  { tools }: DelegatingParent,
  sessions: ReadonlySet<SessionId>,
): Promise<readonly LeftRunning[]> => {
  const all = await tools.processes.list();
  return all
    .filter(({ session, state }) => sessions.has(session) && state.kind === "running")
    .map(({ id, command }) => ({ id, command }));
};

const endAll = async (
  { tools }: DelegatingParent,
  sessions: ReadonlySet<SessionId>,
): Promise<readonly LeftRunning[]> => {
  for (const id of sessions) await tools.processes.killAll(id);
  return [];
};

const factsOf = ({ grant, record }: EquippedChild, model: ModelClient): Child["facts"] => {
  const { provider, model: name, wire, contextWindow } = model.info;
  const tools = [...grant.resident, ...grant.onDemand.flatMap((toolset) => toolset.tools)].map((tool) => tool.name);
  const place = model.place?.();
  return [
    ["parent", record.parent ?? ""],
    ["model", `${provider}:${name} (${wire}, window ${contextWindow})`],
    ...(place === undefined ? [] : ([["address", place.baseUrl]] as const)),
    ["tools", tools.join(", ")],
    ["cwd", record.cwd ?? ""],
  ];
};

/** `logs/subagent-timeout-<session>-<time>.log`; a disk that is full costs the diagnosis, not the report. */
const keepDiagnosis = async (app: App, session: SessionId, text: string): Promise<string | undefined> => {
  const time = new Date(app.clock.now()).toISOString().replaceAll(/[-:]|\.\d+/gu, "");
  const path = join(app.paths.logs, `subagent-timeout-${session.replaceAll(/[^A-Za-z0-9_-]/gu, "_")}-${time}.log`);
  try {
    await mkdir(app.paths.logs, { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, Buffer.from(app.redactor.text(text)), { links: "refused", mode: 0o600 });
    return path;
  } catch (thrown) {
    app.log.warn("the diagnosis of a sub-agent could not be kept", { session, error: thrown });
    return undefined;
  }
};
