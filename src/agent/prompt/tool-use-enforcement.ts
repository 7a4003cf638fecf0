/** `agent.tool_use_enforcement`: for which models the prompt insists on calls; a list = for names that contain one of these. */
export type ToolUseEnforcement = "auto" | "on" | "off" | readonly string[];

/** Whether a model of this name is told to call tools instead of promising to. */
export const needsEnforcement = (model: string, setting: ToolUseEnforcement): boolean => {
  if (setting === "on") return true;
  if (setting === "off") return false;
  const name = model.toLowerCase();
  return (setting === "auto" ? PROMISING : setting).some((part) => part !== "" && name.includes(part.toLowerCase()));
};

/** Families that are known to end an answer with what they are about to do (compat §4.2). */
const PROMISING = ["gpt", "codex", "gemini", "gemma", "grok", "glm", "qwen", "deepseek"];

/** What such a model is told. */
export const ENFORCEMENT =
  "Whatever you say you will do, do it with tool calls in the same answer; never end with a plan.";
