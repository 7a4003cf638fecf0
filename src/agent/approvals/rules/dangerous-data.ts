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
    flags.some((each) => flag === each || (each.length > 4 && flag.length > 5 && each.startsWith(flag))),
  );

/** Returns what is lost. */
const losesHistory = (command: ResolvedCommand): string | undefined => {
  const call = gitCall(command);
  switch (call?.name) {
    case "reset":
      return has(call, "--hard") ? "changes that are not committed" : undefined;
    case "checkout":
      return has(call, "f", "--force") || call.operands.includes(".") ? "changes that are not committed" : undefined;
    case "restore":
      return call.operands.includes(".") && (!has(call, "S", "--staged") || has(call, "W", "--worktree"))
        ? "changes that are not committed"
        : undefined;
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
      const deletes = has(call, "D") || (has(call, "d", "--delete") && has(call, "f", "--force"));
      return deletes ? "a branch that is not merged" : undefined;
    }
    default:
      return undefined;
  }
};

const SQL_CLIENTS = new Set([
  "psql",
  "mysql",
  "mariadb",
  "sqlite3",
  "duckdb",
  "cockroach",
  "clickhouse",
  "clickhouse-client",
  "sqlcmd",
  "sqlplus",
  "bq",
  "cqlsh",
  "usql",
  "pgcli",
  "mycli",
  "litecli",
  "turso",
  "wrangler",
]);

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
