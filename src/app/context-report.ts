import { toToolSchema } from "../agent/tool-schema.ts";
import { prefacedSystem, type Preface } from "../agent/prompt/preface.ts";
import { splitPrompt } from "../agent/prompt/split-prompt.ts";
import { onDemandTools } from "../agent/on-demand.ts";
import type { Grant } from "../agent/grant.ts";
import type { TokenEstimator } from "../llm/estimate.ts";
import type { Message } from "../llm/message.ts";

/** One part of what a request carries, in estimated tokens. */
export interface ContextPart {
  readonly name: string;
  readonly tokens: number;
}

export interface RequestParts {
  readonly systemPrompt: string;
  readonly preface: Preface;
  readonly grant: Grant;
  readonly messages: readonly Message[];
  readonly estimator: TokenEstimator;
}

/** What each request of a session carries, part by part (R-MONEY-3): the parts of the system prompt, each tool, the messages by role. */
export const contextParts = ({
  systemPrompt,
  preface,
  grant,
  messages,
  estimator,
}: RequestParts): readonly ContextPart[] => {
  const tools = [...grant.resident, ...onDemandTools(grant.onDemand)];
  const sent = prefacedSystem("", preface);
  const byRole = (role: Message["role"]): number =>
    messages.reduce((sum, message) => sum + (message.role === role ? estimator.estimateMessage(message) : 0), 0);
  return [
    ...splitPrompt(systemPrompt).map(({ name, text }) => ({
      name: `prompt: ${name}`,
      tokens: estimator.estimateTokens({ system: text, messages: [], tools: [] }),
    })),
    ...(sent === "" && preface.messages.length === 0
      ? []
      : [
          {
            name: "prompt: sent, not stored",
            tokens: estimator.estimateTokens({ system: sent, messages: preface.messages, tools: [] }),
          },
        ]),
    ...tools.map((tool) => ({
      name: `tool ${tool.name}`,
      tokens: estimator.estimateTokens({ system: "", messages: [], tools: [toToolSchema(tool)] }),
    })),
    { name: "your messages", tokens: byRole("user") },
    { name: "answers and calls", tokens: byRole("assistant") },
    { name: "tool results", tokens: byRole("tool") },
  ];
};
