import { argumentsOf, textOf } from "../walk/resolved-command.ts";
import type { ResolvedCommand } from "../walk/resolved-command.ts";
import { allOptions } from "../walk/options.ts";
import { interpreterOf } from "../walk/shells.ts";

/** A call of the agent's own program. */
export interface OwnCall {
  readonly words: readonly string[];
  readonly flags: readonly string[];
}

const OWN_NAME = /^hermes(?:-agent)?(?:\.[cm]?js)?$/;

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** `hermes …`, `node …/hermes.mjs …`, `python -m hermes…`: what follows the program's name. */
export const ownCall = (command: ResolvedCommand): OwnCall | undefined => {
  const args = argumentsOf(command);
  const from = ownArguments(command);
  if (from === undefined) return undefined;
  const { operands, flags } = allOptions(args.slice(from), {
    short: "pmstrz",
    long: ["--profile", "--model", "--provider", "--toolsets", "--resume", "--oneshot", "--max-turns"],
  });
  return { words: operands.map(textOf), flags };
};

/** Where its arguments begin; undefined = it is another program. */
const ownArguments = (command: ResolvedCommand): number | undefined => {
  const { program } = command;
  if (program === undefined) return undefined;
  if (OWN_NAME.test(program)) return 0;
  if (interpreterOf(program) === undefined) return undefined;
  const args = argumentsOf(command).map(textOf);
  const at = args.findIndex(
    (text, index) => OWN_NAME.test(baseName(text)) || (args[index - 1] === "-m" && text.startsWith("hermes")),
  );
  const isFirst = at !== -1 && args.slice(0, at).every((text) => text.startsWith("-"));
  return isFirst ? at + 1 : undefined;
};

/** The verbs that change something, by their area. */
const CHANGES: ReadonlyMap<string, readonly string[]> = new Map([
  ["config", ["set", "unset", "edit", "migrate"]],
  ["sessions", ["delete", "prune"]],
  ["budget", ["set", "clear"]],
  ["auth", ["add", "remove", "restore", "reset", "login", "logout"]],
  ["model", ["set"]],
  ["fallback", ["add", "remove", "clear"]],
  ["plugins", ["install", "enable", "disable", "remove", "uninstall", "update"]],
  ["mcp", ["add", "remove", "enable", "disable"]],
  ["tools", ["enable", "disable"]],
  ["pairing", ["approve", "revoke", "clear-pending"]],
  ["profile", ["create", "delete", "rename", "import", "use"]],
  ["gateway", ["install", "uninstall"]],
]);

/** Areas that change something whatever follows. */
const CHANGING_AREAS: ReadonlySet<string> = new Set(["login", "logout", "setup"]);

/** What a call changes that is the owner's to change: the agent's settings, its sessions, keys and limits, or who is asked. */
export const changesOwn = (call: OwnCall): string | undefined => {
  const [area = "", verb = ""] = call.words;
  if (call.flags.some((flag) => flag.length > 3 && "--yolo".startsWith(flag))) return "hermes --yolo";
  if (CHANGING_AREAS.has(area)) return `hermes ${area}`;
  return CHANGES.get(area)?.includes(verb) === true ? `hermes ${area} ${verb}` : undefined;
};
