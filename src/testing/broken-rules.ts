import { analyseCommand, type CommandContext } from "../agent/approvals/analyse-command.ts";
import { createShellParser } from "../agent/approvals/shell/shell-parser.ts";

/**
 * Ann works in her project, and the agent has written these files there. Nothing that is analysed in it is ever run: the texts are
 * input alone.
 */
export const commandContext = (written: Readonly<Record<string, string>> = {}): CommandContext => ({
  parser: createShellParser(),
  cwd: "/home/ann/project",
  userHome: "/home/ann",
  agentHome: "/home/ann/.hermes",
  writtenScripts: (path) => (Object.hasOwn(written, path) ? written[path] : undefined),
  sudoPasswordAvailable: false,
  caseInsensitive: false,
});

/** The rules that a command breaks, hardline ones alone (`!rule`) where there are any. */
export const brokenRules = async (command: string, context: CommandContext): Promise<string> => {
  const verdict = await analyseCommand(command, context);
  if (verdict.kind === "block") return `!${verdict.reason.rule}`;
  return verdict.kind === "safe" ? "" : [...new Set(verdict.reasons.map((reason) => reason.rule))].join(" ");
};
