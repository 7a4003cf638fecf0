import { failure, success, type Result } from "../base/result.ts";
import type { Tool } from "./tool.ts";
import { ALL_TOOLSETS, TOOLSET_ALIASES, type Toolset } from "./toolset.ts";

declare const granted: unique symbol;

/** The tools that one agent may use. Only `grantTools` makes it, and an agent takes nothing else (decision 18). */
export interface Grant {
  readonly [granted]: true;
  /** In every request, in a fixed order. */
  readonly resident: readonly Tool[];
  /** Opened by the model when it needs them. */
  readonly onDemand: readonly Toolset[];
}

/** Every tool of a grant, those first that are in every request. */
export const grantedTools = (grant: Grant): readonly Tool[] => [
  ...grant.resident,
  ...grant.onDemand.flatMap((toolset) => toolset.tools),
];

/** What the owner's configuration says. `disabled` wins over every request. */
export interface GrantPolicy {
  /** Toolset, tool or alias names; undefined = everything. */
  readonly allowed: readonly string[] | undefined;
  readonly disabled: readonly string[];
}

/** Names in a request or policy that mean nothing here. */
export interface UnknownToolsets {
  readonly unknown: readonly string[];
  readonly known: readonly string[];
}

/**
 * Intersects what is asked for with what the owner allows, then subtracts what the owner disabled.
 * A request can only narrow: there is no name that adds to the policy.
 */
export const grantTools = (
  available: readonly Toolset[],
  requested: readonly string[] | undefined,
  policy: GrantPolicy,
): Result<Grant, UnknownToolsets> => {
  const known = knownNames(available);
  const unknown = [...(requested ?? []), ...(policy.allowed ?? [])].filter((name) => !known.has(name));
  if (unknown.length > 0) return failure({ unknown, known: [...known] });

  const isRequested = selector(requested);
  const isAllowed = selector(policy.allowed);
  // A disabled name that does not exist disables nothing, so it is no error here; `config check` reports it.
  const isDisabled = policy.disabled.length === 0 ? () => false : selector(policy.disabled);
  const toolsets = available
    .map((toolset) => ({
      ...toolset,
      tools: toolset.tools.filter(
        (tool) => isRequested(toolset, tool) && isAllowed(toolset, tool) && !isDisabled(toolset, tool),
      ),
    }))
    .filter((toolset) => toolset.tools.length > 0);
  const grant = {
    resident: toolsets.flatMap((toolset) => (toolset.residency === "resident" ? toolset.tools : [])),
    onDemand: toolsets.filter((toolset) => toolset.residency === "on_demand"),
  };
  return success(grant as unknown as Grant);
};

const knownNames = (available: readonly Toolset[]): ReadonlySet<string> =>
  new Set([
    ...ALL_TOOLSETS,
    ...Object.keys(TOOLSET_ALIASES),
    ...available.flatMap((toolset) => [toolset.name, ...toolset.tools.map((tool) => tool.name)]),
  ]);

const selector = (names: readonly string[] | undefined): ((toolset: Toolset, tool: Tool) => boolean) => {
  if (names === undefined || names.some((name) => ALL_TOOLSETS.includes(name))) return () => true;
  const aliases = names.flatMap((name) => TOOLSET_ALIASES[name] ?? []);
  // A name means the toolset and the tool that bear it; an alias says which of the two it means.
  const toolsets = new Set([...names, ...aliases.flatMap((alias) => alias.toolsets)]);
  const tools = new Set([...names, ...aliases.flatMap((alias) => alias.tools)]);
  return (toolset, tool) => toolsets.has(toolset.name) || tools.has(tool.name);
};
