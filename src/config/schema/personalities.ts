import { openMapping, optionalText } from "./field.ts";

/** `personalities`: ways of speaking for `/personality`, besides the built-in ones. */
export const personalities = openMapping({
  doc: "Ways of speaking for /personality: a text by name, or a mapping of description, system_prompt, tone, style.",
});

/** `prefill_messages_file`: what is said before each conversation. */
export const prefillMessagesFile = optionalText({
  doc: "A JSON list of {role, content} that is sent before each conversation and never stored; a relative path is in the home.",
  variables: [{ name: "HERMES_PREFILL_MESSAGES_FILE" }],
});
