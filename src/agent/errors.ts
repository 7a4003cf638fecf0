import { defineErrors } from "../base/app-error.ts";
import type { ProviderErrorKind } from "../llm/provider-error.ts";

/** What ends a turn without an answer. */
export const agentErrors = defineErrors({
  sessionBusy: {
    code: "agent.session_busy",
    message: (p: { session: string; pid: number; surface: string }) =>
      `Session ${p.session} is being used by another process (pid ${p.pid}, ${p.surface}).`,
    hint: () =>
      "Wait until it is done, or go on in a copy: `/branch` in the chat. A run without -c and -r begins a session of its own.",
    exitCode: 1,
  },
  providerFailed: {
    code: "agent.provider_failed",
    message: (p: { provider: string; model: string; kind: ProviderErrorKind; message: string }) =>
      `${p.provider} (${p.model}) did not answer: ${p.message}`,
    hint: (p: { provider: string; kind: ProviderErrorKind }) =>
      p.kind === "auth"
        ? `\`hermes auth list ${p.provider}\` shows its keys and logins; \`hermes auth add ${p.provider}\` adds another key or signs in again.`
        : (PROVIDER_HINTS[p.kind] ?? "Try again; `hermes logs errors` has the details."),
    exitCode: 1,
  },
  capReached: {
    code: "agent.cap_reached",
    message: (p: { message: string }) => p.message,
    hint: () => "`hermes budget` shows what is spent, and every budget.",
    exitCode: 1,
  },
  turnFailed: {
    code: "agent.turn_failed",
    message: (p: { message: string }) => `The turn failed: ${p.message}`,
    hint: () => "What had been saved is kept; `hermes logs errors` has the details.",
    exitCode: 1,
  },
  unknownToolset: {
    code: "agent.unknown_toolset",
    message: (p: { unknown: readonly string[]; known: readonly string[] }) =>
      `There is no toolset or tool named ${p.unknown.map((name) => `"${name}"`).join(", ")} in this version.`,
    hint: (p: { known: readonly string[] }) => `Available: ${p.known.join(", ")}.`,
    exitCode: 2,
  },
});

const PROVIDER_HINTS: Readonly<Partial<Record<ProviderErrorKind, string>>> = {
  billing: "The account has no credit left; top it up or choose another model with -m.",
  rate_limit: "Wait a moment, or choose another model with -m.",
  overloaded: "The provider is overloaded; try again in a moment.",
  network: "Check the connection and the base URL (`hermes config get model.base_url`).",
  stalled: "The provider stopped sending. Try again; `providers.<id>.stale_timeout_seconds` sets how long to wait.",
  timeout: "Raise `providers.<id>.request_timeout_seconds` if answers need longer.",
  overflow:
    "The conversation no longer fits the model's window. Start a new session (`/new`) or use a model with a larger one.",
  invalid_request:
    "Sent again it will be refused again. Check the model and the base URL (`hermes config get model`), or use another model.",
  model_not_found: "Check the model's name: `hermes config get model`.",
  policy: "The provider refused the request; rephrase it or use another model.",
};
