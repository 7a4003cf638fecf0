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

// No pattern skips line ends: a text of blank lines would be read again from each of them.
const PSQL = [
  /\\!\s*([^\n]+)/g,
  /\bprogram\s+'((?:[^']|'')+)'/gi,
  /\\(?:o|out|g|gx|w|copy\b[^\n|]{0,500})\s*\|\s*([^\n]+)/g,
];
const MYSQL = [/\\!\s*([^\n;]+)/g, /(?:^|[\n;])[ \t]*system\s+([^\n;]+)/gi, /\\P\s+([^\n;]+)/g];
const SQLITE = [/^[ \t]*\.(?:shell|system)\s+(.+)$/gm, /^[ \t]*\.(?:output|once|import|excel)\s+["']?\|(.+)$/gm];
const DEBUGGER = [/^[ \t]*(?:platform[ \t]+)?(?:shell|!)[ \t]*(.+)$/gm, /^[ \t]*(?:pipe|\|)\s[^|\n]*\|\s*(.+)$/gm];

interface Client {
  /** Where a text for a shell stands in what the client reads, as the first group. */
  readonly patterns: readonly RegExp[];
  /** It reads its commands from the input alone. */
  readonly inputOnly?: true;
}

/** In an editor `!command`, `w !command` and `r !command`, behind an address or none. */
const EDITOR: Client = { patterns: [/^[\d.,$%+-]*[ \t]*(?:[rwe][ \t]*)?!(.+)$/gm], inputOnly: true };

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
  ["sftp", { patterns: [/^[ \t]*!(.+)$/gm], inputOnly: true }],
  ["ftp", { patterns: [/^[ \t]*!(.+)$/gm], inputOnly: true }],
  ["lftp", { patterns: [/(?:^|[\n;])[ \t]*!([^\n;]+)/g, /(?:^|[\n;])[ \t]*(?:local|shell)\s+([^\n;]+)/g] }],
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
