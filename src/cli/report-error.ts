import { AppError, messageOf, type ExitCode } from "../base/app-error.ts";
import { cleanText } from "./chat/text-safety.ts";
import { cliErrors } from "./errors.ts";
import type { Output } from "./output.ts";

/** Prints a failure on stderr: one line, a hint, never a stack unless `--debug`. Returns the exit code. */
export const reportError = (
  thrown: unknown,
  output: Output,
  options: { readonly json: boolean; readonly debug: boolean },
): ExitCode => {
  const error = thrown instanceof AppError ? thrown : cliErrors.unexpected({ message: messageOf(thrown) }, thrown);
  if (options.json) output.stderr(`${JSON.stringify(error)}\n`);
  else output.stderr(errorLines(error));
  if (options.debug) output.stderr(`${cleanText(stackOf(error))}\n`);
  return error.exitCode;
};

/** A failure and its hint as people read them. Providers' and files' words stand in it: nothing of them reaches the terminal's controls. */
export const errorLines = ({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint?: string | undefined;
}): string => cleanText(`✗ ${message}\n${hint === undefined ? "" : `  ${hint}\n`}`);

const stackOf = (error: AppError): string => {
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack ?? error.cause.message}` : "";
  return `${error.stack ?? ""}${cause}`;
};
