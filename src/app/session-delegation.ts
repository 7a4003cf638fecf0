import { createChildRegistry, type ChildRegistry } from "../agent/delegation/child-registry.ts";
import type { Tool } from "../agent/tool.ts";
import { createDelegateTaskTool } from "../tools/delegate-task.ts";
import type { App } from "./app.ts";
import type { ChildPlace, DelegatingParent } from "./delegating-parent.ts";

/** What a session delegates with. */
export interface SessionDelegation {
  readonly tool: Tool;
  readonly children: ChildRegistry;
  /** Says who delegates; before the tool's first call. */
  bind(parent: DelegatingParent): void;
}

/** Nothing is loaded before the first delegation. `place` = the session is itself a sub-agent's. */
export const createSessionDelegation = (app: App, place: ChildPlace | undefined): SessionDelegation => {
  const settings = app.config.section("delegation");
  const depth = place?.depth ?? 0;
  const children = place?.children ?? createChildRegistry();
  let parent: DelegatingParent | undefined;
  const tool = createDelegateTaskTool({
    orchestrators: settings.orchestrator_enabled && depth + 1 < settings.max_spawn_depth,
    delegate: async (tasks, context) => {
      if (parent === undefined) throw new Error("a session delegates before it is equipped");
      const { runDelegation } = await import("./delegation.ts");
      return await runDelegation(app, { depth, children, parent, context }, tasks);
    },
  });
  return {
    tool,
    children,
    bind: (session) => {
      parent = session;
    },
  };
};
