import { choice, count, group, seconds } from "./field.ts";

/** `code_execution`: scripts that call tools. */
export const codeExecutionSection = group(
  {
    mode: choice(["project", "strict"], {
      default: "project",
      doc: "Where scripts run: in the session's folder, or in an empty temporary one.",
    }),
    timeout: seconds({ default: 300, doc: "The longest time that a script may take." }),
    max_tool_calls: count({ default: 50, min: 1, doc: "The most calls of tools that a script may make." }),
  },
  { doc: "Scripts that call tools." },
);
