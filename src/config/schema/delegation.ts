import { REASONING_EFFORTS } from "../reasoning-effort.ts";
import { WIRE_IDS } from "../wire-ids.ts";
import { count, flag, group, optionalAddress, optionalChoice, optionalText, text } from "./field.ts";

/** `delegation`: sub-agents (compat §3.2, §4.8). */
export const delegationSection = group(
  {
    model: text({ default: "", doc: "The model of sub-agents; empty = that of the conversation." }),
    provider: text({ default: "", doc: "Their provider; empty = that of the conversation." }),
    base_url: optionalAddress({ doc: "Address of an endpoint for sub-agents alone." }),
    api_key: optionalText({ doc: "Key for `base_url`; better kept in .env.", secret: true }),
    api_mode: optionalChoice(WIRE_IDS, { doc: "HTTP format of `base_url`." }),
    reasoning_effort: optionalChoice(REASONING_EFFORTS, {
      doc: "How hard sub-agents think; absent = as hard as the conversation.",
      onBad: "dropped",
    }),
    inherit_mcp_toolsets: flag({
      default: true,
      doc: "Sub-agents keep the MCP toolsets of the agent that starts them, whatever toolsets are asked for.",
    }),
    max_iterations: count({ default: 50, min: 1, doc: "Most model calls of one sub-agent." }),
    child_timeout_seconds: count({
      default: 600,
      min: 1,
      doc: "Longest time of one sub-agent, all in all; less than 30 counts as 30.",
    }),
    max_concurrent_children: count({ default: 3, min: 1, doc: "Most sub-agents of one call." }),
    max_spawn_depth: count({
      default: 1,
      min: 1,
      max: 3,
      doc: "How deep sub-agents may start sub-agents; 1 = not at all.",
      onBad: "dropped",
    }),
    orchestrator_enabled: flag({
      default: true,
      doc: "Whether a sub-agent may be allowed to delegate, where the depth leaves room.",
    }),
    subagent_auto_approve: flag({
      default: false,
      doc: "Allow dangerous actions of sub-agents without asking. What is blocked stays blocked.",
    }),
  },
  { doc: "Sub-agents." },
);
