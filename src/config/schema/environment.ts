import { flag, group, optionalSeconds, optionalText } from "./field.ts";

/**
 * `environment`: settings that only variables (and flags) give; config.yaml has no such section.
 * The two times stand here because a provider's own setting beats them (R-TIME-3).
 */
export const environmentSection = group(
  {
    request_timeout_seconds: optionalSeconds({
      doc: "Longest time of one model call, unless the model or its provider says otherwise.",
      variables: [{ name: "HERMES_API_TIMEOUT" }],
    }),
    stale_timeout_seconds: optionalSeconds({
      doc: "Longest time without progress of a model call, unless the model or its provider says otherwise.",
      variables: [{ name: "HERMES_API_CALL_STALE_TIMEOUT" }],
    }),
    ignore_user_config: flag({
      default: false,
      doc: "Run as if there were no config.yaml; .env is read.",
      variables: [{ name: "HERMES_IGNORE_USER_CONFIG" }],
    }),
    ignore_rules: flag({
      default: false,
      doc: "Leave SOUL.md, project files (AGENTS.md and the like) and memory out of the prompt.",
      variables: [{ name: "HERMES_IGNORE_RULES" }],
    }),
    ephemeral_system_prompt: optionalText({
      doc: "Text behind the system prompt that is sent with each request and never stored.",
      variables: [{ name: "HERMES_EPHEMERAL_SYSTEM_PROMPT" }],
    }),
  },
  { doc: "Settings that come from variables and flags alone." },
);
