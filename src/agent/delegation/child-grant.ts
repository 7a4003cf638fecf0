import type { Result } from "../../base/result.ts";
import { grantTools, type Grant, type UnknownToolsets } from "../grant.ts";
import type { Toolset } from "../toolset.ts";

/** Tools that sub-agents never get (compat §4.8); `delegate_task` is the one that an orchestrator keeps. */
export const NOT_FOR_CHILDREN: readonly string[] = [
  "delegate_task",
  "clarify",
  "memory",
  "send_message",
  "execute_code",
];

/** What a child gets when nothing is asked for, as far as its parent has it. */
const USUAL_TOOLSETS: readonly string[] = ["terminal", "file", "web"];

const MCP_PREFIX = "mcp-";

export interface ChildWish {
  /** Toolset or tool names; undefined or empty = the usual ones. */
  readonly toolsets: readonly string[] | undefined;
  readonly mayDelegate: boolean;
  /** The parent's MCP toolsets come along, whatever is asked for. */
  readonly inheritMcp: boolean;
}

/**
 * What a child may use of its own `available` tools: those that the parent's grant has, by name, one by one (a toolset and a tool may
 * share a name), narrowed to what is asked for, without what no sub-agent gets. Never wider than `parent`.
 */
export const grantChild = (
  parent: Grant,
  available: readonly Toolset[],
  wish: ChildWish,
): Result<Grant, UnknownToolsets> => {
  const held = new Set([...parent.resident, ...parent.onDemand.flatMap(({ tools }) => tools)].map(({ name }) => name));
  const within = available
    .map((toolset) => ({ ...toolset, tools: toolset.tools.filter(({ name }) => held.has(name)) }))
    .filter(({ tools }) => tools.length > 0);
  const names = within.map(({ name }) => name);
  const asked =
    wish.toolsets === undefined || wish.toolsets.length === 0
      ? USUAL_TOOLSETS.filter((name) => names.includes(name))
      : wish.toolsets;
  const requested = [
    ...asked,
    ...(wish.inheritMcp ? names.filter((name) => name.startsWith(MCP_PREFIX)) : []),
    ...(wish.mayDelegate && held.has("delegate_task") ? ["delegate_task"] : []),
  ];
  const disabled = NOT_FOR_CHILDREN.filter((name) => name !== "delegate_task" || !wish.mayDelegate);
  return grantTools(within, requested, { allowed: undefined, disabled });
};
