import * as z from "zod";
import { nearestKey } from "../config/nearest-key.ts";
import type { ToolCallPart } from "../llm/message.ts";
import { grantedTools, type Grant } from "./grant.ts";
import { matchName } from "./match-name.ts";
import { USE_TOOL } from "./on-demand.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { Concurrency, Tool } from "./tool.ts";
import { toToolSchema } from "./tool-schema.ts";

/** A call of the model after its name and arguments were checked. */
export type PlannedCall = ReadyCall | InvalidCall;

export interface ReadyCall {
  readonly kind: "ready";
  readonly call: ToolCallPart;
  readonly tool: Tool;
  readonly args: unknown;
  readonly concurrency: Concurrency;
}

/** A call that cannot run; the model reads why. */
export interface InvalidCall {
  readonly kind: "invalid";
  readonly call: ToolCallPart;
  /** The name as people see it. */
  readonly toolName: string;
  readonly problem: string;
  readonly concurrency: Concurrency;
}

/** Finds the tool that a call means, in the grant and nowhere else, and parses its arguments. */
export const planCall = (grant: Grant, call: ToolCallPart, cwd: string): PlannedCall => {
  const parsed = parseJson(call.arguments);
  if (!parsed.ok) return invalid(call, call.name, parsed.problem);
  if (call.name !== USE_TOOL) return planTool(grant, { call, name: call.name, args: parsed.value, cwd });
  const inner = useArguments.safeParse(parsed.value);
  if (!inner.success) return invalid(call, USE_TOOL, USE_FORM);
  const { tool: name, arguments: given, ...beside } = inner.data;
  if (name === USE_TOOL) return invalid(call, USE_TOOL, USE_FORM);
  // With nothing under `arguments`, what stands beside the name can only be meant as that.
  const args = typeof given === "string" ? parseJson(given) : { ok: true as const, value: given ?? beside };
  if (!args.ok) return invalid(call, name, args.problem);
  return planTool(grant, { call, name, args: args.value, cwd });
};

const useArguments = z.looseObject({
  tool: z.string(),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).nullish(),
});

const USE_FORM = `use takes {"tool": name of another tool, "arguments": {…}}.`;

interface NamedCall {
  readonly call: ToolCallPart;
  readonly name: string;
  readonly args: unknown;
  readonly cwd: string;
}

const planTool = (grant: Grant, { call, name, args, cwd }: NamedCall): PlannedCall => {
  const tool = matchName(name, grantedTools(grant));
  if (tool === undefined) return invalid(call, name, describeUnknown(grant, name));
  const checked = parseArguments(tool, args);
  if (checked.kind === "invalid") {
    const problem = `Invalid arguments: ${checked.problem}`;
    // The model has the schemas of the others in front of it; this one it may never have opened.
    const schema = grant.resident.includes(tool)
      ? ""
      : `\n${tool.name} takes: ${JSON.stringify(toToolSchema(tool).parameters)}`;
    return invalid(call, tool.name, `${problem}${schema}`);
  }
  return { kind: "ready", call, tool, args: checked.args, concurrency: tool.concurrency(checked.args, cwd) };
};

/** Names of tools that come with the answer; a large toolset has hundreds, which are in its own list. */
const describeUnknown = (grant: Grant, name: string): string => {
  const tools = grantedTools(grant);
  const near = nearestKey(
    name,
    tools.map((tool) => tool.name),
  );
  const meant = near === undefined ? "" : ` Did you mean ${near}?`;
  const resident = grant.resident.map((tool) => tool.name).join(", ");
  const others = grant.onDemand.map((toolset) => toolset.name);
  const more = others.length === 0 ? "" : `; in toolsets: ${[...new Set(others)].join(", ")}`;
  return `There is no tool "${name}".${meant} Available: ${resident}${more}.`;
};

const invalid = (call: ToolCallPart, toolName: string, problem: string): InvalidCall => ({
  kind: "invalid",
  call,
  toolName,
  problem,
  concurrency: { kind: "anything" },
});

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Models send an empty string where a tool takes no arguments. Anything else that is no JSON was cut or garbled: never run as `{}`. */
const parseJson = (text: string): Parsed => {
  if (text.trim() === "") return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the text; the model needs only the fact.
    return {
      ok: false,
      problem:
        "The arguments are not valid JSON (cut off or garbled). Nothing was run. Send the call again, in smaller parts if it was long.",
    };
  }
};
