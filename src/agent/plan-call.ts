import * as z from "zod";
import type { ToolCallPart } from "../llm/message.ts";
import { grantedTools, type Grant } from "./grant.ts";
import { USE_TOOL } from "./on-demand.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { Concurrency, Tool } from "./tool.ts";

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
  if (!inner.success) return invalid(call, USE_TOOL, `use takes {"tool": name, "arguments": {…}}.`);
  const args =
    typeof inner.data.arguments === "string"
      ? parseJson(inner.data.arguments)
      : { ok: true as const, value: inner.data.arguments ?? {} };
  if (!args.ok) return invalid(call, inner.data.tool, args.problem);
  return planTool(grant, { call, name: inner.data.tool, args: args.value, cwd });
};

const useArguments = z.object({
  tool: z.string(),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
});

interface NamedCall {
  readonly call: ToolCallPart;
  readonly name: string;
  readonly args: unknown;
  readonly cwd: string;
}

const planTool = (grant: Grant, { call, name, args, cwd }: NamedCall): PlannedCall => {
  const tool = grantedTools(grant).find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const names = grantedTools(grant).map((candidate) => candidate.name);
    return invalid(call, name, `There is no tool "${name}". Available: ${names.join(", ")}.`);
  }
  const checked = parseArguments(tool, args);
  if (checked.kind === "invalid") return invalid(call, name, `Invalid arguments: ${checked.problem}`);
  return { kind: "ready", call, tool, args: checked.args, concurrency: tool.concurrency(checked.args, cwd) };
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
