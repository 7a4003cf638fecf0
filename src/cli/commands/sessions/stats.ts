import type { ExitCode } from "../../../base/app-error.ts";
import { formatCost } from "../../../commands/format-values.ts";
import type { CommandCall } from "../../command-call.ts";
import { formatBytes, plural } from "../../format.ts";
import { openApp } from "../../open-app.ts";

/** `hermes sessions stats`. */
export const runStats = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const stats = await (await app.store()).sessions.stats();
  if (flags.json === true) {
    output.stdout(
      `${JSON.stringify({ sessions: stats.sessions, messages: stats.messages, tool_calls: stats.toolCalls, usage: stats.usage, cost_usd: stats.costUsd, database_bytes: stats.databaseBytes, by_source: stats.bySource }, undefined, 2)}\n`,
    );
    return 0;
  }
  output.stdout(
    [
      `${plural(stats.sessions, "session")}, ${plural(stats.messages, "message")}, ${plural(stats.toolCalls, "tool call")}`,
      `tokens in ${stats.usage.inputTokens ?? 0}, out ${stats.usage.outputTokens ?? 0}; cost ${formatCost(stats.costUsd)}`,
      `database ${formatBytes(stats.databaseBytes)}`,
      ...stats.bySource.map(
        ({ source, sessions, messages }) =>
          `  ${source}: ${plural(sessions, "session")}, ${plural(messages, "message")}`,
      ),
      "",
    ].join("\n"),
  );
  return 0;
};
