import type { Command } from "commander";
import type { AppError } from "../base/app-error.ts";
import { nearestKey } from "../config/nearest-key.ts";
import { cliErrors } from "./errors.ts";

/** The commands of a group that people are told of. */
export const visibleCommands = (group: Command): readonly Command[] => group.createHelp().visibleCommands(group);

/** What is said of a word that stands where a command of the group is expected. */
export const unknownIn = (group: Command, name: string): AppError => {
  const path = group.parent === null ? undefined : group.name();
  const full = (known: string): string => (path === undefined ? known : `${path} ${known}`);
  const names = group.commands.map((command) => command.name());
  if (names.includes(name)) return cliErrors.notBuilt({ what: `\`hermes ${full(name)}\`` });
  const nearest = nearestKey(name, names);
  return cliErrors.unknownCommand({ name, group: path, nearest: nearest === undefined ? undefined : full(nearest) });
};
