/** How much a problem matters: an `error` stops what needs the value, a `warning` was worked round, a `notice` is for knowing. */
export type ProblemSeverity = "error" | "warning" | "notice";

/** Something about the settings that a person should know. Plain data; surfaces and `config check` make lines of it. */
export interface ConfigProblem {
  readonly severity: ProblemSeverity;
  /** `config.what`, as in the table of errors. */
  readonly code: `config.${string}`;
  /** The dotted key; undefined for a problem of a whole file. */
  readonly key?: string | undefined;
  /** The file, or undefined for a variable or a flag. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}
