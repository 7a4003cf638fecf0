import type { ToolResult } from "../agent/tool.ts";

/** The tool did what was asked. */
export const answer = (text: string, diff?: string): ToolResult => ({
  outcome: "ok",
  text,
  ...(diff === undefined || diff === "" ? {} : { diff }),
});

/** The tool could not do it; `text` says why and what to do instead. */
export const fault = (text: string): ToolResult => ({ outcome: "error", text });

/** The owner or a rule said no. */
export const denial = (text: string): ToolResult => ({ outcome: "denied", text });
