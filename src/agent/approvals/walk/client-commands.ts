import type { Word } from "../shell/expand-word.ts";
import { knownValues } from "./resolved-command.ts";
import type { Stdin } from "./resolved-command.ts";

/** Programs that are given SQL. */
export const SQL_CLIENTS: ReadonlySet<string> = new Set(
  [
    "psql mysql mariadb sqlite3 duckdb cockroach clickhouse clickhouse-client sqlcmd sqlplus bq cqlsh usql pgcli mycli",
    "litecli turso wrangler",
  ]
    .join(" ")
    .split(" "),
);

const PSQL = [/\\!\s*([^\n]+)/g, /\bprogram\s+'((?:[^']|'')+)'/gi, /\\(?:o|out|g|gx|w|copy\b[^\n|]*)\s*\|\s*([^\n]+)/g];
const MYSQL = [/\\!\s*([^\n;]+)/g, /(?:^|[\n;])\s*system\s+([^\n;]+)/gi, /\\P\s+([^\n;]+)/g];
const SQLITE = [/^\s*\.(?:shell|system)\s+(.+)$/gm, /^\s*\.(?:output|once|import|excel)\s+["']?\|(.+)$/gm];
const DEBUGGER = [/^\s*(?:platform\s+)?(?:shell|!)\s*(.+)$/gm, /^\s*(?:pipe|\|)\s[^|\n]*\|\s*(.+)$/gm];

interface Client {
  /** Where a text for a shell stands in what the client reads, as the first group. */
  readonly patterns: readonly RegExp[];
  /** It reads its commands from the input alone. */
  readonly inputOnly?: true;
}

/** In an editor `!command`, `w !command` and `r !command`, behind an address or none. */
const EDITOR: Client = { patterns: [/^[\d.,$%+-]*\s*(?:[rwe]\s*)?!(.+)$/gm], inputOnly: true };

const CLIENTS: ReadonlyMap<string, Client> = new Map<string, Client>([
  ["psql", { patterns: PSQL }],
  ["pgcli", { patterns: PSQL }],
  ["mysql", { patterns: MYSQL }],
  ["mariadb", { patterns: MYSQL }],
  ["sqlite3", { patterns: SQLITE }],
  ["duckdb", { patterns: SQLITE }],
  ["gdb", { patterns: DEBUGGER }],
  ["lldb", { patterns: DEBUGGER }],
  ["ed", EDITOR],
  ["ex", EDITOR],
  ["vi", EDITOR],
  ["vim", EDITOR],
  ["sftp", { patterns: [/^\s*!(.+)$/gm], inputOnly: true }],
  ["ftp", { patterns: [/^\s*!(.+)$/gm], inputOnly: true }],
  ["lftp", { patterns: [/(?:^|[\n;])\s*!([^\n;]+)/g, /(?:^|[\n;])\s*(?:local|shell)\s+([^\n;]+)/g] }],
]);

/** The shell texts in what a program of many commands is told on its command line or its input. */
export const clientTexts = (program: string, args: readonly Word[], stdin: Stdin): readonly Word[] => {
  const client = CLIENTS.get(program);
  if (client === undefined) return [];
  const told = [
    ...(client.inputOnly === true ? [] : knownValues(args).map((text) => text.replace(/^-+[\w-]+=/, ""))),
    ...(stdin.kind === "text" ? [stdin.text] : []),
  ];
  return told.flatMap((text) =>
    client.patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].map((match): Word => ({ kind: "static", value: (match[1] ?? "").trim() })),
    ),
  );
};
