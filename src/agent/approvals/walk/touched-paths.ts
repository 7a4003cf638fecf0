import { gitSubcommand } from "./git-commands.ts";
import { outputTargets } from "./output-targets.ts";
import { pathsOf } from "./paths.ts";
import { argumentsOf } from "./resolved-command.ts";
import type { ResolvedCommand } from "./resolved-command.ts";
import { treeTargets } from "./tree-targets.ts";
import { writeTargets } from "./write-targets.ts";

/** What git does to files of its work tree. */
const GIT_CHANGES = new Set(
  "checkout restore switch reset clean rm mv apply am pull merge rebase stash cherry-pick revert read-tree".split(" "),
);

/**
 * The paths that commands write, move or remove as far as their words say; a folder stands for all in it, also where a
 * wildcard or an unknown word leaves open what in it. What a program changes by itself is not known.
 */
export const touchedPaths = (commands: readonly ResolvedCommand[]): readonly string[] => [
  ...new Set(commands.filter(({ remote }) => !remote).flatMap(touchedBy)),
];

const touchedBy = (command: ResolvedCommand): readonly string[] => {
  const targets = [...writeTargets(command), ...outputTargets(command), ...treeTargets(command)];
  const known = targets.flatMap((target) => pathsOf(target, command.cwd)).map(withoutWildcards);
  const isOpen = targets.some(({ kind }) => kind === "dynamic") || changesWorkTree(command);
  return isOpen ? [...known, ...command.cwd.values] : known;
};

const changesWorkTree = (command: ResolvedCommand): boolean =>
  command.program === "git" && GIT_CHANGES.has(gitSubcommand(argumentsOf(command)).name ?? "");

/** The folder in front of the first wildcard. */
const withoutWildcards = (path: string): string => {
  const at = path.search(/[*?[{]/);
  if (at === -1) return path;
  return path.slice(0, Math.max(1, path.lastIndexOf("/", at)));
};
