import { defineCommand } from "./command.ts";
import { formatCount } from "./format-values.ts";

const share = (tokens: number, window: number): string =>
  window > 0 ? `${((100 * tokens) / window).toFixed(1)}%` : "";

/** `/context`: what fills the model's window. */
export const context = defineCommand({
  name: "context",
  description: "Show what fills the model's window",
  during: "any",
  run: async ({ ports }) => {
    const report = await ports.conversation.context();
    const rows = [...report.parts, { name: "free", tokens: Math.max(0, report.window - report.used) }];
    const compress =
      report.compressAt === undefined
        ? "This version does not compress it: when it is full, /new begins another session."
        : `Compressed at ${formatCount(report.compressAt)} tokens.`;
    return {
      kind: "table",
      title: `${formatCount(report.used)} of ${formatCount(report.window)} tokens`,
      columns: ["part", "tokens", "share"],
      rows: rows.map((part) => [part.name, formatCount(part.tokens), share(part.tokens, report.window)]),
      note: compress,
    };
  },
});
