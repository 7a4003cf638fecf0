import { nearestKey } from "../config/nearest-key.ts";
import { defineCommand, errorResult, textResult, type CommandResult } from "./command.ts";
import type { PersonalityChoice } from "./ports.ts";

const NONE = ["none", "off", "default", "neutral"];

/** `/personality [name|none]`: how the agent speaks in this chat. */
export const personality = defineCommand({
  name: "personality",
  argsHint: "[name|none]",
  description: "Choose how the agent speaks in this chat",
  subcommands: ["none"],
  during: "any",
  run: async ({ args, ports }) => {
    const { choices, unusable } = await ports.model.personalities();
    const wanted = args.toLowerCase();
    if (wanted === "") return list(choices, unusable);
    if (NONE.includes(wanted)) {
      ports.model.usePersonality(undefined);
      return textResult("No personality. It holds from the next message on.");
    }
    const chosen = choices.find(({ name }) => name === wanted);
    if (chosen !== undefined) {
      ports.model.usePersonality(chosen);
      return textResult(`Personality: ${chosen.name}. It holds from the next message on, until this chat ends.`);
    }
    const near = nearestKey(
      wanted,
      choices.map(({ name }) => name),
    );
    return errorResult(
      `There is no personality "${args}"`,
      near === undefined ? "/personality lists them." : `Did you mean ${near}?`,
    );
  },
});

const list = (choices: readonly PersonalityChoice[], unusable: readonly string[]): CommandResult => ({
  kind: "table",
  columns: ["name", "how", ""],
  rows: choices.map(({ name, description, current }) => [name, description, current ? "current" : ""]),
  ...(unusable.length === 0
    ? {}
    : { note: `Neither a text nor a mapping with system_prompt, tone or style: ${unusable.join(", ")}.` }),
});
