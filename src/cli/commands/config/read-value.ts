import type { Readable } from "node:stream";
import { isSecretKey } from "../../../config/resolve-key.ts";
import { askHidden } from "../../ask-line.ts";
import { cliErrors } from "../../errors.ts";
import { readAll } from "../../read-all.ts";

/** Where a value can come from when it does not stand on the command line. */
export interface ValueStreams {
  readonly input: Readable;
  /** Where is asked: standard error, so that standard output can be piped on. */
  readonly output: NodeJS.WritableStream;
  /** Whether a person sits at both. */
  readonly isTerminal: boolean;
}

/** Stands for "read it from standard input" where a value is expected. */
const FROM_INPUT = "-";
const LIMIT_BYTES = 1024 * 1024;

/**
 * The value for `hermes config set KEY [VALUE]`. A key that is given as an argument stays in the shell's history and can be seen in the
 * list of processes; so `-` reads it from standard input, and a secret that is left out is asked for on the terminal, unseen.
 * Throws `cli.no_value`, `cli.value_too_long`.
 */
export const readValue = async (key: string, typed: string | undefined, streams: ValueStreams): Promise<string> => {
  if (typed !== undefined && typed !== FROM_INPUT) return typed;
  const isSecret = isSecretKey(key);
  const isAsked = isSecret && streams.isTerminal;
  if (!isAsked && typed === undefined) throw cliErrors.noValue({ key, isSecret });
  const value = isAsked ? await askHidden(`${key} (not shown): `, streams) : await readPiped(streams.input);
  if (value === undefined || value === "") throw cliErrors.noValue({ key, isSecret });
  return value;
};

/** What a command hands over, without the line break that it ends its output with. */
const readPiped = async (input: Readable): Promise<string> => {
  const text = await readAll(input, LIMIT_BYTES);
  if (text === undefined) throw cliErrors.valueTooLong({ limit: LIMIT_BYTES });
  return text.replace(/\r?\n$/, "");
};
