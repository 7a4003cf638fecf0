import { defineCommand } from "./command.ts";
import { formatAge, formatCount } from "./format-values.ts";

const startedText = (ms: number): string => (formatAge(ms) === "now" ? "just now" : `${formatAge(ms)} ago`);

/** `/status`: the session, the model and how they stand. */
export const status = defineCommand({
  name: "status",
  description: "Show the session, model and settings in force",
  during: "any",
  run: async ({ ports }) => {
    const session = ports.conversation.current();
    const context = await ports.conversation.context();
    const display = ports.settings.display();
    return {
      kind: "table",
      columns: [],
      rows: [
        ["session", session.id],
        ["title", session.title ?? "(none)"],
        ["model", `${session.provider}:${session.model}`],
        ["reasoning", ports.model.effort()],
        ["context", `${formatCount(context.used)} of ${formatCount(context.window)} tokens`],
        ["messages", `${session.messageCount} (${session.toolCallCount} tool calls)`],
        ["started", startedText(ports.now() - session.startedAt)],
        ["directory", session.cwd],
        ["busy input", display.busyInputMode],
        ["tool progress", display.toolProgress],
        ["YOLO", ports.settings.yolo() ? "on: nothing is asked" : "off"],
      ],
    };
  },
});
