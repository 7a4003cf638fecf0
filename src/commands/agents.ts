import { type CommandResult, defineCommand, errorResult, textResult } from "./command.ts";
import { formatAge } from "./format-values.ts";
import type { CommandPorts, RunningChildInfo } from "./ports.ts";

/** `/agents` (`/tasks`): the sub-agents and background processes that run; `/agents stop <#|session|all>` ends sub-agents. */
export const agents = defineCommand({
  name: "agents",
  aliases: ["tasks"],
  argsHint: "[stop <#|session|all>]",
  description: "Show running sub-agents and processes, or stop sub-agents",
  subcommands: ["stop"],
  during: "any",
  run: async ({ args, ports }) => {
    if (args === "") return await listRunning(ports);
    const [, reference] = /^stop(?:\s+([\s\S]+))?$/u.exec(args) ?? [];
    if (reference === undefined) return errorResult("Which one?", "/agents stop <#, session or all>");
    return stopChildren(ports, reference.trim());
  },
});

const listRunning = async ({ turn, now }: CommandPorts): Promise<CommandResult> => {
  const children = turn.children();
  const processes = await turn.processes();
  if (children.length + processes.length === 0) return textResult("No sub-agent and no background process runs.");
  return {
    kind: "table",
    columns: ["#", "id", "what", "doing", "for"],
    rows: [
      ...children.map((child, index) => [
        String(index + 1),
        child.session,
        `${"  ".repeat(depthOf(child, children))}${child.goal.replaceAll(/\s+/gu, " ")}`,
        child.action.replaceAll(/\s+/gu, " "),
        formatAge(child.runningMs),
      ]),
      ...processes.map(({ id, command, startedAt }) => [
        "",
        id,
        command,
        "in the background",
        formatAge(now() - startedAt),
      ]),
    ],
    note: children.length === 0 ? "/stop ends background processes." : "/agents stop <#> stops a sub-agent.",
  };
};

const depthOf = (child: RunningChildInfo, all: readonly RunningChildInfo[]): number => {
  const above = all.find(({ session }) => session === child.parent);
  return above === undefined ? 0 : 1 + depthOf(above, all);
};

const stopChildren = ({ turn }: CommandPorts, reference: string): CommandResult => {
  const outcome = turn.interruptChildren(reference);
  switch (outcome.kind) {
    case "interrupted":
      return textResult(
        outcome.sessions.length === 1
          ? `Sub-agent ${outcome.sessions[0]} is being stopped.`
          : `${outcome.sessions.length} sub-agents are being stopped.`,
      );
    case "ambiguous":
      return errorResult(`"${reference}" names more than one sub-agent`, outcome.sessions.join(", "));
    case "none":
      return errorResult(`No sub-agent "${reference}" runs`, "/agents lists them.");
  }
};
