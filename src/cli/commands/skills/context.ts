import type { App } from "../../../app/app.ts";
import { openSkillHub, type SkillHub } from "../../../app/skill-hub.ts";
import type { CommandCall } from "../../command-call.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { openApp } from "../../open-app.ts";
import type { Output } from "../../output.ts";

/** What the commands about skills work with. */
export interface SkillsContext extends SkillHub {
  readonly app: App;
  readonly output: Output;
  readonly json: boolean;
  readonly signal: AbortSignal;
}

/** Opens the home of a call and runs a command in it; Ctrl+C ends what it waits for. */
export const inSkills = async <T>(call: CommandCall, run: (context: SkillsContext) => Promise<T>): Promise<T> => {
  await using app = openApp(call.flags);
  using interrupts = listenForInterrupts(call.output);
  const hub = openSkillHub(app, process.cwd());
  return await run({
    ...hub,
    app,
    output: call.output,
    json: call.flags.json === true,
    signal: interrupts.signal,
  });
};

/** A flag that holds a text. */
export const textFlag = ({ flags }: CommandCall, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
};

/** The words of an argument that may be repeated. */
export const namesOf = ({ args }: CommandCall): readonly string[] =>
  [args[0]].flat().filter((name): name is string => typeof name === "string");

/** One value as JSON on standard output. */
export const printJson = (output: Output, value: unknown): void => {
  output.stdout(`${JSON.stringify(value, undefined, 2)}\n`);
};
