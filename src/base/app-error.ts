/** The process exit codes: 0 done, 1 failed, 2 usage, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;

/** One kind of failure, as its folder's `errors.ts` lists it. `code` is `area.what`. */
export interface ErrorRow<P> {
  readonly code: `${string}.${string}`;
  /** What happened and why, for the person; no full stop needed, no stack, no secret. */
  readonly message: (params: P) => string;
  /** What to do about it. */
  readonly hint?: (params: P) => string;
  readonly exitCode: Exclude<ExitCode, 0>;
}

/** What is thrown when the program cannot continue, or a bug is found. Made by `defineErrors` only. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: string;
  readonly hint: string | undefined;
  readonly exitCode: Exclude<ExitCode, 0>;

  constructor(
    row: { code: string; message: string; hint?: string | undefined; exitCode: Exclude<ExitCode, 0> },
    cause?: unknown,
  ) {
    super(row.message, cause === undefined ? undefined : { cause });
    this.code = row.code;
    this.hint = row.hint;
    this.exitCode = row.exitCode;
  }

  /** The shape printed on stderr with `--json`. */
  toJSON(): { error: { code: string; message: string; hint?: string } } {
    return {
      error: { code: this.code, message: this.message, ...(this.hint === undefined ? {} : { hint: this.hint }) },
    };
  }
}

/** Makes an `AppError` of one row; `cause` is kept for `--debug`. */
export interface ErrorFactory<P> {
  (params: P, cause?: unknown): AppError;
  readonly row: ErrorRow<P>;
}

type Factories<Rows> = { readonly [K in keyof Rows]: Rows[K] extends ErrorRow<infer P> ? ErrorFactory<P> : never };

/**
 * Turns a folder's table of failures into factories of the same names:
 * `const configErrors = defineErrors({ unknownKey: {...} }); throw configErrors.unknownKey({ key })`.
 */
// The rows differ in their parameter type; `never` is the one type every row's functions accept.
export const defineErrors = <Rows extends Record<string, ErrorRow<never>>>(rows: Rows): Factories<Rows> => {
  const factories = Object.entries(rows).map(([name, row]) => {
    const make = (params: never, cause?: unknown): AppError =>
      new AppError(
        { code: row.code, message: row.message(params), hint: row.hint?.(params), exitCode: row.exitCode },
        cause,
      );
    return [name, Object.assign(make, { row })] as const;
  });
  return Object.fromEntries(factories) as unknown as Factories<Rows>;
};

/** The message of anything thrown, for wrapping into a row's parameters. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
