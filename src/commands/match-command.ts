import type { Command } from "./command.ts";

/** Which command a name means. */
export type CommandMatch =
  | { readonly kind: "found"; readonly command: Command }
  | { readonly kind: "unknown"; readonly nearest: string | undefined };

/** Farther than this, a suggestion is a guess. */
const LARGEST_DISTANCE = 2;

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
const distance = (left: string, right: string): number => {
  const rows = Array.from({ length: left.length + 1 }, (_, row) => [
    row,
    ...Array.from({ length: right.length }, () => 0),
  ]);
  const at = (row: number, column: number): number => rows[row]?.[column] ?? row + column;
  for (let column = 1; column <= right.length; column += 1) rows[0]?.splice(column, 1, column);
  for (let row = 1; row <= left.length; row += 1) {
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const value = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (same ? 0 : 1),
        swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      rows[row]?.splice(column, 1, value);
    }
  }
  return at(left.length, right.length);
};

const namesOf = (command: Command): readonly string[] => [command.name, ...command.aliases];

const nearestName = (name: string, commands: readonly Command[]): string | undefined => {
  const [best] = commands
    .flatMap(namesOf)
    .map((known) => ({ known, away: distance(name, known) }))
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
