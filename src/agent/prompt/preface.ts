import type { Message } from "../../llm/message.ts";
import type { LlmRequest } from "../../llm/request.ts";

/**
 * What is sent with each request and never stored (compat §4.2). It stays the same while a session runs, so that requests begin with the
 * one before; changing it is the owner's wish. Masked.
 */
export interface Preface {
  /** Behind the stored system prompt. */
  readonly system: string;
  /** How the agent speaks, behind that. */
  readonly personality: string;
  /** Before the conversation: alternating, from a user's message to an assistant's. */
  readonly messages: readonly Message[];
}

/** Nothing besides what is stored. */
export const NO_PREFACE: Preface = { system: "", personality: "", messages: [] };

/** The system text of a request. */
export const prefacedSystem = (stored: string, { system, personality }: Preface): string =>
  [stored, system, personality].filter((text) => text !== "").join("\n\n");

/** A request as it is sent. */
export const withPreface = (request: LlmRequest, preface: Preface): LlmRequest => ({
  ...request,
  system: prefacedSystem(request.system, preface),
  messages: [...preface.messages, ...request.messages],
});
