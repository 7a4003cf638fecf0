import type { App } from "../../../app/app.ts";
import { createModels, type Models } from "../../../app/open-model.ts";
import type { CommandCall } from "../../command-call.ts";
import { openApp } from "../../open-app.ts";
import type { Output } from "../../output.ts";

/** What the commands about models work with. */
export interface ModelContext {
  readonly app: App;
  readonly models: Models;
  readonly output: Pick<Output, "stdout" | "stderr" | "isTerminal" | "columns">;
  readonly signal: AbortSignal;
}

/** Opens the home of a call and runs a command in it; `signal` absent = nothing but the end of the program ends it. */
export const inModels = async <T>(
  { flags, output }: CommandCall,
  run: (context: ModelContext) => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> => {
  await using app = openApp(flags);
  return await run({ app, models: createModels(app), output, signal });
};

/** A flag that holds a text. */
export const textFlag = ({ flags }: CommandCall, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
};
