import { SQL_CLIENTS } from "../walk/client-commands.ts";
import { gitSubcommand } from "../walk/git-commands.ts";
import { allOptions } from "../walk/options.ts";
import { argumentsOf, knownValues, textOf } from "../walk/resolved-command.ts";
import type { ResolvedCommand } from "../walk/resolved-command.ts";
import { isProgram } from "./arguments.ts";
import type { Rule } from "./rule.ts";

interface GitCall {
  readonly name: string;
  readonly flags: readonly string[];
  readonly operands: readonly string[];
}

const gitCall = (command: ResolvedCommand): GitCall | undefined => {
  if (!isProgram(command, "git")) return undefined;
  const { name, args } = gitSubcommand(argumentsOf(command));
  if (name === undefined) return undefined;
  const { flags, operands } = allOptions(args, name === "push" ? { short: "o" } : {});
  return { name, flags, operands: knownValues(operands) };
};

const has = (call: GitCall, ...flags: readonly string[]): boolean =>
  call.flags.some((flag) =>
    flags.some((each) => flag === each || (each.length > 4 && flag.length > 3 && each.startsWith(flag))),
  );

/** Ways to name every file of a folder or project. */
const EVERYTHING = new Set([".", "./", ":/", "*", "./*", "**", ":/*", ":"]);

const namesEverything = (call: GitCall): boolean => call.operands.some((text) => EVERYTHING.has(text));

/**
 * Git keeps for two weeks what nothing leads to any more, so that it can be had back: a stash that was dropped, a commit that was amended.
 * Plain `git gc` leaves them; `--prune=now` and `git prune` do not.
 */
const prunesNow = (command: ResolvedCommand, call: GitCall): boolean => {
  const isNow = /^(?:now|all|today|0\b.*|1\.(?:second|minute).*)$/;
  const { values } = allOptions(argumentsOf(command), { short: "cC", long: ["--expire"] });
  const given = textOf(values.get(call.name === "gc" ? "--prune" : "--expire") ?? { kind: "static", value: "" });
  const settings = argumentsOf(command)
    .map(textOf)
    .some((text) => /^gc\.(?:prune|reflog)expire(?:unreachable)?=(?:now|all|0)/i.test(text));
  if (call.name === "gc") return isNow.test(given) || settings;
  return !has(call, "n", "--dry-run") && (given === "" || isNow.test(given));
};

/** Returns what is lost. */
const losesHistory = (command: ResolvedCommand): string | undefined => {
  const call = gitCall(command);
  switch (call?.name) {
    case "reset":
      return has(call, "--hard", "--merge") ? "changes that are not committed" : undefined;
    case "checkout":
    case "checkout-index":
      return has(call, "f", "--force") || namesEverything(call) ? "changes that are not committed" : undefined;
    case "switch":
      return has(call, "f", "--force", "--discard-changes") ? "changes that are not committed" : undefined;
    case "restore":
      return namesEverything(call) && (!has(call, "S", "--staged") || has(call, "W", "--worktree"))
        ? "changes that are not committed"
        : undefined;
    case "rm":
      return has(call, "f", "--force") && !has(call, "--cached") ? "changes that are not committed" : undefined;
    case "read-tree":
      return has(call, "u") && has(call, "--reset") ? "changes that are not committed" : undefined;
    case "submodule":
      return call.operands[0] === "deinit" && has(call, "f", "--force") ? "changes that are not committed" : undefined;
    case "gc":
    case "prune":
      return prunesNow(command, call) ? "commits that only their numbers lead back to" : undefined;
    case "filter-branch":
    case "filter-repo":
      return "every commit's former state";
    case "stash":
      return ["drop", "clear"].includes(call.operands[0] ?? "") ? "changes that were put aside" : undefined;
    case "reflog":
      return ["expire", "delete"].includes(call.operands[0] ?? "") ? "the way back to earlier commits" : undefined;
    case "update-ref":
      return has(call, "d", "--stdin") ? "a branch or tag" : undefined;
    case "worktree":
      return call.operands[0] === "remove" && has(call, "f", "--force")
        ? "a folder with changes that are not committed"
        : undefined;
    case "push": {
      const forces =
        has(call, "f", "--force", "--force-with-lease", "--mirror") ||
        call.operands.some((text) => text.startsWith("+"));
      return forces ? "commits on the remote" : undefined;
    }
    case "clean":
      return has(call, "f", "--force") ? "files that git does not know" : undefined;
    case "branch": {
      const isRename = has(call, "m", "M", "c", "C", "--move", "--copy");
      const loses = has(call, "D") || (has(call, "f", "--force") && !isRename);
      return loses ? "a branch that is not merged" : undefined;
    }
    default:
      return undefined;
  }
};

/** The SQL that a database client would be given in plain sight. */
const sqlOf = (command: ResolvedCommand): string => {
  if (command.program === undefined || !SQL_CLIENTS.has(command.program)) return "";
  const input = command.stdin.kind === "text" ? command.stdin.text : "";
  return `${argumentsOf(command).map(textOf).join(";\n")};\n${input}`;
};

const STATEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\bDROP\s+(?:TABLE|DATABASE|SCHEMA)\b/i, "DROP"],
  [/\bTRUNCATE\b/i, "TRUNCATE"],
  [/\bDELETE\s+FROM\b(?![\s\S]*\bWHERE\b)/i, "DELETE without WHERE"],
];

const losesRows = (command: ResolvedCommand): string | undefined => {
  if (isProgram(command, "dropdb")) return "dropdb";
  if (isProgram(command, "mysqladmin") && knownValues(argumentsOf(command)).includes("drop")) return "mysqladmin drop";
  const statements = sqlOf(command).split(";");
  for (const [pattern, name] of STATEMENTS) if (statements.some((statement) => pattern.test(statement))) return name;
  return undefined;
};

/** What endangers history and databases. */
export const DATA_RULES: readonly Rule[] = [
  {
    id: "git-loss",
    level: "dangerous",
    remember: true,
    describe: ({ what }) => `git throws away ${what}`,
    matches: (command) => {
      const what = losesHistory(command);
      return what === undefined ? undefined : { what };
    },
  },
  {
    id: "sql-loss",
    level: "dangerous",
    remember: false,
    describe: ({ statement }) => `it throws data of a database away (${statement})`,
    matches: (command) => {
      const statement = losesRows(command);
      return statement === undefined ? undefined : { statement };
    },
  },
];
