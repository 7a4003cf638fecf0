import { editDistance } from "../config/nearest-key.ts";
import type { Command } from "./command.ts";

/** Which command a name means. */
export type CommandMatch =
  | { readonly kind: "found"; readonly command: Command }
  | { readonly kind: "unknown"; readonly nearest: string | undefined };

/** Farther than this, a suggestion is a guess. */
const LARGEST_DISTANCE = 2;

const namesOf = (command: Command): readonly string[] => [command.name, ...command.aliases];

const nearestName = (name: string, commands: readonly Command[]): string | undefined => {
  const [best] = commands
    .flatMap(namesOf)
    .map((known) => ({ known, away: editDistance(name, known) }))
    .sort((a, b) => a.away - b.away);
  // As many changes as there are letters would make anything of anything.
  return best !== undefined && best.away <= LARGEST_DISTANCE && best.away < name.length ? best.known : undefined;
};

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
  return command === undefined ? { kind: "unknown", nearest: nearestName(name, commands) } : { kind: "found", command };
};
