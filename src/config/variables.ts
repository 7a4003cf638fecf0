import { type EnvEntry, parseEnvFile } from "./env-file.ts";
import { type Environment, variable } from "./environment.ts";
import type { Origin } from "./located.ts";
import type { NamedText } from "./named-texts.ts";
import type { ConfigProblem } from "./problem.ts";
import { readTextFile } from "./text-file.ts";

/** The process's variables and, behind them, those of one home's `.env`. No other home's `.env` is ever looked at. */
export interface Variables {
  /** The value and who gave it; one that is set to nothing counts as unset. */
  readonly get: (name: string) => { readonly value: string; readonly origin: Origin } | undefined;
  /** Every value that a variable of the process or a line of `.env` has, also where the process's one stands before. */
  readonly all: () => readonly NamedText[];
  readonly problems: readonly ConfigProblem[];
}

/** Reads a home's `.env` and puts the given environment before it. */
export const readVariables = (environment: Environment, file: string): Variables => {
  const { entries, problems } = readEnvFile(file);
  return {
    problems,
    all: () => [
      ...Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
      ...entries.values(),
    ],
    get: (name) => {
      const given = variable(environment, name);
      if (given !== undefined) return { value: given, origin: { from: "env", variable: name } };
      const entry = entries.get(name);
      if (entry === undefined || entry.value === "") return undefined;
      return { value: entry.value, origin: { from: ".env", file, line: entry.line, variable: name } };
    },
  };
};

interface EnvContent {
  readonly entries: ReadonlyMap<string, EnvEntry>;
  readonly problems: readonly ConfigProblem[];
}

const readEnvFile = (path: string): EnvContent => {
  const file = readTextFile(path);
  if (file.kind === "absent") return { entries: new Map(), problems: [] };
  if (file.kind === "broken") {
    const problem = {
      severity: "error",
      code: "config.broken_file",
      file: path,
      line: file.line,
      message: file.reason,
    } as const;
    return { entries: new Map(), problems: [problem] };
  }
  const { entries, faults } = parseEnvFile(file.text);
  const problems = faults.map((fault): ConfigProblem => ({
    severity: "warning",
    code: "config.bad_env_line",
    file: path,
    line: fault.line,
    message:
      fault.kind === "unterminated"
        ? "a quote that begins here never closes; the line is passed over"
        : "is no NAME=value; the line is passed over",
  }));
  const exposed = exposure(path, file.mode);
  return {
    entries: new Map(entries.map((entry) => [entry.name, entry])),
    problems: exposed === undefined ? problems : [exposed, ...problems],
  };
};

// Windows has no such bits; what stat reports there says nothing.
const exposure = (file: string, mode: number): ConfigProblem | undefined =>
  process.platform === "win32" || (mode & 0o077) === 0
    ? undefined
    : {
        severity: "warning",
        code: "config.env_exposed",
        file,
        message: `other accounts can read it (mode ${mode.toString(8)})`,
        hint: `chmod 600 ${file}`,
      };
