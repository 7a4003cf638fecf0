import type { ExitCode } from "../../../base/app-error.ts";
import type { App } from "../../../app/app.ts";
import { openMemory, type OpenMemory } from "../../../app/memory.ts";
import { memoryErrors } from "../../../knowledge/memory/errors.ts";
import type { MemoryOutcome } from "../../../knowledge/memory/memory-change.ts";
import { MEMORY_TARGETS, type MemoryTarget } from "../../../knowledge/memory/memory-format.ts";
import { describeRefusal } from "../../../knowledge/memory/memory-words.ts";
import type { CommandCall } from "../../command-call.ts";
import { displayZone } from "../../display-zone.ts";
import { formatTime } from "../../format.ts";
import { openApp } from "../../open-app.ts";

/** What every command about memory works with. */
export interface MemoryCall extends OpenMemory {
  readonly app: App;
  readonly call: CommandCall;
  /** ms UTC for people. */
  readonly time: (ms: number) => string;
}

/** Who changes memory here: the owner. */
export const OWNER = { source: "command", session: null } as const;

/** Opens memory, runs, closes. */
export const withMemory = async (
  call: CommandCall,
  run: (memory: MemoryCall) => Promise<ExitCode>,
): Promise<ExitCode> => {
  await using app = openApp(call.flags);
  const zone = displayZone(app, call.output);
  return await run({ ...(await openMemory(app)), app, call, time: (ms) => formatTime(ms, zone) });
};

/** The file that a word names. Throws `memory.unknown_target`. */
export const readTarget = (given: string): MemoryTarget => {
  const target = MEMORY_TARGETS.find((each) => each === given);
  if (target === undefined) throw memoryErrors.unknownTarget({ given, known: MEMORY_TARGETS.join(" or ") });
  return target;
};

/** `--target`; undefined = not given. */
export const targetFlag = ({ flags }: CommandCall): MemoryTarget | undefined => {
  const given = flags["target"];
  return typeof given === "string" ? readTarget(given) : undefined;
};

/** The outcome of a change that was made. Throws `memory.refused` for one that was not. */
export const made = (outcome: MemoryOutcome): Extract<MemoryOutcome, { kind: "changed" }> => {
  if (outcome.kind === "changed") return outcome;
  throw memoryErrors.refused({ why: describeRefusal(outcome.refusal) });
};

/** JSON on standard output, as every command prints it. */
export const printJson = ({ output }: CommandCall, value: unknown): void =>
  output.stdout(`${JSON.stringify(value, undefined, 2)}\n`);
