import type { Word } from "../shell/expand-word.ts";
import { gitSubcommand } from "./git-commands.ts";
import { allOptions } from "./options.ts";
import { absolutePath, pathsOf } from "./paths.ts";
import { argumentsOf } from "./resolved-command.ts";
import type { ResolvedCommand } from "./resolved-command.ts";

/** A file or folder that a command gives another place or name. Both are absolute. */
export interface CopiedFile {
  readonly from: string;
  readonly to: string;
}

const SYNTAX = {
  short: "tSgmoe",
  long: ["--target-directory", "--suffix", "--mode", "--owner", "--group", "--rsh", "--exclude", "--include"],
};

const COPIERS = new Set(["cp", "mv", "ln", "install", "rsync", "scp"]);

/** What a command copies, moves or links, and every place where that may be found afterwards. */
export const copiedFiles = (command: ResolvedCommand): readonly CopiedFile[] => {
  if (command.remote) return [];
  const args = copierArguments(command);
  if (args === undefined) return [];
  const { operands, values } = allOptions(args, SYNTAX);
  const folder = values.get("t") ?? values.get("--target-directory");
  const single = operands.length === 1 && folder === undefined && command.program === "ln";
  const to = single ? HERE : (folder ?? operands.at(-1));
  const sources = folder === undefined && !single ? operands.slice(0, -1) : operands;
  if (to === undefined) return [];
  return sources.flatMap((source) =>
    pathsOf(source, command.cwd).flatMap((from) => pathsOf(to, command.cwd).flatMap((path) => placesOf(from, path))),
  );
};

const HERE: Word = { kind: "static", value: "." };

/** `git mv a b` copies like `mv a b`. */
const copierArguments = (command: ResolvedCommand): readonly Word[] | undefined => {
  const args = argumentsOf(command);
  if (command.program !== undefined && COPIERS.has(command.program)) return args;
  if (command.program !== "git") return undefined;
  const call = gitSubcommand(args);
  return call.name === "mv" ? call.args : undefined;
};

/** `folder/*` stands for what is in the folder; all else may land under the destination's name or in it. */
const placesOf = (from: string, to: string): readonly CopiedFile[] => {
  const inFolder = /^(.+)\/[^/]*[*?[][^/]*$/.exec(from)?.[1];
  if (inFolder !== undefined) return [{ from: inFolder, to }];
  const name = from.slice(from.lastIndexOf("/") + 1);
  return [
    { from, to },
    { from, to: absolutePath(name, to) },
  ];
};
