import { type CommandResult, defineCommand, errorResult, textResult } from "./command.ts";
import type { CommandPorts, ModelChoice, SwitchOutcome } from "./ports.ts";

const listChoices = (choices: readonly ModelChoice[]): CommandResult => ({
  kind: "table",
  columns: ["#", "provider", "model", ""],
  rows: choices.map((choice, index) => [
    String(index + 1),
    choice.provider,
    choice.model,
    choice.current ? "current" : "",
  ]),
  note: "/model <#, model or provider:model> switches; --global remembers it.",
});

interface Wanted {
  readonly target: string;
  readonly provider?: string;
  readonly remember: boolean;
}

/** `[target] [--provider p] [--global]`, in any order. */
const parseWanted = (args: string): Wanted | { readonly problem: string } => {
  const words = args.split(/\s+/u).filter((word) => word !== "");
  const at = words.indexOf("--provider");
  const provider = at === -1 ? undefined : words[at + 1];
  if (at !== -1 && provider === undefined) return { problem: "--provider needs a name" };
  const rest = words.filter((word, index) => word !== "--global" && (at === -1 || (index !== at && index !== at + 1)));
  const [target, ...more] = rest;
  if (target === undefined) return { problem: "Which model?" };
  if (more.length > 0) return { problem: `One model at a time: ${rest.join(", ")}` };
  return { target, remember: words.includes("--global"), ...(provider === undefined ? {} : { provider }) };
};

const answer = (wanted: Wanted, outcome: SwitchOutcome): CommandResult => {
  switch (outcome.kind) {
    case "switched":
      return textResult(
        `Model: ${outcome.provider}:${outcome.model}${wanted.remember ? ", remembered" : " for this session"}${
          outcome.note === undefined ? "" : `\n! ${outcome.note}`
        }`,
      );
    case "unknown":
      return errorResult(
        `No model is called "${wanted.target}"`,
        outcome.nearest.length === 0 ? "/model lists them." : `Near: ${outcome.nearest.join(", ")}`,
      );
    case "unavailable":
      return errorResult(outcome.reason, outcome.fix);
    default:
      return outcome satisfies never;
  }
};

const switchModel = async (args: string, ports: CommandPorts): Promise<CommandResult> => {
  const wanted = parseWanted(args);
  if ("problem" in wanted) return errorResult(wanted.problem, "/model lists them.");
  const choices = /^\d+$/u.test(wanted.target) ? await ports.model.choices() : [];
  const picked = choices[Number(wanted.target) - 1];
  const target = picked === undefined ? wanted.target : `${picked.provider}:${picked.model}`;
  const { remember, provider } = wanted;
  const options = provider === undefined ? { remember } : { remember, provider };
  return answer(wanted, await ports.model.switchTo(target, options));
};

/** `/model [target] [--provider p] [--global]`: shows or switches the model. */
export const model = defineCommand({
  name: "model",
  aliases: ["provider"],
  argsHint: "[#|model|provider:model] [--provider p] [--global]",
  description: "Show or switch the model",
  run: async ({ args, ports }) => (args === "" ? listChoices(await ports.model.choices()) : switchModel(args, ports)),
});
