import { nearestKey } from "../config/nearest-key.ts";
import type { Command } from "./command.ts";

/** Which command a name means. */
export type CommandMatch =
  | { readonly kind: "found"; readonly command: Command }
  | { readonly kind: "unknown"; readonly nearest: string | undefined };

const namesOf = (command: Command): readonly string[] => [command.name, ...command.aliases];

/**
 * Finds a command by its name without the slash: case does not matter, an exact name or alias beats a beginning,
 * and of several that begin so the first in the list is meant (compat §2).
 */
export const matchCommand = (typed: string, commands: readonly Command[]): CommandMatch => {
  const name = typed.toLowerCase();
  const command =
    commands.find((candidate) => namesOf(candidate).includes(name)) ??
    (name === ""
      ? undefined
      : commands.find((candidate) => namesOf(candidate).some((known) => known.startsWith(name))));
  return command === undefined
    ? { kind: "unknown", nearest: nearestKey(name, commands.flatMap(namesOf)) }
    : { kind: "found", command };
};
