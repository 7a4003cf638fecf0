import type { GlobalFlags } from "./flags.ts";
import type { Output } from "./output.ts";

/** What commander hands to an action, as one value: positional arguments and all flags, global ones included. */
export interface Invocation {
  readonly args: readonly (string | readonly string[] | undefined)[];
  readonly flags: GlobalFlags & Readonly<Record<string, string | boolean | undefined>>;
}

/** The call of a command's code. */
export interface CommandCall extends Invocation {
  readonly output: Output;
}
